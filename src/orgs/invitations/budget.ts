/**
 * Limits of the mails that invitations send. A sender needs a confirmed address; sender and organization have a budget
 * that refuses an invitation, and the recipient has one that makes its mail wait.
 */
import { limits } from "../../../contract/limits.ts";
import type { InvitationDoc } from "../../../storage/organizations/invitations.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import { actorId, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, forbidden } from "../../errors.ts";
import { hashSecret } from "../../secrets.ts";

const dayMs = 86_400_000;

/** Throws `forbidden` unless the sender has a confirmed address; an organization's token counts as its owners. */
export async function requireConfirmedSender(app: App, actor: Actor, tenant: TenantDoc): Promise<void> {
  const ids = actor.kind === "user" ? [actor.userId] : tenant.ownerIds;
  const accounts = await app.storage.users.listByIds(ids);
  if (accounts.some(({ emailVerifiedAt }) => emailVerifiedAt !== undefined)) return;
  throw forbidden(
    actor.kind === "user"
      ? "Your e-mail address is not confirmed. Open the link in the confirmation mail, or send it again in Settings, Account."
      : `No owner of "${tenant.slug}" has a confirmed e-mail address. One of them must confirm theirs first.`,
    { kind: "invitation", reason: "address_unconfirmed" },
  );
}

/** Takes a mail from the budgets of the sender and the organization. Throws `rate_limited`. */
export async function takeSenderBudget(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  mailId: string,
): Promise<void> {
  const { inviter, organization } = limits.invitationMails;
  for (const [key, limit, whose] of [
    [`inviter:${actorId(actor)}`, inviter, "You have"],
    [`organization:${tenant._id}`, organization, `"${tenant.slug}" has`],
  ] as const) {
    const now = app.now();
    const until = await app.storage.mailBudgets.take(key, mailId, { limit, windowMs: dayMs }, now);
    if (!until) continue;
    const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
    throw new ServiceError(
      "rate_limited",
      `${whose} sent ${limit} invitations in 24 hours, which is the limit. Try again after ${until.toISOString()}.`,
      { retryAfterSeconds, limit },
    );
  }
}

/**
 * Takes the mail of an invitation from its recipient's budget. Returns the time until which the mail has to wait, if
 * any.
 */
export async function takeRecipientBudget(
  app: App,
  { _id, emailKey }: InvitationDoc,
  due: Date,
): Promise<Date | undefined> {
  const budget = {
    limit: limits.invitationMails.recipient,
    windowMs: dayMs,
    pauseMs: limits.invitationMailMs,
  };
  return app.storage.mailBudgets.take(recipientKey(emailKey), mailIdOf(_id, due), budget, app.now());
}

/** Gives back the mail of an invitation whose address the mail server refuses. */
export async function giveBackRecipientBudget(
  app: App,
  { _id, emailKey }: InvitationDoc,
  due: Date,
): Promise<void> {
  await app.storage.mailBudgets.giveBack(recipientKey(emailKey), mailIdOf(_id, due));
}

const recipientKey = (emailKey: string) => `recipient:${hashSecret(emailKey)}`;
const mailIdOf = (invitationId: string, due: Date) => `${invitationId}:${due.getTime()}`;
