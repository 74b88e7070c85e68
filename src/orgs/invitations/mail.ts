/** The mail that brings an invitation's link to the invited address, and nowhere else. */
import type { App } from "../../app.ts";
import { composeMail, installHint, quotedName } from "../../mail/compose.ts";
import { MailError } from "../../mail/mailer.ts";
import { giveBackRecipientBudget, takeRecipientBudget } from "./budget.ts";
import { invitationToken } from "./load.ts";

/** Sends the mail that is due of an invitation; none where it is over, or its mail went out. */
export async function mailInvitation(app: App, invitationId: string): Promise<void> {
  const { invitations, tenants } = app.storage;
  const invitation = await invitations.find(invitationId);
  const due = invitation?.mailDueSince;
  if (!invitation?.pending || !due || due > app.now() || invitation.expiresAt <= app.now()) return;
  const tenant = await tenants.find(invitation.tenantId);
  if (!tenant || tenant.deletionAt) return;
  const until = await takeRecipientBudget(app, invitation, due);
  if (until) return invitations.postponeMail(invitationId, due, until);
  const { baseUrl } = app.config;
  const name = quotedName(tenant.name);
  const mail = composeMail(baseUrl, {
    subject: `Invitation to ${name}`,
    before: [
      `${quotedName(invitation.invitedBy.name)} invites you to the organization ${name} (${tenant.slug}).`,
      "Sign in, or create an account with this address, to accept or decline.",
    ],
    link: { label: "See the invitation", url: `${baseUrl}/invitations/${invitationToken(app, invitation)}` },
    after: [
      `The invitation is for this address alone and holds until ${invitation.expiresAt.toUTCString()}.`,
      "If you do not know who sent it, leave it unanswered: nothing happens then.",
    ],
    command: installHint(baseUrl),
  });
  try {
    await app.mail.send({ to: invitation.email, ...mail });
  } catch (error) {
    // The list of invitations reports an address that the server refuses permanently.
    if (error instanceof MailError && !error.retryable) {
      await giveBackRecipientBudget(app, invitation, due);
      await invitations.noteMail(invitationId, due, { mailFailedAt: app.now() });
    }
    throw error;
  }
  await invitations.noteMail(invitationId, due, { mailedAt: app.now() });
}
