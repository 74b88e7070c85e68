/**
 * Users that an identity provider has created through SCIM. A document is the commit point of each change; the account,
 * the membership and its teams follow from it (`src/scim/users/apply.ts`).
 */
import type { Collection, Filter } from "mongodb";
import { batchedInsert } from "../batches/batched-insert.ts";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { escapePattern } from "../escape-pattern.ts";
import { listIds } from "../ids.ts";
import { withoutOutbox, clearOutboxes, outboxOperations, type EventRow } from "../outbox.ts";
import { invitationOperations, olderOperations } from "./invited-users.ts";
import type { ScimUserDoc } from "./user-document.ts";

export { type ScimUserDoc, type ScimValue } from "./user-document.ts";

export interface ScimListQuery {
  /** Made from a fixed map of attributes (`src/scim/filter`). */
  filter: object;
  /** A field of the document. */
  sort?: { field: string; order: 1 | -1 };
  skip: number;
  limit: number;
}

/** A page by user name, for the owners of the organization. */
export interface ScimUserPage {
  state?: "active" | "inactive" | "invited";
  /** Folded beginning of the user name. */
  prefix?: string;
  /** Folded user name of the last one of the page before. */
  after?: string;
  limit: number;
}

const inState = {
  active: { active: true },
  inactive: { active: false, invited: { $exists: false } },
  invited: { invited: true },
} as const;

const pageFields = {
  projection: {
    userName: 1,
    userNameKey: 1,
    email: 1,
    active: 1,
    invited: 1,
    inviteReason: 1,
    invitationEnded: 1,
    emailKey: 1,
    userId: 1,
    teamIds: 1,
    updatedAt: 1,
    "attributes.displayName": 1,
  },
} as const;

const ofPresent = (more: object = {}) => ({ partialFilterExpression: { present: true, ...more } });

export const scimUsersCollection = defineCollection({
  name: "scim_users",
  indexes: [
    { key: { tenantId: 1, userNameKey: 1 }, unique: true, name: "scim_user_name", ...ofPresent() },
    { key: { tenantId: 1, externalId: 1 }, ...ofPresent({ externalId: { $gt: "" } }) },
    {
      key: { tenantId: 1, userId: 1 },
      unique: true,
      name: "scim_user_account",
      ...ofPresent({ userId: { $gt: "" } }),
    },
    { key: { tenantId: 1, present: 1, _id: 1 }, name: "scim_user_list" },
    { key: { tenantId: 1, present: 1, active: 1, userNameKey: 1 }, name: "scim_user_states" },
    {
      key: { tenantId: 1, invited: 1, userNameKey: 1 },
      name: "scim_user_invited",
      ...ofPresent({ invited: true }),
    },
    // Users of earlier versions, in which they were active before they had accepted.
    {
      key: { invited: 1 },
      name: "scim_user_invited_active",
      partialFilterExpression: { invited: true, active: true },
    },
    { key: { tenantId: 1, emailKeys: 1 } },
    { key: { tenantId: 1, emailKey: 1 } },
    { key: { tenantId: 1, teamIds: 1 } },
    { key: { tenantId: 1, updatedAt: 1 } },
    { key: { pendingSince: 1 }, sparse: true },
  ],
  open: openScimUsers,
});

function openScimUsers(users: Collection<ScimUserDoc>) {
  const insert = batchedInsert(users);
  const change = changeOf(users, { present: true });
  const within = (tenantId: string, filter: object): Filter<ScimUserDoc> => ({
    $and: [{ tenantId, present: true }, filter],
  });
  return {
    /** Throws a duplicate error of `scim_user_name` or `scim_user_account`. */
    insert,
    find: (tenantId: string, id: string) =>
      users.findOne({ _id: id, tenantId, present: true }, withoutOutbox),
    /** Also a deleted one. */
    findAny: (id: string) => users.findOne({ _id: id }, withoutOutbox),
    /** Present users among these ids, with what groups need. */
    listByIds: (tenantId: string, ids: string[]) =>
      users
        .find(
          { _id: { $in: ids }, tenantId, present: true },
          { projection: { userName: 1, userId: 1, teamIds: 1, "attributes.displayName": 1, active: 1 } },
        )
        .toArray(),
    list: (tenantId: string, { filter, sort, skip, limit }: ScimListQuery): Promise<ScimUserDoc[]> =>
      users
        .find(within(tenantId, filter), { ...withoutOutbox, maxTimeMS: commandTimeMs })
        .sort(sort ? { [sort.field]: sort.order, _id: 1 } : { _id: 1 })
        .skip(skip)
        .limit(limit)
        .toArray(),
    count: (tenantId: string, filter: object = {}) =>
      users.countDocuments(within(tenantId, filter), { maxTimeMS: commandTimeMs }),
    countInState: (tenantId: string, state: keyof typeof inState) =>
      users.countDocuments({ tenantId, present: true, ...inState[state] }, { maxTimeMS: commandTimeMs }),
    async hasName(tenantId: string, userNameKey: string): Promise<boolean> {
      const found = await users.findOne({ tenantId, userNameKey, present: true }, { projection: { _id: 1 } });
      return found !== null;
    },
    /** A page by user name. */
    listByName(tenantId: string, { state, prefix, after, limit }: ScimUserPage) {
      const conditions: Filter<ScimUserDoc>[] = [
        { tenantId, present: true, ...(state ? inState[state] : {}) },
        ...(prefix === undefined ? [] : [{ userNameKey: { $regex: `^${escapePattern(prefix)}` } }]),
        ...(after === undefined ? [] : [{ userNameKey: { $gt: after } }]),
      ];
      return users
        .find({ $and: conditions }, { ...pageFields, maxTimeMS: commandTimeMs })
        .sort({ userNameKey: 1 })
        .limit(limit)
        .toArray();
    },

    /** Changes a user. Null if it was deleted or has changed since the revision. */
    change,
    /** Records the role and teams of the membership that is about to end. */
    async keepForRestore(id: string, restore: NonNullable<ScimUserDoc["restore"]>): Promise<void> {
      await users.updateOne({ _id: id }, { $set: { restore } });
    },
    /** Deletes a user; null if it has changed since `revision`. The document stays until its event is in the log. */
    markRemoved: (id: string, revision: number, now: Date, events: EventRow[]) =>
      change(id, {
        revision,
        set: { active: false },
        unset: ["present", "invited", "inviteReason", "invitationEnded"],
        now,
        events,
      }),
    async remove(id: string): Promise<void> {
      await users.deleteOne({ _id: id, present: { $exists: false } });
    },

    /** Copies the membership of a group to its users. */
    async followGroup(tenantId: string, teamId: string, added: string[], removed: string[], now: Date) {
      const changed = { $set: { updatedAt: now }, $inc: { revision: 1 } };
      if (added.length > 0)
        await users.updateMany(
          { _id: { $in: added }, tenantId, teamIds: { $ne: teamId } },
          { $addToSet: { teamIds: teamId }, ...changed },
        );
      if (removed.length > 0)
        await users.updateMany(
          { _id: { $in: removed }, tenantId, teamIds: teamId },
          { $pull: { teamIds: teamId }, ...changed },
        );
    },
    /** Ids of the users who have a copy of a group. */
    listIdsInGroup: (tenantId: string, teamId: string) => listIds(users, { tenantId, teamIds: teamId }),
    /** Removes a deleted team from all users. */
    async dropTeam(tenantId: string, teamId: string): Promise<void> {
      await users.updateMany(
        { tenantId, teamIds: teamId },
        { $pull: { teamIds: teamId }, $inc: { revision: 1 } },
      );
    },
    ...invitationOperations(users),
    ...olderOperations(users),
    /** Users of accounts. */
    listIdsOfAccounts: (tenantId: string, userIds: string[]) =>
      listIds(users, { tenantId, userId: { $in: userIds }, present: true }),
    /** Which of the accounts are those of provisioned users. */
    async listAccounts(tenantId: string, userIds: string[]): Promise<Set<string>> {
      const rows = await users
        .find(
          { tenantId, userId: { $in: userIds }, present: true },
          { projection: { _id: 0, tenantId: 1, userId: 1 } },
        )
        .toArray();
      return new Set(rows.flatMap(({ userId }) => (userId === undefined ? [] : [userId])));
    },
    /** Whether a user of any state stands for an account or its address. */
    async isProvisioned(tenantId: string, { userId, emailKey }: { userId: string; emailKey: string }) {
      const found = await Promise.all(
        [{ userId }, { emailKeys: emailKey }].map((whose) =>
          users.findOne({ tenantId, present: true, ...whose }, { projection: { _id: 1 } }),
        ),
      );
      return found.some((user) => user !== null);
    },
    /**
     * Whether the identity provider has deactivated a person, who is known by the account or an address. A person can
     * have several users, of which an active one is enough.
     */
    async isDeactivated(tenantId: string, { userId, emailKey }: { userId?: string; emailKey: string }) {
      const keys = [{ emailKey }, { emailKeys: emailKey }, ...(userId === undefined ? [] : [{ userId }])];
      const found = await Promise.all(
        keys.map((whose) =>
          users
            .find({ tenantId, present: true, ...whose }, { projection: { active: 1, invited: 1 } })
            .limit(50)
            .toArray(),
        ),
      );
      const all = found.flat();
      return all.length > 0 && !all.some(({ active, invited }) => active || invited);
    },
    /** The user of an account. */
    findOfAccount: (tenantId: string, userId: string) =>
      users.findOne({ tenantId, userId, present: true }, withoutOutbox),
    /**
     * Records that a member has left or was removed by others. The link ends as well, so that the person can't be made
     * a member again without a new decision about the account.
     */
    async noteLeft(tenantId: string, userId: string): Promise<void> {
      await users.updateMany(
        { tenantId, userId, present: true, active: true },
        { $set: { active: false }, $unset: { userId: true, createsAccount: true }, $inc: { revision: 1 } },
      );
    },

    ...outboxOperations(users),
    /** `clearOutbox` of many users in one command. */
    clearOutboxes: (documents: readonly { id: string; eventIds: string[] }[]) =>
      clearOutboxes(users, documents),
  };
}
