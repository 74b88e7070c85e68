/** Reads an invitation for the person who is invited, by the link of its mail or by its id. */
import { isId } from "../../../storage/database.ts";
import type { InvitationDoc } from "../../../storage/organizations/invitations.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, forbidden } from "../../errors.ts";
import { checkLink, readLink, signLink } from "../../mail/signed-link.ts";
import { requireUnrestricted } from "../../users/load.ts";
import { loadAccount } from "../../users/service.ts";

export interface OpenInvitation {
  invitation: InvitationDoc;
  tenant: TenantDoc;
  /**
   * The link that the caller used: that of the mail, which proves the address, or one that its sender has copied.
   * Without one, the caller used the id.
   */
  link?: "mail" | "copied";
}

/** Token of an invitation's link. It is not stored, but created again for each mail. */
export function invitationToken(app: App, { _id, emailKey, expiresAt }: InvitationDoc): string {
  return signLink(app, "invitation", { id: _id, expiresAt, bind: emailKey });
}

/**
 * Token of a link that the sender hands over. It proves no address, so there is one only while mails are files. It is
 * invalid once the invitation offers something else, or is someone else's.
 */
export function copiedToken(app: App, invitation: InvitationDoc): string {
  const { _id, expiresAt } = invitation;
  return signLink(app, "copied-invitation", { id: _id, expiresAt, bind: copiedOffer(invitation) });
}

const copiedOffer = ({ emailKey, role, teamIds, invitedBy }: InvitationDoc): string =>
  JSON.stringify([emailKey, role, teamIds, invitedBy.id]);

/** The kind of an invitation's link, and whether it is still valid. */
function readToken(app: App, token: string, invitation: InvitationDoc) {
  if (token === invitation._id) return { state: "valid" } as const;
  const mailed = checkLink(app, "invitation", token, invitation.emailKey);
  if (mailed !== "invalid" || app.mail.kind === "smtp") return { link: "mail", state: mailed } as const;
  const state = checkLink(app, "copied-invitation", token, copiedOffer(invitation));
  return { link: "copied", state } as const;
}

/**
 * Finds an open invitation by the token of its link or by its id. Throws `not_found` for an unknown one, and `refused`
 * or `conflict`, with `details.state`, for one that is no longer open.
 */
export async function loadInvitation(app: App, token: string): Promise<OpenInvitation> {
  const id = isId(token) ? token : readLink(token)?.id;
  const invitation = id !== undefined && isId(id) ? await app.storage.invitations.find(id) : null;
  if (!invitation) throw unknownInvitation();
  const { link, state: linkState } = readToken(app, token, invitation);
  if (linkState === "invalid") throw unknownInvitation();
  const tenant = await app.storage.tenants.find(invitation.tenantId);
  if (!tenant || tenant.deletionAt) throw unknownInvitation();
  const isExpired = linkState === "expired" || invitation.expiresAt <= app.now();
  const state = invitation.pending && isExpired ? "expired" : invitation.state;
  if (state !== "pending") throw invitationEnded(tenant, state);
  return { invitation, tenant, link };
}

/** The error for an invitation that can no longer be accepted. */
export function invitationEnded(
  tenant: TenantDoc,
  state: Exclude<InvitationDoc["state"], "pending"> | "expired" | "lapsed",
): ServiceError {
  const sentence = {
    accepted: "was accepted already.",
    declined: "was declined: ask for another one.",
    revoked: "was taken back.",
    expired: "ran out: ask for another one.",
    lapsed:
      "is no longer valid, because its sender no longer holds the permissions that it gives: ask for another one.",
  }[state];
  return new ServiceError(
    state === "accepted" ? "conflict" : "refused",
    `This invitation to "${tenant.slug}" ${sentence}`,
    { kind: "invitation", ref: tenant.slug, state },
  );
}

/** The same message for every unknown token, which it does not repeat. */
function unknownInvitation(): ServiceError {
  return new ServiceError("not_found", "Invitation not found, or you don't have access to it.", {
    kind: "invitation",
  });
}

/** An open invitation with the person whom it is for. */
export type OwnInvitation = OpenInvitation & { caller: UserActor; account: Account };

/** Loads an open invitation of the caller. Throws `forbidden` if it is for another address. */
export async function loadOwnInvitation(
  app: App,
  actor: Actor,
  token: string,
  act: string,
): Promise<OwnInvitation> {
  const caller = requireUnrestricted(actor, act);
  const account = await loadAccount(app, caller);
  if (isId(token)) {
    // An id is not secret, so for anyone but the invited it is treated as unknown, in every state.
    const named = await app.storage.invitations.find(token);
    if (named?.emailKey !== account.emailKey) throw unknownInvitation();
    if (!account.emailVerifiedAt)
      throw forbidden("Confirm your e-mail address first, or use the link of the invitation's mail.", {
        kind: "invitation",
      });
  }
  const open = await loadInvitation(app, token);
  if (open.invitation.emailKey !== account.emailKey) {
    const meant = maskAddress(open.invitation.email);
    throw forbidden(`This invitation is for ${meant}: sign in with the account of that address.`, {
      kind: "invitation",
    });
  }
  return { ...open, caller, account };
}

/** Masks an address so that only its owner recognizes it. */
export function maskAddress(email: string): string {
  const [first = ""] = email;
  return `${first}…${email.slice(email.lastIndexOf("@"))}`;
}
