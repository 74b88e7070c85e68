/** Sends an open invitation again. The caller becomes its sender, and it gives no more than the caller holds. */
import { limits } from "../../../contract/limits.ts";
import { isId } from "../../../storage/database.ts";
import type { InvitationDoc } from "../../../storage/organizations/invitations.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { loadTenant } from "../service.ts";
import { requireConfirmedSender } from "./budget.ts";
import { refuseMember, renewInvitation, requireMayOffer } from "./invite.ts";

/**
 * Renews an open invitation with its own offer. Throws `rate_limited` within the pause between two mails to one
 * address; a mail that still waits is not sent twice.
 */
export async function resendInvitation(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<InvitationDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:invite");
  const mailId = app.newId();
  for (;;) {
    const pending = isId(id) ? await app.storage.invitations.find(id) : null;
    if (pending?.tenantId !== tenant._id || !pending.pending) throw notFound("invitation", id);
    const { email, role, teamIds } = pending;
    await requireMayOffer(app, actor, tenant._id, pending);
    await requireConfirmedSender(app, actor, tenant);
    await refuseMember(app, tenant, pending.emailKey, email);
    requirePauseOver(app, pending);
    const renewed = await renewInvitation(app, actor, tenant, pending, { email, role, teamIds }, mailId);
    if (renewed) return renewed;
  }
}

function requirePauseOver(app: App, { email, mailedAt, mailDueSince }: InvitationDoc): void {
  if (!mailedAt || mailDueSince) return;
  const until = new Date(mailedAt.getTime() + limits.invitationMailMs);
  const waitMs = until.getTime() - app.now().getTime();
  if (waitMs <= 0) return;
  throw new ServiceError(
    "rate_limited",
    `The invitation of ${email} was mailed just now. Try again after ${until.toISOString()}.`,
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
}
