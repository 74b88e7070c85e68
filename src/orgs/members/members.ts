/** Members of an organization: list, and change of role. */
import { retryLost, type Retries } from "../../../contract/concurrency/retry-lost.ts";
import { isId } from "../../../storage/database.ts";
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Actor } from "../../access/actor.ts";
import { decideTenant } from "../../access/decide.ts";
import { missingFrom, ownerRole } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { makeEvent, flushEvents } from "../../audit/events.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { lastSeenOf } from "../../users/last-seen.ts";
import { foldName } from "../../users/schema.ts";
import { loadNames } from "../names.ts";
import { enlistOwner, releaseOwner, finishOwnerChange } from "../owners.ts";
import {
  permissionsOfMember,
  permissionsOfRoles,
  requireMemberGrants,
  requirePermissions,
} from "../permission-checks.ts";
import { MemberCursor, type ChangeMember, type MemberQuery } from "../schema.ts";
import { loadTenant } from "../service.ts";

/** A member with their account; the address is shown to callers who may change members. */
export interface Member {
  membership: MembershipDoc;
  /** Undefined while the account is being deleted. */
  account: Account | undefined;
  showsEmail: boolean;
  /** Names of the teams and of a custom role, by their ids. */
  names: ReadonlyMap<string, string>;
  /** The last use of a session or token, for callers who may change members. */
  lastSeenAt?: Date;
  /** An identity provider manages the member with SCIM; for callers who may change members. */
  isProvisioned?: boolean;
}

/** A page of members, by username; with `teamId`, the members of a team. The first page has their number. */
export async function listMembers(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: MemberQuery,
  teamId?: string,
): Promise<Page<Member>> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  const { memberships } = app.storage;
  const at = decodeCursor(input.cursor, MemberCursor);
  const inTeam = teamId ?? input.team;
  // Both are given for the members of a team: they are the same, or no one is in both lists.
  if (input.team !== undefined && input.team !== inTeam) return new Page<Member>([], null, { total: 0 });
  const prefix = input.query === undefined ? undefined : foldName(input.query);
  const filter = { role: input.role, teamId: inTeam };
  const after = at ? { username: at[0], id: at[1] } : undefined;
  const [rows, total] = await Promise.all([
    memberships.list({ ...filter, tenantId: tenant._id, prefix, after, limit: input.limit + 1 }),
    // Names are not counted, since that would read every member.
    after || prefix !== undefined ? undefined : memberships.countListed(tenant._id, filter),
  ]);
  const page = pageOf(rows, input.limit, (last) => [last.username, last._id]);
  page.fields = { total };
  return withAccounts(app, actor, tenant._id, page);
}

/** A member of an organization, for those who may list its members. */
export async function readMember(app: App, actor: Actor, tenantRef: string, userId: string): Promise<Member> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  const membership = isId(userId) ? await app.storage.memberships.find(tenant._id, userId) : null;
  if (!membership) throw notFound("member", userId);
  const page = await withAccounts(app, actor, tenant._id, new Page([membership], null));
  return page.items[0]!;
}

/** Members with their accounts, names and, for callers who may change members, their last use. */
async function withAccounts(
  app: App,
  actor: Actor,
  tenantId: string,
  page: Page<MembershipDoc>,
): Promise<Page<Member>> {
  const showsEmail = decideTenant(actor, "member:update", tenantId) === "allowed";
  const userIds = page.items.map((row) => row.userId);
  const [accounts, names, lastSeen, provisioned] = await Promise.all([
    app.storage.users.listByIds(userIds),
    loadNames(app, tenantId, page.items),
    showsEmail ? lastSeenOf(app, userIds) : new Map<string, Date>(),
    showsEmail ? app.storage.scimUsers.listAccounts(tenantId, userIds) : new Set<string>(),
  ]);
  const byId = new Map(accounts.map((account) => [account._id, account]));
  return page.map((membership) => ({
    membership,
    account: byId.get(membership.userId),
    showsEmail,
    names,
    lastSeenAt: lastSeen.get(membership.userId),
    isProvisioned: provisioned.has(membership.userId),
  }));
}

/**
 * Gives a member another role. The caller must hold both what the member has and what the role gives and, if that is
 * more, the member's grants on restricted folders. Throws `last_owner` if the organization would have no owner left.
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
    const held = await permissionsOfMember(app, member);
    requirePermissions(actor, tenant._id, held, "change this member");
    if (missingFrom(held, given).length > 0)
      await requireMemberGrants(app, actor, tenant._id, [member], "extend the role of this member");
    const event = makeEvent(app, actor, "organization.member_role_updated", {
      tenantId: tenant._id,
      resourceType: "user",
      resourceId: userId,
      metadata: { username: member.username, from: member.role, to: input.role },
    });
    const becomesOwner = input.role === ownerRole;
    if (member.role === ownerRole) await releaseOwner(app, member);
    const changed = await app.storage.memberships.change(member._id, {
      revision: member.revision,
      set: { role: input.role, enlisting: becomesOwner ? app.now() : undefined },
      events: [event],
    });
    if (!changed) return undefined;
    if (becomesOwner) await enlistOwner(app, changed);
    if (member.role === ownerRole) finishOwnerChange(app, tenant._id);
    flushEvents(app, app.storage.memberships, member._id, [event]);
    return changed;
  });
  const [account, names, lastSeen, provisioned] = await Promise.all([
    app.storage.users.find(userId),
    loadNames(app, tenant._id, [membership]),
    lastSeenOf(app, [userId]),
    app.storage.scimUsers.listAccounts(tenant._id, [userId]),
  ]);
  return {
    membership,
    account: account ?? undefined,
    showsEmail: true,
    names,
    lastSeenAt: lastSeen.get(userId),
    isProvisioned: provisioned.has(userId),
  };
}

/**
 * Reads a member and calls `change`, and retries while it returns undefined because of a concurrent change. `known` is
 * tried first, without a read.
 */
export async function onMember(
  app: App,
  tenantId: string,
  userId: string,
  change: (member: MembershipDoc) => Promise<MembershipDoc | undefined>,
  known: MembershipDoc | null = null,
): Promise<MembershipDoc> {
  const read = async () => (isId(userId) ? app.storage.memberships.find(tenantId, userId) : null);
  const retries: Retries = {
    attempts: 8,
    pauseMs: (attempt) => 5 * attempt,
    exhausted: () =>
      new ServiceError("conflict", "This member is being changed concurrently: try again.", {
        kind: "member",
        ref: userId,
      }),
  };
  return retryLost<MembershipDoc>(retries, async (attempt) => {
    const member = (attempt === 0 && known) || (await read());
    if (!member) throw notFound("member", userId);
    return member.enlisting ? undefined : change(member);
  });
}
