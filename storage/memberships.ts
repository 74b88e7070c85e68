/**
 * Who belongs to which organization, with which role and in which teams. Whoever leaves keeps a marked row until its
 * event is in the audit log and what hung on it was cleaned up; only an active row counts for anything.
 */
import type { Filter, IndexDescription, UpdateFilter } from "mongodb";
import type { Database } from "./database.ts";
import { outboxUpdate, outboxOperations, type EventRow, type WithOutbox } from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export interface MembershipDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  /** The organization's own, repeated here: every request asks who its caller is. */
  tenantSlug: string;
  tenantName: string;
  /** When the organization is to be erased: from its deletion on the membership gives next to nothing. */
  tenantDeletionAt?: Date;
  tenantMaxTokenDays?: number;
  userId: string;
  /** The person's own, repeated here for lists. */
  username: string;
  /** Texts that a search by prefix finds: the user name, and the folded name from each of its words on. */
  nameKeys: string[];
  /** A built-in role, or the id of a custom one. */
  role: string;
  teamIds: string[];
  /** Counts the writes that decide what the member may do: each is made on what its writer has seen. */
  revision: number;
  active?: true;
  /** Set until the organization exists; such a membership counts for nothing. */
  pending?: true;
  /**
   * Since when an owner is being added to the organization's `ownerIds`: the role can't be changed until that is done.
   */
  enlisting?: Date;
  createdAt: Date;
  removedAt?: Date;
}

/** Fields that a new membership may omit. */
export type NewMembership = Omit<
  MembershipDoc,
  "active" | "revision" | "teamIds" | "username" | "nameKeys" | "removedAt"
> &
  Partial<Pick<MembershipDoc, "teamIds" | "username" | "nameKeys">>;

const onlyActive = { partialFilterExpression: { active: true } };

export const membershipIndexes: IndexDescription[] = [
  { key: { tenantId: 1, userId: 1 }, unique: true, name: "membership_active", ...onlyActive },
  { key: { userId: 1 } },
  { key: { tenantId: 1, active: 1, username: 1, _id: 1, nameKeys: 1 }, name: "membership_list" },
  { key: { tenantId: 1, teamIds: 1, active: 1, username: 1, _id: 1 }, name: "membership_team" },
  { key: { tenantId: 1, role: 1, active: 1 }, name: "membership_role" },
  { key: { unsettledAt: 1 }, sparse: true },
  { key: { removedAt: 1 }, sparse: true },
];

export interface MemberQuery {
  tenantId: string;
  /** Folded beginning of a name or user name. */
  prefix?: string | undefined;
  teamId?: string | undefined;
  after?: { username: string; id: string } | undefined;
  limit: number;
}

/** Changes of what a member may do; made in one write with their events. */
export interface MembershipChange {
  role?: string;
  enlisting?: Date;
  addTeam?: string;
  removeTeam?: string;
}

/** The facts of an organization that its memberships repeat. */
interface FollowedTenant {
  _id: string;
  slug: string;
  name: string;
  deletionAt?: Date;
  maxTokenDays?: number;
}

export type Memberships = ReturnType<typeof openMemberships>;

export function openMemberships(database: Database) {
  const memberships = database.collection<MembershipDoc>("memberships");
  const counting = { active: true, pending: { $exists: false } } as const;
  return {
    /** Throws a duplicate error of index `membership_active` when the person is in already. */
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
    /** The organizations that a user was a member of at a time, as far as ended memberships are still there. */
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

    /** Those of some people who are members. */
    listByUserIds: (tenantId: string, userIds: string[]) =>
      memberships
        .find(
          { tenantId, userId: { $in: userIds }, ...counting },
          { projection: { userId: 1, username: 1, teamIds: 1 } },
        )
        .toArray(),

    /** A slice of those who count as members, in order of their ids. */
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
    list({ tenantId, prefix, teamId, after, limit }: MemberQuery): Promise<MembershipDoc[]> {
      const filter: Filter<MembershipDoc> = { tenantId, ...counting };
      if (teamId !== undefined) filter.teamIds = teamId;
      if (prefix !== undefined) filter.nameKeys = { $regex: `^${escapePattern(prefix)}` };
      if (after)
        filter.$or = [
          { username: { $gt: after.username } },
          { username: after.username, _id: { $gt: after.id } },
        ];
      return memberships
        .find(filter, {
          projection: { outbox: 0 },
          // In its order, and with names in its keys: only what is found is read.
          hint: teamId === undefined ? "membership_list" : "membership_team",
        })
        .sort({ username: 1, _id: 1 })
        .limit(limit)
        .toArray();
    },
    count: (tenantId: string) => memberships.countDocuments({ tenantId, active: true }),
    /** Members whose own role is this one. */
    listWithRole: (tenantId: string, role: string, limit: number) =>
      memberships
        .find({ tenantId, role, ...counting }, { projection: { outbox: 0 } })
        .limit(limit)
        .toArray(),

    /** Changes a membership as read at `revision`; null if it has changed or ended since. */
    change(
      id: string,
      revision: number,
      { addTeam, removeTeam, ...fields }: MembershipChange,
      events: EventRow[],
    ): Promise<MembershipDoc | null> {
      const outbox = outboxUpdate(events);
      const unsettledAt = events[0]?.createdAt ?? fields.enlisting;
      const update: UpdateFilter<MembershipDoc> = {
        $set: { ...fields, ...(unsettledAt ? { unsettledAt } : {}) },
        $inc: { revision: 1 },
        $push: outbox.$push,
        ...(addTeam === undefined ? {} : { $addToSet: { teamIds: addTeam } }),
        ...(removeTeam === undefined ? {} : { $pull: { teamIds: removeTeam } }),
      };
      return memberships.findOneAndUpdate(
        { _id: id, revision, active: true, enlisting: { $exists: false } },
        update,
        { returnDocument: "after" },
      );
    },
    /** Ends `enlisting` of an owner; false if another process has ended it. */
    async finishEnlisting(id: string, revision: number): Promise<boolean> {
      const result = await memberships.updateOne(
        { _id: id, revision },
        { $unset: { enlisting: true }, $inc: { revision: 1 } },
      );
      return result.modifiedCount === 1;
    },
    /** Ends a membership as read at `revision`; false if it has changed since. */
    async markRemoved(id: string, revision: number, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const result = await memberships.updateOne(
        { _id: id, revision, active: true, enlisting: { $exists: false } },
        {
          $set: { removedAt: now, ...outbox.$set },
          $unset: { active: true },
          $inc: { revision: 1 },
          $push: outbox.$push,
        },
      );
      return result.modifiedCount === 1;
    },
    /** Ended memberships that are still to be cleaned up after, of one person or of all. */
    listRemoved: (whose: { tenantId: string; userId: string } | undefined, before: Date, limit: number) =>
      memberships
        .find({ ...whose, removedAt: { $exists: true, $lte: before } })
        .limit(limit)
        .toArray(),

    /** Repeats what an organization is called now, its limits and its deletion, and activates pending memberships. */
    async follow(tenant: FollowedTenant): Promise<void> {
      const { slug, name, deletionAt, maxTokenDays } = tenant;
      await memberships.updateMany(
        { tenantId: tenant._id },
        {
          $set: {
            tenantSlug: slug,
            tenantName: name,
            ...(deletionAt ? { tenantDeletionAt: deletionAt } : {}),
            ...(maxTokenDays === undefined ? {} : { tenantMaxTokenDays: maxTokenDays }),
          },
          $unset: {
            pending: true,
            ...(deletionAt ? {} : { tenantDeletionAt: true }),
            ...(maxTokenDays === undefined ? { tenantMaxTokenDays: true } : {}),
          },
        },
      );
    },
    /** Repeats what a person is called now. */
    async propagateUser(userId: string, names: Pick<MembershipDoc, "username" | "nameKeys">): Promise<void> {
      await memberships.updateMany(
        { userId },
        { $set: { username: names.username, nameKeys: names.nameKeys } },
      );
    },
    /** Removes a deleted team from all members. */
    async dropTeam(tenantId: string, teamId: string): Promise<void> {
      await memberships.updateMany({ tenantId, teamIds: teamId }, { $pull: { teamIds: teamId } });
    },
    removeOfTenant: (tenantId: string) => removeSlice(memberships, { tenantId }),

    ...outboxOperations(memberships),
  };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
