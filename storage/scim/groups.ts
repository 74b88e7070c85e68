/**
 * Groups that an identity provider pushes with SCIM. The id of a group is that of its team. A document is the commit
 * point of each change; the team and its members follow from it (`src/scim/groups/apply.ts`).
 */
import type { Collection, Filter } from "mongodb";
import { changeOf, type Patch } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { outboxOperations } from "../outbox.ts";
import type { ScimListQuery } from "./users.ts";

export interface ScimGroupDoc {
  /** Id of the team. */
  _id: string;
  tenantId: string;
  displayName: string;
  /** Folded for comparison: unique in the organization. */
  displayNameKey: string;
  externalId?: string;
  /** Ids of provisioned users. */
  memberIds: string[];
  memberCount: number;
  /**
   * An existing team that an owner has put under SCIM: SCIM changes its members, not its name, and never deletes it.
   */
  isMapped?: true;
  /** The team is to be created. */
  createsTeam?: true;
  /** The team is to get the name of the group. */
  renamesTeam?: true;
  /** Number of changes, which is also the entity tag. */
  revision: number;
  /** Absent once it was deleted. */
  present?: true;
  /** Set while the team may differ from this document. */
  pendingSince?: Date;
  createdAt: Date;
  updatedAt: Date;
}

const ofPresent = (more: object = {}) => ({ partialFilterExpression: { present: true, ...more } });

export const scimGroupsCollection = defineCollection({
  name: "scim_groups",
  indexes: [
    { key: { tenantId: 1, displayNameKey: 1 }, unique: true, name: "scim_group_name", ...ofPresent() },
    { key: { tenantId: 1, externalId: 1 }, ...ofPresent({ externalId: { $gt: "" } }) },
    { key: { tenantId: 1, present: 1, _id: 1 }, name: "scim_group_list" },
    { key: { tenantId: 1, memberIds: 1 } },
    { key: { pendingSince: 1 }, sparse: true },
  ],
  open: openScimGroups,
});

function openScimGroups(groups: Collection<ScimGroupDoc>) {
  const change = changeOf(groups, { present: true });
  const withoutMembers = { projection: { memberIds: 0 } } as const;
  const within = (tenantId: string, filter: object): Filter<ScimGroupDoc> => ({
    $and: [{ tenantId, present: true }, filter],
  });
  return {
    find: (tenantId: string, id: string) => groups.findOne({ _id: id, tenantId, present: true }),
    findWithoutMembers: (tenantId: string, id: string) =>
      groups.findOne({ _id: id, tenantId, present: true }, withoutMembers),
    /** Also a deleted one whose team may still differ. */
    findAny: (id: string) => groups.findOne({ _id: id }),
    /** Names of groups. */
    listNames: (tenantId: string, ids: string[]) =>
      groups.find({ _id: { $in: ids }, tenantId }, { projection: { displayName: 1 } }).toArray(),
    listByIds: (tenantId: string, ids: string[]) =>
      groups.find({ _id: { $in: ids }, tenantId, present: true }).toArray(),
    listMapped: (tenantId: string, limit: number) =>
      groups.find({ tenantId, present: true, isMapped: true }, withoutMembers).limit(limit).toArray(),
    /** Groups without their members, of which a group may have many. */
    list: (tenantId: string, { filter, sort, skip, limit }: ScimListQuery) =>
      groups
        .find(within(tenantId, filter), { ...withoutMembers, maxTimeMS: commandTimeMs })
        .sort(sort ? { [sort.field]: sort.order, _id: 1 } : { _id: 1 })
        .skip(skip)
        .limit(limit)
        .toArray(),
    /** A page by name, without members. */
    listByName: (tenantId: string, { after, limit }: { after?: string; limit: number }) =>
      groups
        .find(
          { tenantId, present: true, ...(after === undefined ? {} : { displayNameKey: { $gt: after } }) },
          { ...withoutMembers, maxTimeMS: commandTimeMs },
        )
        .sort({ displayNameKey: 1 })
        .limit(limit)
        .toArray(),
    count: (tenantId: string, filter: object = {}) =>
      groups.countDocuments(within(tenantId, filter), { maxTimeMS: commandTimeMs }),

    /** Changes a group as read at `revision`; null if it has changed or was deleted since. */
    change: (id: string, revision: number, patch: Patch<ScimGroupDoc>, now: Date) =>
      change(id, { revision, patch, set: { memberCount: patch.memberIds?.length, pendingSince: now }, now }),
    /** Records that the team exists, and has the name of the group as of `revision`. */
    async noteTeam(id: string, revision: number): Promise<void> {
      await groups.updateOne({ _id: id }, { $unset: { createsTeam: true } });
      await groups.updateOne({ _id: id, revision }, { $unset: { renamesTeam: true } });
    },
    /** Deletes a group; null if it has changed since `revision`. Its document stays until the team was changed. */
    markRemoved: (id: string, revision: number, now: Date) =>
      change(id, { revision, set: { pendingSince: now }, unset: ["present"], now }),
    /** Removes a deleted user from all groups. */
    async dropMember(tenantId: string, userId: string, now: Date): Promise<void> {
      await groups.updateMany(
        { tenantId, memberIds: userId },
        {
          $pull: { memberIds: userId },
          $inc: { memberCount: -1, revision: 1 },
          $set: { updatedAt: now },
        },
      );
    },
    /** Ends the mark of a change whose team is up to date; false if the group has changed since. */
    async clearPending(id: string, revision: number): Promise<boolean> {
      const result = await groups.updateOne({ _id: id, revision }, { $unset: { pendingSince: true } });
      return result.matchedCount === 1;
    },
    async remove(id: string): Promise<void> {
      await groups.deleteOne({ _id: id });
    },

    listUnflushed: outboxOperations(groups).listUnflushed,
  };
}
