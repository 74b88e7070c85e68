/** Ending of memberships: removal by another member, leaving, and the deletion of an account. */
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { Actor } from "../../access/actor.ts";
import { ownerRole } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent, makeSystemEvent } from "../../audit/events.ts";
import { requireUnrestricted } from "../../users/load.ts";
import { includeWithheld } from "../../users/requirements.ts";
import { finishOwnerChange, isLastOwner, lastOwner, releaseOwner } from "../owners.ts";
import { permissionsOfMember, requirePermissions } from "../permission-checks.ts";
import { loadTenant } from "../service.ts";
import { onMember } from "./members.ts";

/**
 * Ends a membership: another member's, which requires the permission and all permissions that they have, or the
 * caller's own. From this write on the person has no access to the organization; a job removes what depended on the
 * membership.
 */
export async function removeMember(app: App, actor: Actor, tenantRef: string, userId: string): Promise<void> {
  if (actor.kind === "user" && actor.userId === userId) {
    requireUnrestricted(actor, "leave an organization");
    const tenant = await loadTenant(app, includeWithheld(actor), tenantRef, "member");
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
 * Ends a membership with the event that `eventOf` returns, if any. Throws `not_found` or `last_owner`, and passes on
 * errors of `eventOf`. `evenLast` also removes the last owner, of an organization that is to be erased.
 */
export async function endMembership(
  app: App,
  tenantId: string,
  userId: string,
  eventOf: (member: MembershipDoc) => EventRow | undefined | Promise<EventRow | undefined>,
  options: { evenLast?: boolean } = {},
): Promise<void> {
  await onMember(app, tenantId, userId, async (member) => {
    const event = await eventOf(member);
    const events = event ? [event] : [];
    const isOwner = member.role === ownerRole;
    if (isOwner && !options.evenLast) await releaseOwner(app, member);
    const { memberships } = app.storage;
    if (!(await memberships.markRemoved(member._id, member.revision, app.now(), events))) return undefined;
    if (isOwner) finishOwnerChange(app, tenantId);
    flushEvents(app, memberships, member._id, events);
    afterMemberLeft(app, { tenantId, userId });
    return member;
  });
}

/**
 * Ends all memberships of an account that is being deleted. Checks all of them before it ends one: throws `last_owner`,
 * with `details.organizations`, if any of them would have no owner left, unless it is to be erased.
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
 * Queues the cleanup after a member who left (`workers/orgs/member-left.ts`). Until it is done the person can't join
 * again, so that no previous access is restored.
 */
export function afterMemberLeft(app: App, member: { tenantId: string; userId: string }): void {
  app.background("clean up after a member", () =>
    app.queue.enqueue("orgs.member-left", member, { jobId: `${member.tenantId}.${member.userId}` }),
  );
}
