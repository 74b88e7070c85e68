/**
 * Teams: groups of an organization's members that carry roles. Who is in one is kept with the memberships. A deleted
 * team keeps a marked document until its event is in the audit log and nothing names it any more.
 */
import type { Filter, IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { outboxUpdate, outboxOperations, type EventRow, type WithOutbox } from "./outbox.ts";
import type { RoleDoc } from "./roles.ts";
import { removeSlice } from "./slices.ts";

export interface TeamDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  name: string;
  /** Folded for comparison: unique in the organization. */
  nameKey: string;
  /** Built-in roles by name, custom ones by id. */
  roleIds: string[];
  /** Counts the changes: each is made on what its writer has seen. */
  revision: number;
  active?: true;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  removedAt?: Date;
}

/** A team with the custom roles that it carries. */
export type TeamWithRoles = Pick<TeamDoc, "_id" | "tenantId" | "roleIds"> & {
  roles: Pick<RoleDoc, "_id" | "tenantId" | "permissions" | "active">[];
};

export const teamIndexes: IndexDescription[] = [
  {
    key: { tenantId: 1, nameKey: 1 },
    unique: true,
    name: "team_name",
    partialFilterExpression: { active: true },
  },
  { key: { tenantId: 1, roleIds: 1 } },
  { key: { unsettledAt: 1 }, sparse: true },
  { key: { removedAt: 1 }, sparse: true },
];

export type Teams = ReturnType<typeof openTeams>;

export function openTeams(database: Database) {
  const teams = database.collection<TeamDoc>("teams");
  const withoutOutbox = { projection: { outbox: 0 } } as const;
  return {
    /** Throws a duplicate error of index `team_name` when the name is taken. */
    async insert(team: TeamDoc): Promise<void> {
      await teams.insertOne(team);
    },
    find: (tenantId: string, id: string) => teams.findOne({ _id: id, tenantId, active: true }, withoutOutbox),
    listByIds: (ids: string[]) => teams.find({ _id: { $in: ids }, active: true }, withoutOutbox).toArray(),
    /** Teams with what they carry, in one call: who a request acts as is asked before anything else. */
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
    listWithRole: (tenantId: string, roleId: string, limit: number) =>
      teams.find({ tenantId, roleIds: roleId, active: true }, withoutOutbox).limit(limit).toArray(),
    count: (tenantId: string) => teams.countDocuments({ tenantId, active: true }),

    /** Throws a duplicate error of index `team_name`. Null when the team is gone or has changed since `revision`. */
    update(
      id: string,
      revision: number,
      fields: Partial<Pick<TeamDoc, "name" | "nameKey" | "roleIds">>,
      now: Date,
      events: EventRow[],
    ): Promise<TeamDoc | null> {
      const outbox = outboxUpdate(events);
      return teams.findOneAndUpdate(
        { _id: id, active: true, revision },
        {
          $set: { ...fields, updatedAt: now, ...outbox.$set },
          $inc: { revision: 1 },
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Ends a team: from this write on its members have nothing by it. False when it was gone. */
    async markRemoved(id: string, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const result = await teams.updateOne(
        { _id: id, active: true },
        { $set: { removedAt: now, ...outbox.$set }, $unset: { active: true }, $push: outbox.$push },
      );
      return result.modifiedCount === 1;
    },
    findRemoved: (id: string) => teams.findOne({ _id: id, removedAt: { $exists: true } }),
    /** Deleted teams that are still to be cleaned up after. */
    listRemoved: (before: Date, limit: number) =>
      teams
        .find({ removedAt: { $lte: before } })
        .limit(limit)
        .toArray(),
    async remove(id: string): Promise<void> {
      await teams.deleteOne({ _id: id });
    },
    removeOfTenant: (tenantId: string) => removeSlice(teams, { tenantId }),

    ...outboxOperations(teams),
  };
}
