/** The membership of an account that an invitation, an identity provider or auto-join has made a member. */
import { isDuplicate } from "../../storage/database.ts";
import { outboxFields, type EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { ownerRole } from "../access/permissions.ts";
import { flushEvents } from "../audit/events.ts";
import { memberNames, propagateUser } from "../users/member-names.ts";
import { enlistOwner } from "./owners.ts";
import { propagateTenant } from "./propagate.ts";

export interface NewMember {
  /** Id of the membership, so that any number of attempts create one. */
  id: string;
  tenantId: string;
  userId: string;
  role: string;
  teamIds: readonly string[];
  createdAt: Date;
  /** Events that are recorded with the membership, if this call creates it. */
  events?: EventRow[];
}

/**
 * Creates a membership unless the account is a member. Teams of other organizations and deleted ones are left out. The
 * caller has checked that the account may join, and repeats the call after a crash.
 */
export async function createMembership(app: App, member: NewMember): Promise<void> {
  const { tenants, users, teams, memberships } = app.storage;
  const { id, tenantId, userId, role, teamIds, createdAt, events = [] } = member;
  const [tenant, account, offered] = await Promise.all([
    tenants.find(tenantId),
    users.find(userId),
    teamIds.length > 0 ? teams.listByIds([...teamIds]) : [],
  ]);
  if (!tenant || tenant.erasing || !account) return;
  try {
    await memberships.insert({
      _id: id,
      tenantId,
      tenantSlug: tenant.slug,
      tenantName: tenant.name,
      userId: account._id,
      ...memberNames(account),
      role,
      teamIds: offered.filter((team) => team.tenantId === tenantId).map((team) => team._id),
      createdAt,
      ...(events.length > 0 ? outboxFields(events) : {}),
      ...(role === ownerRole ? { enlisting: app.now(), unsettledAt: app.now() } : {}),
      tenantDeletionAt: tenant.deletionAt,
      tenantMaxTokenDays: tenant.maxTokenDays,
      ...(tenant.mfaRequirement ? { tenantFactorFrom: tenant.mfaRequirement.from } : {}),
      ...(tenant.ssoProviderIds?.length ? { tenantSsoProviderIds: tenant.ssoProviderIds } : {}),
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return;
  }
  if (role === ownerRole) {
    const made = await memberships.find(tenantId, account._id);
    if (made?.enlisting) await enlistOwner(app, made);
  }
  // The fields that the row repeats may have changed between the read and the write.
  const now = await tenants.find(tenantId);
  if (now && now.updatedAt.getTime() !== tenant.updatedAt.getTime()) await propagateTenant(app, now);
  await propagateUser(app, account);
  if (events.length > 0) flushEvents(app, memberships, id, events);
  afterMemberJoined(app, tenantId);
}

/** Queues the creation of a new member's workspace. The reconcile job does it as well. */
function afterMemberJoined(app: App, tenantId: string): void {
  app.background("queue what a new member gets", () =>
    app.queue.enqueue("workspaces.sync", { tenantId }, { jobId: tenantId }),
  );
}
