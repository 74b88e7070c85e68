/**
 * Members of organizations, with their roles and teams. A member who leaves keeps a marked row until its event is in
 * the audit log and everything that depended on it is cleaned up; only active rows count.
 */
import type { Collection, Filter } from "mongodb";
import { defineCollection } from "../collection.ts";
import { escapePattern } from "../escape-pattern.ts";
import { changeOperations } from "./changes.ts";
import { copyOperations } from "./copies.ts";
import { counting, type MembershipDoc } from "./document.ts";

export { hasReviewRules } from "./copies.ts";
export { type MembershipDoc } from "./document.ts";
/** Fields that a new membership may omit. */
export type NewMembership = Omit<
  MembershipDoc,
  "active" | "revision" | "teamIds" | "username" | "nameKeys" | "removedAt"
> &
  Partial<Pick<MembershipDoc, "teamIds" | "username" | "nameKeys">>;

export interface MemberQuery {
  tenantId: string;
  /** Folded beginning of a name or user name. */
  prefix?: string;
  teamId?: string;
  role?: string;
  after?: { username: string; id: string };
  limit: number;
}

const onlyActive = { partialFilterExpression: { active: true } };

export const membershipsCollection = defineCollection({
  name: "memberships",
  indexes: [
    { key: { tenantId: 1, userId: 1 }, unique: true, name: "membership_active", ...onlyActive },
    { key: { userId: 1 } },
    { key: { tenantId: 1, active: 1, username: 1, _id: 1, nameKeys: 1 }, name: "membership_list" },
    { key: { tenantId: 1, teamIds: 1, active: 1, username: 1, _id: 1 }, name: "membership_team" },
    { key: { tenantId: 1, role: 1, active: 1 }, name: "membership_role" },
    {
      key: { tenantId: 1, role: 1, active: 1, username: 1, _id: 1, nameKeys: 1 },
      name: "membership_role_list",
    },
    { key: { removedAt: 1 }, sparse: true },
  ],
  outbox: true,
  open: (memberships: Collection<MembershipDoc>) => ({
    /** Throws a duplicate error of index `membership_active` if the user is already a member. */
    async insert(membership: NewMembership): Promise<void> {
      const rest = { teamIds: [], username: "", nameKeys: [], revision: 0, active: true } as const;
      await memberships.insertOne({
        ...rest,
        ...membership,
        teamIds: membership.teamIds ?? [],
      } as MembershipDoc);
    },
    async remove(id: string): Promise<void> {
      await memberships.deleteOne({ _id: id });
    },

    /** A user's memberships, by slug of the organization. */
    listOfUser: (userId: string): Promise<MembershipDoc[]> =>
      memberships
        .find({ userId, ...counting }, { projection: { outbox: 0 } })
        .sort({ tenantSlug: 1 })
        .toArray(),
    /** Memberships of several users, by slug of the organization. */
    listOfUsers: (userIds: string[]) =>
      memberships
        .find(
          { userId: { $in: userIds }, ...counting },
          { projection: { userId: 1, tenantId: 1, tenantSlug: 1, role: 1 } },
        )
        .sort({ tenantSlug: 1 })
        .toArray(),
    /** Organizations that a user was a member of at a time, as far as ended memberships are still stored. */
    async listTenantsAt(userId: string, time: Date): Promise<string[]> {
      const rows = await memberships
        .find(
          {
            userId,
            pending: { $exists: false },
            createdAt: { $lte: time },
            $or: [{ active: true }, { removedAt: { $gt: time } }],
          },
          { projection: { tenantId: 1 } },
        )
        .toArray();
      return [...new Set(rows.map((row) => row.tenantId))];
    },
    find: (tenantId: string, userId: string) =>
      memberships.findOne({ tenantId, userId, ...counting }, { projection: { outbox: 0 } }),

    /** Memberships of the given users. */
    listByUserIds: (tenantId: string, userIds: string[]) =>
      memberships
        .find(
          { tenantId, userId: { $in: userIds }, ...counting },
          { projection: { userId: 1, username: 1, teamIds: 1 } },
        )
        .toArray(),

    /** Memberships of the given users, with what their access depends on. */
    listDocuments: (tenantId: string, userIds: string[]): Promise<MembershipDoc[]> =>
      memberships
        .find({ tenantId, userId: { $in: userIds }, ...counting }, { projection: { outbox: 0 } })
        .toArray(),

    /** A slice of the memberships, in order of user ids. */
    listAfter: (tenantId: string, userId: string, limit: number) =>
      memberships
        .find(
          { tenantId, userId: { $gt: userId }, ...counting },
          { projection: { userId: 1, username: 1, createdAt: 1 } },
        )
        .sort({ userId: 1 })
        .limit(limit)
        .toArray(),

    /** A page of an organization's members, by user name. */
    list({ tenantId, prefix, teamId, role, after, limit }: MemberQuery): Promise<MembershipDoc[]> {
      const filter: Filter<MembershipDoc> = { tenantId, ...counting };
      if (teamId !== undefined) filter.teamIds = teamId;
      if (role !== undefined) filter.role = role;
      if (prefix !== undefined) filter.nameKeys = { $regex: `^${escapePattern(prefix)}` };
      if (after)
        filter.$or = [
          { username: { $gt: after.username } },
          { username: after.username, _id: { $gt: after.id } },
        ];
      return memberships
        .find(filter, {
          projection: { outbox: 0 },
          // The index has this order and contains the names, so that only matching documents are read.
          hint: listIndex(teamId, role),
        })
        .sort({ username: 1, _id: 1 })
        .limit(limit)
        .toArray();
    },
    /** The number of members with a role, and in a team. Reads keys of indexes only. */
    countListed: (
      tenantId: string,
      { role, teamId }: Pick<MemberQuery, "role" | "teamId">,
    ): Promise<number> =>
      memberships.countDocuments(
        {
          tenantId,
          active: true,
          ...(role === undefined ? {} : { role }),
          ...(teamId === undefined ? {} : { teamIds: teamId }),
        },
        { hint: countIndex(teamId, role) },
      ),
    count: (tenantId: string) => memberships.countDocuments({ tenantId, active: true }),
    /** Members who have a role themselves, not through a team. */
    listWithRole: (tenantId: string, role: string, limit: number) =>
      memberships
        .find({ tenantId, role, ...counting }, { projection: { outbox: 0 } })
        .limit(limit)
        .toArray(),
    /** Memberships with a role or in one of the teams: at most `limits.membersPerOrganization`. */
    listHolders: (tenantId: string, { role, teamIds }: { role?: string; teamIds: readonly string[] }) => {
      const ways = teamIds.length > 0 ? [{ teamIds: { $in: [...teamIds] } }] : [];
      const $or = role === undefined ? ways : [{ role }, ...ways];
      return memberships
        .find({ tenantId, ...counting, $or }, { projection: { userId: 1, teamIds: 1 } })
        .toArray();
    },
    ...changeOperations(memberships),
    ...copyOperations(memberships),
  }),
});

function countIndex(teamId: string | undefined, role: string | undefined): string {
  if (teamId !== undefined) return "membership_team";
  return role === undefined ? "membership_list" : "membership_role";
}

function listIndex(teamId: string | undefined, role: string | undefined): string {
  if (teamId !== undefined) return "membership_team";
  return role === undefined ? "membership_list" : "membership_role_list";
}
