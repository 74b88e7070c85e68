/** Members of an organization: list, change of role, removal, leaving. */
import { setTimeout as pause } from "node:timers/promises";
import type { MembershipDoc } from "../../storage/memberships.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { isId } from "../../storage/database.ts";
import type { Account } from "../../storage/users.ts";
import type { Actor } from "../access/actor.ts";
import { decideTenant } from "../access/decide.ts";
import { ownerRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { makeEvent, makeSystemEvent, flushEvents } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { Page } from "../http/route.ts";
import { requireUnrestricted } from "../users/load.ts";
import { foldName } from "../users/schema.ts";
import { permissionsOfMember, permissionsOfRoles, requirePermissions } from "./permission-checks.ts";
import { enlistOwner, isLastOwner, lastOwner, releaseOwner, finishOwnerChange } from "./owners.ts";
import { MemberCursor, type ChangeMember, type MemberQuery } from "./schema.ts";
import { loadTenant } from "./service.ts";

/** A member with the account as it is now, and its address for those who may change members. */
export interface Member {
  membership: MembershipDoc;
  /** Undefined for one that is just being removed. */
  account: Account | undefined;
  showsEmail: boolean;
}

/** How often a change is retried when the member has changed concurrently. */
const attempts = 8;
const pauseMs = 5;

/** A page of members, by user name; with `teamId` those of a team. */
export async function listMembers(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: MemberQuery,
  teamId?: string,
): Promise<Page<Member>> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  const at = decodeCursor(input.cursor, MemberCursor);
  const rows = await app.storage.memberships.list({
    tenantId: tenant._id,
    ...(input.query === undefined ? {} : { prefix: foldName(input.query) }),
    ...(teamId === undefined ? {} : { teamId }),
    ...(at ? { after: { username: at[0], id: at[1] } } : {}),
    limit: input.limit + 1,
  });
  const shown = rows.slice(0, input.limit);
  const last = rows.length > input.limit ? shown.at(-1) : undefined;
  const accounts = await app.storage.users.listByIds(shown.map((row) => row.userId));
  const showsEmail = decideTenant(actor, "member:update", tenant._id) === "allowed";
  const byId = new Map(accounts.map((account) => [account._id, account]));
  const members = shown.map((membership) => ({
    membership,
    account: byId.get(membership.userId),
    showsEmail,
  }));
  return new Page(members, last ? encodeCursor([last.username, last._id]) : null);
}

/**
 * Gives a member another role. The caller must hold both what the member has and what the role gives. Throws
 * `last_owner` if the organization would have no owner left.
 */
export async function changeMember(
  app: App,
  actor: Actor,
  tenantRef: string,
  userId: string,
  input: ChangeMember,
): Promise<Member> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:update");
  const given = await permissionsOfRoles(app, tenant._id, [input.role]);
  requirePermissions(actor, tenant._id, given, "give this role");
  const membership = await onMember(app, tenant._id, userId, async (member) => {
    if (member.role === input.role) return member;
    requirePermissions(actor, tenant._id, await permissionsOfMember(app, member), "change this member");
    const event = makeEvent(app, actor, "organization.member_role_updated", {
      tenantId: tenant._id,
      resourceType: "user",
      resourceId: userId,
      metadata: { username: member.username, from: member.role, to: input.role },
    });
    const becomesOwner = input.role === ownerRole;
    if (member.role === ownerRole) await releaseOwner(app, member);
    const fields = { role: input.role, ...(becomesOwner ? { enlisting: app.now() } : {}) };
    const changed = await app.storage.memberships.change(member._id, member.revision, fields, [event]);
    if (!changed) return undefined;
    if (becomesOwner) await enlistOwner(app, changed);
    if (member.role === ownerRole) finishOwnerChange(app, tenant._id);
    flushEvents(app, app.storage.memberships, member._id, [event]);
    return changed;
  });
  const account = (await app.storage.users.find(userId)) ?? undefined;
  return { membership, account, showsEmail: true };
}

/**
 * Ends a membership: another member's, which requires the permission and all permissions that they have, or the
 * caller's own. From this write on the person has no access to the organization; a job removes what depended on the
 * membership.
 */
export async function removeMember(app: App, actor: Actor, tenantRef: string, userId: string): Promise<void> {
  if (actor.kind === "user" && actor.userId === userId) {
    requireUnrestricted(actor, "leave an organization");
    const tenant = await loadTenant(app, actor, tenantRef, "member");
    return endMembership(app, tenant._id, userId, (member) =>
      departure(app, actor, "organization.member_left", member),
    );
  }
  const tenant = await loadTenant(app, actor, tenantRef, "member:remove");
  return endMembership(app, tenant._id, userId, async (member) => {
    requirePermissions(actor, tenant._id, await permissionsOfMember(app, member), "remove this member");
    return departure(app, actor, "organization.member_removed", member);
  });
}

/**
 * Ends a membership with an event that is made of it. Throws `not_found`, `last_owner` or what `eventOf` throws. With
 * `evenLast` the last owner goes too: where the organization is going anyway.
 */
export async function endMembership(
  app: App,
  tenantId: string,
  userId: string,
  eventOf: (member: MembershipDoc) => EventRow | Promise<EventRow>,
  options: { evenLast?: boolean } = {},
): Promise<void> {
  await onMember(app, tenantId, userId, async (member) => {
    const event = await eventOf(member);
    const isOwner = member.role === ownerRole;
    if (isOwner && !options.evenLast) await releaseOwner(app, member);
    const { memberships } = app.storage;
    if (!(await memberships.markRemoved(member._id, member.revision, app.now(), [event]))) return undefined;
    if (isOwner) finishOwnerChange(app, tenantId);
    flushEvents(app, memberships, member._id, [event]);
    afterMemberLeft(app, { tenantId, userId });
    return member;
  });
}

/**
 * Ends every membership of an account that is being removed. Looks at all of them before it ends one: throws
 * `last_owner`, with `details.organizations`, where one of them would be left without an owner. An organization that is
 * to be erased needs none.
 */
export async function leaveAllTenants(app: App, userId: string): Promise<void> {
  const [account, rows] = await Promise.all([
    app.storage.users.find(userId),
    app.storage.memberships.listOfUser(userId),
  ]);
  const owned = rows.filter((row) => row.role === ownerRole && !row.tenantDeletionAt);
  const blocked: MembershipDoc[] = [];
  for (const row of owned) if (await isLastOwner(app, row)) blocked.push(row);
  if (blocked.length > 0)
    throw lastOwner(blocked.map((row) => ({ id: row.tenantId, slug: row.tenantSlug, name: row.tenantName })));
  for (const row of rows) {
    await endMembership(
      app,
      row.tenantId,
      userId,
      (member) => ({
        ...makeSystemEvent(app, "organization.member_left", departed(member)),
        userId,
        actor: { type: "user", id: userId, name: account?.username ?? member.username },
      }),
      { evenLast: row.tenantDeletionAt !== undefined },
    );
  }
}

function departure(
  app: App,
  actor: Actor,
  name: "organization.member_left" | "organization.member_removed",
  member: MembershipDoc,
): EventRow {
  return makeEvent(app, actor, name, departed(member));
}

const departed = ({ tenantId, userId, username, role }: MembershipDoc) => ({
  tenantId,
  resourceType: "user" as const,
  resourceId: userId,
  metadata: { username, role },
});

/**
 * Queues the clean-up after a member who left (`workers/orgs/member-left.ts`). Until it is done the person can't join
 * again, so that no former access comes back with them.
 */
export function afterMemberLeft(app: App, member: { tenantId: string; userId: string }): void {
  app.background("clean up after a member", () =>
    app.queue.enqueue("orgs.member-left", member, { jobId: `${member.tenantId}.${member.userId}` }),
  );
}

/** Changes a member as read, and retries as long as they change concurrently (`undefined`). */
export async function onMember(
  app: App,
  tenantId: string,
  userId: string,
  change: (member: MembershipDoc) => Promise<MembershipDoc | undefined>,
): Promise<MembershipDoc> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const member = isId(userId) ? await app.storage.memberships.find(tenantId, userId) : null;
    if (!member) throw notFound("member", userId);
    const changed = member.enlisting ? undefined : await change(member);
    if (changed) return changed;
    await pause(attempt * pauseMs);
  }
  throw new ServiceError("conflict", "This member is being changed concurrently: try again.", {
    kind: "member",
    ref: userId,
  });
}
