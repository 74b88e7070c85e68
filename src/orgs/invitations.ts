/** Invitations as the organization has them: invite, list, revoke. What the invited do with them is in `join.ts`. */
import { limits } from "../../contract/limits.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import type { InvitationDoc, InvitationOffer } from "../../storage/invitations.ts";
import { outboxFields, type EventRow } from "../../storage/outbox.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import { actorId, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { Page } from "../http/route.ts";
import { foldName } from "../users/schema.ts";
import {
  permissionsOfOffer,
  permissionsOfRoles,
  requirePermissions,
  requireTeamAccess,
} from "./permission-checks.ts";
import { requireConfirmedSender, takeSenderBudget } from "./invitation-budget.ts";
import { IdCursor, type CreateInvitation, type ListQuery } from "./schema.ts";
import { loadTenant } from "./service.ts";

/**
 * Invites an address, for `limits.invitationMs`. One that is invited already gets the new offer in place of the old
 * one. Throws `already_exists` for a member, `limit_reached`, or `forbidden` for what the caller does not hold.
 */
export async function invite(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateInvitation,
): Promise<InvitationDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:invite");
  await requireMayOffer(app, actor, tenant._id, input);
  await requireConfirmedSender(app, actor, tenant);
  const emailKey = foldName(input.email);
  await refuseMember(app, tenant, emailKey, input.email);
  const mailId = app.newId();
  for (;;) {
    const pending = await app.storage.invitations.findPending(tenant._id, emailKey);
    const invitation = pending
      ? await renew(app, actor, tenant, pending, input, mailId)
      : await insert(app, actor, tenant, emailKey, input, mailId);
    // A concurrent call was faster with this address: each round is one such call.
    if (!invitation) continue;
    if (invitation.mailDueSince) sendInvitation(app, invitation._id);
    return invitation;
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

async function refuseMember(app: App, tenant: TenantDoc, emailKey: string, email: string): Promise<void> {
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
  input: CreateInvitation,
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
  return invitation;
}

/** Who replaces an offer must hold the old one as well: an owner's invitation is no administrator's to lower. */
async function renew(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  pending: InvitationDoc,
  input: CreateInvitation,
  mailId: string,
): Promise<InvitationDoc | undefined> {
  requirePermissions(actor, tenant._id, await permissionsOfOffer(app, pending), "change this invitation");
  const { mailedAt } = pending;
  const isMailedJustNow =
    mailedAt !== undefined && app.now().getTime() - mailedAt.getTime() < limits.invitationMailMs;
  // A mail that waits already is sent with the new offer.
  const isDue = !isMailedJustNow && !pending.mailDueSince;
  if (isDue) await takeSenderBudget(app, actor, tenant, mailId);
  const event = invitedEvent(app, actor, tenant, pending._id, input);
  const offer = { ...offerOf(app, actor, input), ...(isDue ? { mailDueSince: app.now() } : {}) };
  const renewed = await app.storage.invitations.renew(pending._id, pending.revision, offer, [event]);
  if (!renewed) return undefined;
  flushEvents(app, app.storage.invitations, pending._id, [event]);
  return renewed;
}

function offerOf(app: App, actor: Actor, input: CreateInvitation): InvitationOffer {
  const now = app.now();
  const name = actor.kind === "user" ? actor.username : actor.kind === "organization" ? actor.tokenName : "";
  return {
    email: input.email,
    role: input.role,
    teamIds: input.teamIds,
    invitedBy: { id: actorId(actor), name },
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
    metadata: { email, role, ...(teamIds.length > 0 ? { teamIds } : {}) },
  });
}

/** The mail goes out by a job; one that gets lost is made again by the reconcile job. */
function sendInvitation(app: App, invitationId: string): void {
  app.background("send an invitation", () =>
    app.queue.enqueue("mail.invitation", { invitationId }, { jobId: invitationId }),
  );
}

/** A page of the open invitations, newest first; those that ran out are among them for a while. */
export async function listInvitations(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ListQuery,
): Promise<Page<InvitationDoc>> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:invite");
  const [after] = decodeCursor(input.cursor, IdCursor) ?? [];
  const rows = await app.storage.invitations.list(tenant._id, after, input.limit + 1);
  const shown = rows.slice(0, input.limit);
  const last = rows.length > input.limit ? shown.at(-1) : undefined;
  return new Page(shown, last ? encodeCursor([last._id]) : null);
}

/** Takes an open invitation back: from this write on its link is worth nothing. */
export async function revokeInvitation(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:invite");
  for (;;) {
    const invitation = isId(id) ? await app.storage.invitations.find(id) : null;
    if (invitation?.tenantId !== tenant._id || !invitation.pending) throw notFound("invitation", id);
    requirePermissions(
      actor,
      tenant._id,
      await permissionsOfOffer(app, invitation),
      "revoke this invitation",
    );
    const event = makeEvent(app, actor, "organization.invitation_revoked", {
      tenantId: tenant._id,
      resourceType: "invitation",
      resourceId: id,
      metadata: { email: invitation.email, role: invitation.role },
    });
    const end = { state: "revoked", endedAt: app.now() } as const;
    if (!(await app.storage.invitations.end(id, invitation.revision, end, [event]))) continue;
    flushEvents(app, app.storage.invitations, id, [event]);
    return;
  }
}
