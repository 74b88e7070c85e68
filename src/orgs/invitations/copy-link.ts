/** The link of an invitation that its sender hands over. */
import { isId } from "../../../storage/database.ts";
import type { InvitationDoc } from "../../../storage/organizations/invitations.ts";
import { actorId, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { loadTenant } from "../service.ts";
import { requireConfirmedSender } from "./budget.ts";
import { renewInvitation, requireMayOffer } from "./invite.ts";
import { copiedToken } from "./load.ts";

/**
 * The link to an open invitation. While mails are files, it lets its holder create the account and join, so the caller
 * becomes the sender, and it gives no more than the caller holds. Otherwise, it is the page of the invitation.
 */
export async function copyLink(app: App, actor: Actor, tenantRef: string, id: string): Promise<string> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:invite");
  for (;;) {
    const pending = isId(id) ? await app.storage.invitations.find(id) : null;
    if (pending?.tenantId !== tenant._id || !pending.pending) throw notFound("invitation", id);
    await requireMayOffer(app, actor, tenant._id, pending);
    const isOwn = pending.invitedBy.id === actorId(actor) && pending.expiresAt > app.now();
    if (isOwn || !isHandedOver(app, pending)) return linkOf(app, pending);
    await requireConfirmedSender(app, actor, tenant);
    const { email, role, teamIds } = pending;
    const renewed = await renewInvitation(app, actor, tenant, pending, { email, role, teamIds });
    if (renewed) return linkOf(app, renewed);
  }
}

/** The link of an invitation, for a caller who has just made its offer. */
export function linkOf(app: App, invitation: InvitationDoc): string {
  const token = isHandedOver(app, invitation) ? copiedToken(app, invitation) : invitation._id;
  return `${app.config.baseUrl}/invitations/${token}`;
}

/** Whether the sender brings the link: no mail server does, and the identity provider has not invited the person. */
const isHandedOver = (app: App, { provisioned }: InvitationDoc): boolean =>
  app.mail.kind === "file" && !provisioned;
