/** Installations of an organization, grouped for its analytics. Each query returns a bounded number of groups. */
import type { Target } from "../../contract/vocabulary.ts";
import { commandTimeMs, type Database } from "../database.ts";
import type { InstallDoc } from "../usage/installs.ts";

/** Skills of an organization: all of them without `skillIds`. */
export interface InstallScopeFilter {
  tenantId: string;
  skillIds?: readonly string[];
}

/** Places in which a member has a version of a skill with the same pin. */
export type PersonVersion = Pick<InstallDoc, "skillId" | "userId" | "version" | "semver" | "range"> & {
  installs: number;
};

/** A tool on a machine of a member, with the skills in it. */
export interface Setup {
  userId: string;
  machine: string;
  platform: Target;
  skillIds: string[];
}

export function openInstallGroups(database: Database) {
  const installs = database.collection<InstallDoc>("installs");
  const group = <T extends object>(
    match: object,
    fields: readonly (keyof InstallDoc)[],
    sums: object,
    limit: number,
  ) =>
    installs
      .aggregate<T>(
        [
          { $match: match },
          { $group: { _id: Object.fromEntries(fields.map((field) => [field, `$${field}`])), ...sums } },
          { $limit: limit },
          { $replaceWith: { $mergeObjects: ["$_id", "$$ROOT", "$_id"] } },
          { $unset: "_id" },
        ],
        { maxTimeMS: commandTimeMs },
      )
      .toArray();
  const scoped = ({ tenantId, skillIds }: InstallScopeFilter) => ({
    tenantId,
    ...(skillIds ? { skillId: { $in: [...skillIds] } } : {}),
  });
  const places = { installs: { $sum: 1 } };
  return {
    /** Places of each member. */
    listPeople: (scope: InstallScopeFilter, limit: number) =>
      group<{ userId: string; installs: number }>(scoped(scope), ["userId"], places, limit),
    /** Versions that each member has of a skill. */
    listOfSkill: (skillId: string, limit: number) =>
      group<PersonVersion>({ skillId }, ["skillId", "userId", "version", "semver", "range"], places, limit),
    /** Versions of a skill on each machine. */
    listMachines: (skillId: string, limit: number) =>
      group<Pick<InstallDoc, "userId" | "machine" | "version" | "semver" | "range">>(
        { skillId },
        ["userId", "machine", "version", "semver", "range"],
        {},
        limit,
      ),
    /** Versions that some members have of the skills. */
    listOfPeople: (scope: InstallScopeFilter, userIds: readonly string[], limit: number) =>
      group<PersonVersion>(
        { ...scoped(scope), userId: { $in: [...userIds] } },
        ["skillId", "userId", "version", "semver", "range"],
        places,
        limit,
      ),
    listSetups: (scope: InstallScopeFilter, limit: number) =>
      group<Setup>(
        scoped(scope),
        ["userId", "machine", "platform"],
        { skillIds: { $addToSet: "$skillId" } },
        limit,
      ),
  };
}
