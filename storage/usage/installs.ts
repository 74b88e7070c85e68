/** Installations of skills by members of their organization, with the installed versions. */
import type { Collection, Filter } from "mongodb";
import type { InstallScope, Target } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate } from "../database.ts";
import { listIds } from "../ids.ts";

/** The key of an installation. */
export interface InstallKey {
  skillId: string;
  userId: string;
  /** Id that the client has generated. */
  machine: string;
  platform: Target;
  scope: InstallScope;
}

export interface InstallDoc extends InstallKey {
  _id: string;
  tenantId: string;
  version: number;
  semver: string;
  /** The pin, by which the client updates it; absent if the client does not report pins. */
  range?: string;
  installedAt: Date;
  updatedAt: Date;
}

/** Installations of one version with the same pin. */
export interface InstallGroup extends Pick<InstallDoc, "version" | "semver" | "range"> {
  installs: number;
}

const reachFields = {
  _id: 0,
  userId: 1,
  machine: 1,
  platform: 1,
  scope: 1,
  range: 1,
  version: 1,
} as const;
const reachBatchSize = 20_000;

const latestFirst = { updatedAt: -1, _id: -1 } as const;

/** Sort values of the last row of the previous page. */
export interface InstallCursor {
  updatedAt: Date;
  id: string;
}

export const installsCollection = defineCollection({
  name: "installs",
  indexes: [
    {
      key: { skillId: 1, userId: 1, machine: 1, platform: 1, scope: 1 },
      unique: true,
      name: "install_place",
    },
    { key: { skillId: 1, ...latestFirst } },
    { key: { userId: 1, ...latestFirst } },
    { key: { tenantId: 1, userId: 1, ...latestFirst } },
    { key: { tenantId: 1, skillId: 1 } },
    // Groups by member and by tool are read from the index only.
    { key: { tenantId: 1, userId: 1, machine: 1, platform: 1, skillId: 1 } },
    { key: { tenantId: 1, updatedAt: 1, skillId: 1 } },
  ],
  open: openInstalls,
});

function openInstalls(installs: Collection<InstallDoc>) {
  const list = (filter: Filter<InstallDoc>, after: InstallCursor | undefined, limit: number) =>
    installs
      .find({ $and: [filter, ...beyond(after)] }, { maxTimeMS: commandTimeMs })
      .sort(latestFirst)
      .limit(limit)
      .toArray();
  return {
    /** Records the installed version. Returns whether the installation is new. */
    async put(install: InstallDoc): Promise<boolean> {
      const { key, update } = upsertOf(install);
      const write = async () => (await installs.updateOne(key, update, { upsert: true })).upsertedCount === 1;
      try {
        return await write();
      } catch (error) {
        // A concurrent call has inserted it.
        if (!isDuplicate(error, "install_place")) throw error;
        return write();
      }
    },
    find: ({ skillId, userId, machine, platform, scope }: InstallKey) =>
      installs.findOne({ skillId, userId, machine, platform, scope }),
    async remove(key: InstallKey): Promise<void> {
      const { skillId, userId, machine, platform, scope } = key;
      await installs.deleteOne({ skillId, userId, machine, platform, scope });
    },
    /** Keeps only the latest `most` installations of a skill by a member. */
    async keepLatest(skillId: string, userId: string, most: number): Promise<void> {
      const rest = await listIds(installs, { skillId, userId }, { sort: latestFirst, skip: most });
      if (rest.length > 0) await installs.deleteMany({ _id: { $in: rest } });
    },

    /** Installations of a skill, latest report first; only those with one of the pins. */
    listOfSkill: (
      skillId: string,
      after: InstallCursor | undefined,
      limit: number,
      pins?: readonly (string | undefined)[],
    ) => list({ skillId, ...(pins ? withPins(pins) : {}) }, after, limit),
    /** Fields on which the reach of a skill depends, in no order. */
    listForReach: (skillId: string, limit: number) =>
      installs
        .find(
          { skillId },
          {
            projection: reachFields,
            limit,
            batchSize: reachBatchSize,
            maxTimeMS: commandTimeMs,
          },
        )
        .toArray(),
    /** Installations of a skill by a user, at most `limits.installsPerSkill`. */
    listOfPerson: (skillId: string, userId: string): Promise<InstallDoc[]> =>
      installs.find({ skillId, userId }, { maxTimeMS: commandTimeMs }).toArray(),
    /** Installations by a user, latest report first. */
    listOfUser: (userId: string, after: InstallCursor | undefined, limit: number) =>
      list({ userId }, after, limit),
    /** Installations by a member of an organization, latest report first. */
    listOfMember: (tenantId: string, userId: string, after: InstallCursor | undefined, limit: number) =>
      list({ tenantId, userId }, after, limit),
    /** Members who have each of the skills installed, for at most `most` of their installations altogether. */
    async listPeople(skillIds: readonly string[], most: number): Promise<Map<string, Set<string>>> {
      const people = new Map<string, Set<string>>();
      const options = {
        projection: { _id: 0, skillId: 1, userId: 1 },
        maxTimeMS: commandTimeMs,
      } as const;
      const found = installs.find({ skillId: { $in: [...skillIds] } }, options).limit(most);
      for await (const { skillId, userId } of found) {
        const known = people.get(skillId);
        if (known) known.add(userId);
        else people.set(skillId, new Set([userId]));
      }
      return people;
    },
    groupOfSkill: (skillId: string) => groupByPin(installs, skillId),
    countOfTenant: (tenantId: string): Promise<number> =>
      installs.countDocuments({ tenantId }, { maxTimeMS: commandTimeMs }),
    /** Installed skills of an organization with the numbers of their installations. */
    eachSkill: (tenantId: string): AsyncIterable<{ _id: string; places: number }> =>
      installs.aggregate<{ _id: string; places: number }>(
        [{ $match: { tenantId } }, { $group: { _id: "$skillId", places: { $sum: 1 } } }],
        { maxTimeMS: commandTimeMs },
      ),

    async removeOfSkill(skillId: string): Promise<void> {
      await installs.deleteMany({ skillId });
    },
    async removeAll(ids: readonly string[]): Promise<void> {
      await installs.deleteMany({ _id: { $in: [...ids] } });
    },
  };
}

/** Those with one of the pins; undefined is none. */
function withPins(pins: readonly (string | undefined)[]): Filter<InstallDoc> {
  const named: Filter<InstallDoc> = {
    range: { $in: pins.filter((pin) => pin !== undefined) },
  };
  return pins.includes(undefined) ? { $or: [named, { range: { $exists: false } }] } : named;
}

/** The key of an installation, and the update that sets its version and pin. */
function upsertOf(install: InstallDoc) {
  const { _id, tenantId, installedAt, version, semver, range, updatedAt, ...key } = install;
  const hasPin = range !== undefined;
  const update = {
    $set: { version, semver, updatedAt, ...(hasPin ? { range } : {}) },
    ...(hasPin ? {} : { $unset: { range: true as const } }),
    $setOnInsert: { _id, tenantId, installedAt },
  };
  return { key, update };
}

/** Installations of a skill by version and pin. */
function groupByPin(installs: Collection<InstallDoc>, skillId: string): Promise<InstallGroup[]> {
  const _id = { version: "$version", semver: "$semver", range: "$range" };
  return installs
    .aggregate<InstallGroup>(
      [
        { $match: { skillId } },
        { $group: { _id, installs: { $sum: 1 } } },
        {
          $replaceWith: { $mergeObjects: ["$_id", { installs: "$installs" }] },
        },
      ],
      { maxTimeMS: commandTimeMs },
    )
    .toArray();
}

function beyond(after: InstallCursor | undefined): Filter<InstallDoc>[] {
  if (!after) return [];
  const { updatedAt, id } = after;
  return [
    { updatedAt: { $lte: updatedAt } },
    { $or: [{ updatedAt: { $lt: updatedAt } }, { _id: { $lt: id } }] },
  ];
}
