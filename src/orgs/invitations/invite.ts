/** Inviting an address to an organization, and renewing its invitation. */
import { limits } from "../../../contract/limits.ts";
import { isDuplicate } from "../../../storage/database.ts";
import type { InvitationDoc, InvitationOffer } from "../../../storage/organizations/invitations.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import { outboxFields, type EventRow } from "../../../storage/outbox.ts";
import { actorId, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent, flushEvents } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { foldName } from "../../users/schema.ts";
import {
  permissionsOfOffer,
  permissionsOfRoles,
  requirePermissions,
  requireTeamAccess,
} from "../permission-checks.ts";
import type { CreateInvitation } from "../schema.ts";
import { loadTenant } from "../service.ts";
import { requireConfirmedSender, takeSenderBudget } from "./budget.ts";

/** The offer. `provisioned`: in the name of the identity provider. */
export type InvitationInput = CreateInvitation & Pick<InvitationDoc, "provisioned">;

/**
 * Invites an address, for `limits.invitationMs`. If it is already invited, the new offer replaces the previous one.
 * Throws `already_exists` for a member, `limit_reached`, or `forbidden` if the offer exceeds the caller's permissions.
 */
export async function invite(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: InvitationInput,
): Promise<InvitationDoc> {
  return inviteAddress(app, actor, await loadForOffer(app, actor, tenantRef, input), input);
}

/** The organization, for a caller who may make this offer to any address. */
export async function loadForOffer(
  app: App,
  actor: Actor,
  tenantRef: string,
  offer: Pick<InvitationDoc, "role" | "teamIds">,
): Promise<TenantDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:invite");
  await requireMayOffer(app, actor, tenant._id, offer);
  await requireConfirmedSender(app, actor, tenant);
  return tenant;
}

/** Invites an address, or renews its invitation, once the caller may make the offer. */
export async function inviteAddress(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  input: InvitationInput,
): Promise<InvitationDoc> {
  const emailKey = foldName(input.email);
  await refuseMember(app, tenant, emailKey, input.email);
  const mailId = app.newId();
  for (;;) {
    const pending = await app.storage.invitations.findPending(tenant._id, emailKey);
    const invitation = pending
      ? await renewInvitation(app, actor, tenant, pending, input, mailId)
      : await insert(app, actor, tenant, emailKey, input, mailId);
    // A concurrent call has invited or renewed this address: each round is one such call.
    if (invitation) return invitation;
  }
}

/**
 * Throws `forbidden` unless the caller holds everything that an invitation gives; checked again when it is accepted.
 */
export async function requireMayOffer(
  app: App,
  actor: Actor,
  tenantId: string,
  { role, teamIds }: Pick<InvitationDoc, "role" | "teamIds">,
): Promise<void> {
  const offered = await permissionsOfRoles(app, tenantId, [role]);
  requirePermissions(actor, tenantId, offered, "invite with this role");
  if (teamIds.length === 0) return;
  await loadTenant(app, actor, tenantId, "team:update");
  await requireTeamAccess(app, actor, tenantId, teamIds, "invite into this team");
}

/** Throws `already_exists` if the address is that of a member. */
export async function refuseMember(
  app: App,
  tenant: TenantDoc,
  emailKey: string,
  email: string,
): Promise<void> {
  const account = await app.storage.users.findCredentials(emailKey);
  if (!account || !(await app.storage.memberships.find(tenant._id, account._id))) return;
  throw new ServiceError("already_exists", `${email} is a member of "${tenant.slug}" already.`, {
    kind: "member",
    ref: account._id,
  });
}

async function insert(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  emailKey: string,
  input: InvitationInput,
  mailId: string,
): Promise<InvitationDoc | undefined> {
  if ((await app.storage.invitations.countPending(tenant._id, app.now())) >= limits.pendingInvitations) {
    const limit = limits.pendingInvitations;
    throw new ServiceError(
      "limit_reached",
      `"${tenant.slug}" has ${limit} invitations open: revoke some, or wait until they run out.`,
      { limit },
    );
  }
  await takeSenderBudget(app, actor, tenant, mailId);
  const id = app.newId();
  const event = invitedEvent(app, actor, tenant, id, input);
  const invitation: InvitationDoc = {
    _id: id,
    tenantId: tenant._id,
    emailKey,
    state: "pending",
    pending: true,
    revision: 0,
    ...offerOf(app, actor, input),
    mailDueSince: app.now(),
    ...outboxFields([event]),
  };
  try {
    await app.storage.invitations.insert(invitation);
  } catch (error) {
    if (isDuplicate(error, "invitation_pending")) return undefined;
    throw error;
  }
  flushEvents(app, app.storage.invitations, id, [event]);
  sendInvitation(app, id);
  return invitation;
}

/**
 * Renews an invitation; undefined if it was changed concurrently. Requires the permissions of the old offer too: an
 * administrator can't lower an owner's. Without `mailId`, no mail becomes due.
 */
export async function renewInvitation(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  pending: InvitationDoc,
  input: InvitationInput,
  mailId?: string,
): Promise<InvitationDoc | undefined> {
  requirePermissions(actor, tenant._id, await permissionsOfOffer(app, pending), "change this invitation");
  const { mailedAt } = pending;
  const isMailedJustNow =
    mailedAt !== undefined && app.now().getTime() - mailedAt.getTime() < limits.invitationMailMs;
  // A pending mail is sent with the new offer.
  const isDue = mailId !== undefined && !isMailedJustNow && !pending.mailDueSince;
  if (isDue) await takeSenderBudget(app, actor, tenant, mailId);
  const event = invitedEvent(app, actor, tenant, pending._id, input);
  const offer = { ...offerOf(app, actor, input), ...(isDue ? { mailDueSince: app.now() } : {}) };
  const renewed = await app.storage.invitations.renew(pending._id, pending.revision, offer, [event]);
  if (!renewed) return undefined;
  flushEvents(app, app.storage.invitations, pending._id, [event]);
  if (renewed.mailDueSince) sendInvitation(app, renewed._id);
  return renewed;
}

function offerOf(app: App, actor: Actor, input: InvitationInput): InvitationOffer {
  const now = app.now();
  const name = actor.kind === "user" ? actor.username : actor.kind === "organization" ? actor.tokenName : "";
  return {
    email: input.email,
    role: input.role,
    teamIds: input.teamIds,
    invitedBy: { id: actorId(actor), name },
    provisioned: input.provisioned ? true : undefined,
    createdAt: now,
    expiresAt: new Date(now.getTime() + limits.invitationMs),
  };
}

function invitedEvent(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  id: string,
  { email, role, teamIds }: CreateInvitation,
): EventRow {
  return makeEvent(app, actor, "organization.member_invited", {
    tenantId: tenant._id,
    resourceType: "invitation",
    resourceId: id,
    metadata: { email, role, teamIds: teamIds.length > 0 ? teamIds : undefined },
  });
}

/** Queues the mail. The reconcile job queues it again if it was lost. */
function sendInvitation(app: App, invitationId: string): void {
  app.background("send an invitation", () =>
    app.queue.enqueue("mail.invitation", { invitationId }, { jobId: invitationId }),
  );
}
