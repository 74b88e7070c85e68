/** The mail that brings an invitation's link to the invited address, and nowhere else. */
import type { App } from "../app.ts";
import { composeMail, inertName } from "../mail/compose.ts";
import { MailError, sendMail } from "../mail/mailer.ts";
import { invitationToken } from "./join.ts";

/** Sends the mail that is due of an invitation; none where it is over, or its mail went out. */
export async function mailInvitation(app: App, invitationId: string): Promise<void> {
  const { invitations, tenants } = app.storage;
  const invitation = await invitations.find(invitationId);
  const due = invitation?.mailDueSince;
  if (!invitation?.pending || !due || invitation.expiresAt <= app.now()) return;
  const tenant = await tenants.find(invitation.tenantId);
  if (!tenant || tenant.deletionAt) return;
  const { baseUrl } = app.config;
  const name = inertName(tenant.name);
  const mail = composeMail(baseUrl, {
    subject: `Invitation to ${name}`,
    before: [
      `${inertName(invitation.invitedBy.name)} invites you to the organization ${name} (${tenant.slug}).`,
      "Sign in, or create an account with this address, to accept or decline.",
    ],
    link: { label: "See the invitation", url: `${baseUrl}/invitations/${invitationToken(app, invitation)}` },
    after: [
      `The invitation is for this address alone and holds until ${invitation.expiresAt.toUTCString()}.`,
      "If you do not know who sent it, leave it unanswered: nothing happens then.",
    ],
  });
  try {
    await sendMail(app, { to: invitation.email, ...mail });
  } catch (error) {
    // An address that the server refuses for good is told in the list of invitations.
    if (error instanceof MailError && !error.retryable)
      await invitations.noteMail(invitationId, due, { mailFailedAt: app.now() });
    throw error;
  }
  await invitations.noteMail(invitationId, due, { mailedAt: app.now() });
}
