/** The membership of an account that an invitation, an identity provider or auto-join has made a member. */
import { setTimeout as pause } from "node:timers/promises";
import { isDuplicate } from "../../../storage/database.ts";
import { hasReviewRules, type MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import { outboxFields, type EventRow } from "../../../storage/outbox.ts";
import type { Account } from "../../../storage/users/users.ts";
import { ownerRole } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { flushEvents } from "../../audit/events.ts";
import { perApp } from "../../per-app.ts";
import { memberNames, propagateUser } from "../../users/member-names.ts";
import { enlistOwner } from "../owners.ts";
import { propagateTenant } from "../propagate.ts";

export interface NewMember {
  /** Id of the membership, so that any number of attempts create one. */
  id: string;
  tenantId: string;
  userId: string;
  role: string;
  teamIds: readonly string[];
  createdAt: Date;
  /** The sign-in through an identity provider that makes the account a member. */
  sso?: MembershipDoc["sso"];
  /** Events that are recorded with the membership, if this call creates it. */
  events?: EventRow[];
}

/**
 * Creates a membership unless the account is a member. Teams of other organizations and deleted ones are left out. The
 * caller has checked that the account may join, and repeats the call after a crash. `known` need not be current: both
 * are read again after the write, as if they had been read right before it.
 */
export async function createMembership(
  app: App,
  member: NewMember,
  known: { tenant?: TenantDoc; account?: Account } = {},
): Promise<void> {
  const { tenants, users, teams, memberships } = app.storage;
  const { id, tenantId, userId, role, teamIds, createdAt, sso, events = [] } = member;
  const [tenant, account, offered] = await Promise.all([
    known.tenant ?? tenants.find(tenantId),
    known.account ?? users.find(userId),
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
      sso,
      ...(events.length > 0 ? outboxFields(events) : {}),
      ...(role === ownerRole ? { enlisting: app.now(), pendingSince: app.now() } : {}),
      tenantDeletionAt: tenant.deletionAt,
      tenantMaxTokenDays: tenant.maxTokenDays,
      tenantReviews: hasReviewRules(tenant) || undefined,
      tenantFactorFrom: tenant.mfaRequirement?.from,
      tenantSsoProviderIds: tenant.ssoProviderIds?.length ? tenant.ssoProviderIds : undefined,
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return;
  }
  if (role === ownerRole) {
    const made = await memberships.find(tenantId, account._id);
    if (made?.enlisting) await enlistOwner(app, made);
  }
  const isCurrent = await followChanges(app, { tenant, account });
  // An owner is released by the end of the account or organization, which needs the row.
  if (!isCurrent && role !== ownerRole) return memberships.remove(id);
  if (events.length > 0) flushEvents(app, memberships, id, events);
  afterMemberJoined(app, tenantId);
}

/**
 * The fields that the row repeats may have changed between the read and the write. False if the organization or the
 * account is gone.
 */
async function followChanges(app: App, read: { tenant: TenantDoc; account: Account }): Promise<boolean> {
  const { tenants, users } = app.storage;
  const [tenant, account] = await Promise.all([tenants.find(read.tenant._id), users.find(read.account._id)]);
  if (!tenant || tenant.erasing || !account) return false;
  if (tenant.updatedAt.getTime() !== read.tenant.updatedAt.getTime()) await propagateTenant(app, tenant);
  if (account.username !== read.account.username || account.name !== read.account.name)
    await propagateUser(app, account);
  return true;
}

/** Time in which members join together: one job serves them all. */
const collectMs = 100;
const collecting = perApp(() => new Set<string>());

/**
 * Queues the creation of a new member's workspace, if the organization has workspaces. Enabling them queues it too, and
 * the reconcile job does.
 */
function afterMemberJoined(app: App, tenantId: string): void {
  const waiting = collecting(app);
  if (waiting.has(tenantId)) return;
  waiting.add(tenantId);
  app.background("queue what a new member gets", async () => {
    await pause(collectMs);
    // From here on, a member who joins starts the next one.
    waiting.delete(tenantId);
    const settings = await app.storage.workspaceSettings.find(tenantId);
    if (settings) await app.queue.enqueue("workspaces.sync", { tenantId }, { jobId: tenantId });
  });
}
