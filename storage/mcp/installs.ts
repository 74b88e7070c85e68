/** Installations of MCP servers by members of their organization, with the installed revisions. */
import type { Collection } from "mongodb";
import type { InstallScope, McpInstallMode, McpTarget } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate } from "../database.ts";
import { listIds } from "../ids.ts";
import { removeSlice } from "../maintenance/slices.ts";

/** The key of an installation. */
export interface McpInstallKey {
  serverId: string;
  userId: string;
  /** Id that the client has generated. */
  machine: string;
  platform: McpTarget;
  scope: InstallScope;
}

export interface McpInstallDoc extends McpInstallKey {
  _id: string;
  tenantId: string;
  revision: number;
  via: McpInstallMode;
  installedAt: Date;
  updatedAt: Date;
}

/** Sort values of the last row of the previous page. */
export interface McpInstallCursor {
  updatedAt: Date;
  id: string;
}

const latestFirst = { updatedAt: -1, _id: -1 } as const;

export const mcpInstallsCollection = defineCollection({
  name: "mcp_installs",
  indexes: [
    {
      key: { serverId: 1, userId: 1, machine: 1, platform: 1, scope: 1 },
      unique: true,
      name: "mcp_install",
    },
    { key: { serverId: 1, ...latestFirst } },
    { key: { tenantId: 1, userId: 1 } },
  ],
  open: (installs: Collection<McpInstallDoc>) => ({
    /** Records the installed revision. Returns whether the installation is new. */
    async put({
      _id,
      tenantId,
      installedAt,
      revision,
      via,
      updatedAt,
      ...key
    }: McpInstallDoc): Promise<boolean> {
      const update = { $set: { revision, via, updatedAt }, $setOnInsert: { _id, tenantId, installedAt } };
      const write = async () => (await installs.updateOne(key, update, { upsert: true })).upsertedCount === 1;
      try {
        return await write();
      } catch (error) {
        // A concurrent call has inserted it.
        if (!isDuplicate(error, "mcp_install")) throw error;
        return write();
      }
    },
    async remove({ serverId, userId, machine, platform, scope }: McpInstallKey): Promise<void> {
      await installs.deleteOne({ serverId, userId, machine, platform, scope });
    },
    /** Keeps only the latest `most` installations of a server by a member. */
    async keepLatest(serverId: string, userId: string, most: number): Promise<void> {
      const rest = await listIds(installs, { serverId, userId }, { sort: latestFirst, skip: most });
      if (rest.length > 0) await installs.deleteMany({ _id: { $in: rest } });
    },
    /** Installations of a server, latest report first. */
    listOfServer: (serverId: string, after: McpInstallCursor | undefined, limit: number) =>
      installs
        .find({ serverId, ...(after ? beyond(after) : {}) }, { maxTimeMS: commandTimeMs })
        .sort(latestFirst)
        .limit(limit)
        .toArray(),
    ...countOperations(installs),
    removeOfServer: (serverId: string) => removeSlice(installs, { serverId }),
    /** Removes a slice of a user's installations in an organization; returns how many were removed. */
    removeOfMember: (tenantId: string, userId: string) => removeSlice(installs, { tenantId, userId }),
  }),
});

function countOperations(installs: Collection<McpInstallDoc>) {
  return {
    /** Installations of a server by tool and revision. */
    groupOfServer: (serverId: string) =>
      installs
        .aggregate<{ platform: McpTarget; revision: number; installs: number }>(
          [
            { $match: { serverId } },
            { $group: { _id: { platform: "$platform", revision: "$revision" }, installs: { $sum: 1 } } },
            { $replaceWith: { $mergeObjects: ["$_id", { installs: "$installs" }] } },
          ],
          { maxTimeMS: commandTimeMs },
        )
        .toArray(),
    async countMembers(serverId: string): Promise<number> {
      const [counted] = await installs
        .aggregate<{ members: number }>(
          [{ $match: { serverId } }, { $group: { _id: "$userId" } }, { $count: "members" }],
          { maxTimeMS: commandTimeMs },
        )
        .toArray();
      return counted?.members ?? 0;
    },
  };
}

function beyond({ updatedAt, id }: McpInstallCursor) {
  return {
    updatedAt: { $lte: updatedAt },
    $or: [{ updatedAt: { $lt: updatedAt } }, { _id: { $lt: id } }],
  };
}
