/**
 * Teams: groups of an organization's members that have roles. The memberships name the teams of a member. The document
 * of a deleted team is kept until nothing names the team.
 */
import type { Collection, Filter } from "mongodb";
import { defineCollection } from "../collection.ts";
import { listIds } from "../ids.ts";
import { namedIndexes, namedOperations, type NamedDoc } from "../named.ts";
import { withoutOutbox } from "../outbox.ts";
import type { RoleDoc } from "./roles.ts";

export interface TeamDoc extends NamedDoc {
  description?: string;
  /** Built-in roles by name, custom ones by id. */
  roleIds: string[];
}

/** A team with its custom roles. */
export type TeamWithRoles = Pick<TeamDoc, "_id" | "tenantId" | "roleIds"> & {
  roles: Pick<RoleDoc, "_id" | "tenantId" | "permissions" | "active">[];
};

export const teamsCollection = defineCollection({
  name: "teams",
  indexes: [...namedIndexes("team_name"), { key: { tenantId: 1, roleIds: 1 } }],
  outbox: true,
  open: (teams: Collection<TeamDoc>) => ({
    ...namedOperations(teams),
    /** Teams with their roles, in one call, since every request needs them to determine the caller's permissions. */
    listWithRoles: (ids: string[]) =>
      teams
        .aggregate<TeamWithRoles>([
          { $match: { _id: { $in: ids }, active: true } },
          { $lookup: { from: "roles", localField: "roleIds", foreignField: "_id", as: "roles" } },
          {
            $project: {
              tenantId: 1,
              roleIds: 1,
              roles: { _id: 1, tenantId: 1, permissions: 1, active: 1 },
            },
          },
        ])
        .toArray(),
    /** A page of an organization's teams, by name. */
    list(tenantId: string, after: string | undefined, limit: number): Promise<TeamDoc[]> {
      const filter: Filter<TeamDoc> = { tenantId, active: true };
      if (after !== undefined) filter.nameKey = { $gt: after };
      return teams.find(filter, withoutOutbox).sort({ nameKey: 1 }).limit(limit).toArray();
    },
    /** Ids of the teams of organizations that have an id or a name. */
    listIdsNamed: async (tenantIds: string[], id: string, nameKey: string): Promise<string[]> =>
      listIds(teams, { tenantId: { $in: tenantIds }, $or: [{ _id: id }, { nameKey }], active: true }),
    findByName: (tenantId: string, nameKey: string) =>
      teams.findOne({ tenantId, nameKey, active: true }, withoutOutbox),
    listWithRole: (tenantId: string, roleId: string, limit: number) =>
      teams.find({ tenantId, roleIds: roleId, active: true }, withoutOutbox).limit(limit).toArray(),
    findRemoved: (id: string) => teams.findOne({ _id: id, removedAt: { $exists: true } }),
    /** Deleted teams whose clean-up is pending. */
    listRemoved: (before: Date, limit: number) =>
      teams
        .find({ removedAt: { $lte: before } })
        .limit(limit)
        .toArray(),
    async remove(id: string): Promise<void> {
      await teams.deleteOne({ _id: id });
    },
  }),
});
