/** The activation of a user: the decision about its account, and what has to precede its document. */
import type { ScimUserDoc } from "../../../storage/scim/users.ts";
import type { ScimContext } from "../context.ts";
import { decideAccount, findAccount, type AccountDecision, type FoundAccount } from "./account.ts";
import { awaitFormerEnd, requireRoom } from "./apply.ts";
import { isWanted, type UserFields } from "./attributes.ts";
import { isVerifiedDomain } from "./domains.ts";
import { inviteUser } from "./invitation.ts";
import { inviteReasonOf } from "./invite-reason.ts";

/** Removes the marks of an invitation. */
export const notInvited = { invited: null, inviteReason: null, invitationEnded: null } as const;
/** Removes the link to an account, and what belongs to it. */
export const noLink = { ...notInvited, userId: null, createsAccount: null, restore: null } as const;

/**
 * Restores a linked account, if the organization may make it a member without asking. Otherwise it is decided about the
 * account as for a new user.
 */
export async function activate(
  context: ScimContext,
  user: ScimUserDoc,
  fields: UserFields,
): Promise<AccountDecision | undefined> {
  const { app, tenant } = context;
  const account = user.userId === undefined ? null : await app.storage.users.find(user.userId);
  const isOwn =
    account?.emailVerifiedAt !== undefined && (await isVerifiedDomain(app, tenant._id, account.emailKey));
  if (!account || !isOwn) {
    const isAsked = isWanted(user) && user.invitationEnded !== undefined && fields.emailKey === user.emailKey;
    const found = await findAccount(app, tenant._id, fields);
    return prepareAccount(context, fields, found, isAsked ? user.invitationEnded : undefined);
  }
  await requireRoom(app, tenant._id, account._id);
  await awaitFormerEnd(app, tenant._id, account._id);
  return undefined;
}

type Decision = AccountDecision & { ended?: ScimUserDoc["invitationEnded"] };

/**
 * Decides about the account of an active user, and does what has to precede its document. `ended`: the person or the
 * organization has ended the invitation, which is not sent again.
 */
export async function prepareAccount(
  context: ScimContext,
  fields: UserFields,
  found: FoundAccount,
  ended?: ScimUserDoc["invitationEnded"],
): Promise<Decision> {
  const { app, tenant } = context;
  const decision = await decideAccount(app, tenant._id, fields, found);
  if (decision.kind === "invite") {
    if (!ended) await inviteUser(context, fields);
    const state = { invited: true, inviteReason: decision.reason, invitationEnded: ended } as const;
    const reason = inviteReasonOf({ ...fields, ...state });
    if (reason !== undefined) context.logEntry.reason = reason;
    return { ...decision, ended };
  }
  if (decision.kind !== "create") await app.storage.scimUsers.releaseAccount(tenant._id, decision.userId);
  if (decision.kind === "link") return decision;
  const isJoining = decision.kind === "join";
  await requireRoom(app, tenant._id, isJoining ? decision.userId : undefined);
  if (isJoining) await awaitFormerEnd(app, tenant._id, decision.userId);
  return decision;
}

/** The fields of a document that follow from a decision. */
export function linkOf(
  decision: Decision | undefined,
): Partial<
  Pick<ScimUserDoc, "active" | "userId" | "createsAccount" | "invited" | "inviteReason" | "invitationEnded">
> {
  if (!decision) return {};
  if (decision.kind === "invite") {
    const { reason, ended } = decision;
    return {
      active: false,
      invited: true,
      inviteReason: reason,
      invitationEnded: ended,
    };
  }
  const { userId, kind } = decision;
  return { userId, createsAccount: kind === "create" ? true : undefined };
}

const results = {
  create: "account created",
  link: "linked to a member",
  join: "joined by a verified domain",
  invite: "invited",
} as const;

/** The decision in words, for the log. */
export function resultOf(decision: AccountDecision | undefined): string {
  return decision ? results[decision.kind] : "no account, since the user is not active";
}
