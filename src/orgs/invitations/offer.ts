/**
 * An open invitation for the page that its link opens. The link proves that its holder can read mails to the invited
 * address, so it may see who invites and with which role; an id proves nothing, and works for the invited account only.
 */
import type { InvitationOfferPayload } from "../../../contract/payloads/organizations/organizations.ts";
import { isId } from "../../../storage/database.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { unauthenticated } from "../../errors.ts";
import { requireUnrestricted } from "../../users/load.ts";
import { loadAccount } from "../../users/service.ts";
import { signUpMode } from "../../users/sign-up-mode.ts";
import { loadInvitation, loadOwnInvitation, maskAddress, type OpenInvitation } from "./load.ts";

/** Throws `unauthenticated` for an id without a sign-in, and otherwise the errors of `loadInvitation`. */
export async function readOffer(app: App, actor: Actor, token: string): Promise<InvitationOfferPayload> {
  if (isId(token)) {
    if (actor.kind === "anonymous")
      throw unauthenticated("Sign in with the account of the invited address to see an invitation.");
    return presentOffer(app, await loadOwnInvitation(app, actor, token, "read an invitation"), true);
  }
  if (actor.kind === "anonymous") return presentOffer(app, await loadInvitation(app, token), null);
  const account = await loadAccount(app, requireUnrestricted(actor, "read an invitation"));
  const open = await loadInvitation(app, token);
  return presentOffer(app, open, open.invitation.emailKey === account.emailKey);
}

/** The offer as its holder sees it; `matches` is null for a visitor. */
export async function presentOffer(
  app: App,
  { invitation, tenant, link }: OpenInvitation,
  matches: boolean | null,
): Promise<InvitationOfferPayload> {
  const { role, teamIds, email } = invitation;
  const [roles, teams] = await Promise.all([
    isId(role) ? app.storage.roles.listByIds([role]) : [],
    matches === true && teamIds.length > 0 ? app.storage.teams.listByIds(teamIds) : [],
  ]);
  return {
    id: invitation._id,
    organization: { id: tenant._id, slug: tenant.slug, name: tenant.name },
    invitedBy: invitation.invitedBy.name,
    role,
    roleName: roles.find((one) => one.tenantId === tenant._id)?.name ?? role,
    teams:
      matches === true
        ? teams.filter((team) => team.tenantId === tenant._id).map((team) => team.name)
        : undefined,
    email: matches === true ? email : maskAddress(email),
    matches,
    canSignUp: link !== undefined || (await signUpMode(app)) === "open",
    createdAt: invitation.createdAt.toISOString(),
    expiresAt: invitation.expiresAt.toISOString(),
  };
}
