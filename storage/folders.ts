/**
 * Folder tree of each organization. A tree has one small document whose revision is the commit point of every change: a
 * compare-and-set stores the changed folders in it, from where they are copied to `folders` before the next read or
 * change. Therefore changes are atomic, and concurrent writers never create a cycle.
 */
import type { IndexDescription } from "mongodb";
import type { FolderLevel, PrincipalType } from "../contract/vocabulary.ts";
import { isDuplicate, type Database } from "./database.ts";
import {
  listUnflushed,
  isOnlyThereAlready,
  outboxUpdate,
  clearOutbox,
  type EventRow,
  type WithOutbox,
} from "./outbox.ts";

export interface FolderGrant {
  type: PrincipalType;
  /** Id of a team or user. */
  id: string;
  level: FolderLevel;
}

export interface FolderDoc {
  _id: string;
  tenantId: string;
  parentId: string | null;
  slug: string;
  name: string;
  restricted: boolean;
  grants: FolderGrant[];
  /** Set for personal workspaces: the folder of all of them, or the one of a member. */
  managed?: { kind: "root" } | { kind: "workspace"; userId: string };
  /** Set during its deletion: nothing may be put into it any more. */
  closing?: boolean;
  deletedAt?: Date;
  /** Revision of the tree at which this folder changed last. */
  revision: number;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A folder, without the grants on it. */
export type FolderNode = Omit<FolderDoc, "grants">;

export interface FolderTreeDoc extends WithOutbox {
  /** The organization's id. */
  _id: string;
  revision: number;
  /** Folders of the last change, until they are copied to `folders`. */
  change?: FolderDoc[];
  /** Folders whose skills may have outdated effective access. */
  outdated?: string[];
  /** Revision up to which deleted folders are removed: older cached trees are read again. */
  prunedRevision?: number;
}

export type TreeState = Pick<FolderTreeDoc, "_id" | "revision" | "change" | "prunedRevision">;

export const folderIndexes: IndexDescription[] = [
  { key: { tenantId: 1, revision: 1 } },
  { key: { tenantId: 1, "grants.id": 1 } },
  { key: { deletedAt: 1 }, sparse: true },
  { key: { closing: 1 }, sparse: true },
];
export const folderTreeIndexes: IndexDescription[] = [{ key: { unsettledAt: 1 }, sparse: true }];

export type Folders = ReturnType<typeof openFolders>;

export function openFolders(database: Database) {
  const folders = database.collection<FolderDoc>("folders");
  const trees = database.collection<FolderTreeDoc>("folder_trees");
  const state = { revision: 1, change: 1, prunedRevision: 1 } as const;

  /** Copies a committed change to the folders. Idempotent, and without effect on newer rows. */
  async function copyChange(tree: TreeState): Promise<void> {
    const rows = tree.change ?? [];
    if (rows.length > 0) {
      try {
        await folders.bulkWrite(
          rows.map((row) => ({
            replaceOne: {
              filter: { _id: row._id, revision: { $lt: row.revision } },
              replacement: row,
              upsert: true,
            },
          })),
          { ordered: false },
        );
      } catch (error) {
        // If the filter skips a newer row, the upsert fails with a duplicate id.
        if (!isOnlyThereAlready(error)) throw error;
      }
    }
    await trees.updateOne({ _id: tree._id, revision: tree.revision }, { $unset: { change: true } });
  }

  return {
    /** States of the given trees, once every committed change is copied. */
    async readTrees(tenantIds: readonly string[]): Promise<TreeState[]> {
      const only = tenantIds.length === 1 ? tenantIds[0]! : { $in: [...tenantIds] };
      const found = await trees.find({ _id: only }, { projection: state }).toArray();
      for (const tree of found) if (tree.change) await copyChange(tree);
      return found;
    },
    /** Folders that changed after a revision, including deleted ones; 0 returns all. */
    listChanged: (tenantId: string, after: number): Promise<FolderDoc[]> =>
      folders.find({ tenantId, revision: { $gt: after } }).toArray(),
    find: (id: string) => folders.findOne({ _id: id, deletedAt: { $exists: false } }),
    /** Folders with their grants. */
    listWithGrants: (ids: string[]) =>
      folders.find({ _id: { $in: ids }, deletedAt: { $exists: false } }).toArray(),
    listByIds: (ids: string[]) =>
      folders
        .find({ _id: { $in: ids }, deletedAt: { $exists: false } }, { projection: { grants: 0 } })
        .toArray(),

    /**
     * Commits a change to the tree at revision `expected`: all rows, events and outdated folders, or nothing. Returns
     * false if the tree has changed. The rows contain the next revision.
     */
    async commit(
      tenantId: string,
      expected: number,
      change: { rows: FolderDoc[]; events: EventRow[]; outdated?: string[] },
    ): Promise<boolean> {
      const outbox = outboxUpdate(change.events);
      const outdated = change.outdated ?? [];
      if (expected === 0) {
        try {
          await trees.insertOne({ _id: tenantId, revision: 0, outbox: [], outdated: [] });
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
      }
      const result = await trees.updateOne(
        { _id: tenantId, revision: expected, change: { $exists: false } },
        {
          $set: { revision: expected + 1, change: change.rows, ...outbox.$set },
          $push: outbox.$push,
          $addToSet: outdated.length > 0 ? { outdated: { $each: outdated } } : undefined,
        },
      );
      if (result.modifiedCount === 0) return false;
      await copyChange({ _id: tenantId, revision: expected + 1, change: change.rows });
      return true;
    },
    /** Whether a change was committed, for a caller that lost the response to `commit`. */
    async hasRow(row: Pick<FolderDoc, "_id" | "revision">): Promise<boolean> {
      return (
        (await folders.findOne({ _id: row._id, revision: row.revision }, { projection: { _id: 1 } })) !== null
      );
    },

    /** Ids of folders with a grant to a principal, for revoking it. */
    async listGrantedTo(tenantId: string, principalId: string, limit: number): Promise<string[]> {
      const rows = await folders
        .find(
          { tenantId, "grants.id": principalId, deletedAt: { $exists: false } },
          { projection: { _id: 1 } },
        )
        .limit(limit)
        .toArray();
      return rows.map((row) => row._id);
    },

    /** Restricted folders with a grant to any of the principals, with these grants only. Read trees first. */
    listRestrictedTo: (
      tenantId: string,
      principalIds: readonly string[],
    ): Promise<Pick<FolderDoc, "_id" | "grants">[]> =>
      folders
        .find(
          {
            tenantId,
            "grants.id": { $in: [...principalIds] },
            restricted: true,
            deletedAt: { $exists: false },
          },
          {
            projection: {
              grants: {
                $filter: { input: "$grants", as: "grant", cond: { $in: ["$$grant.id", [...principalIds]] } },
              },
            },
          },
        )
        .toArray(),

    /** Folders whose deletion began before a time and is not finished. */
    listClosing: (before: Date, limit: number) =>
      folders
        .find(
          { closing: true, updatedAt: { $lt: before }, deletedAt: { $exists: false } },
          { projection: { tenantId: 1 } },
        )
        .limit(limit)
        .toArray(),
    /** Parent and slug of every folder, in slices. */
    async *eachLocation(
      slice: number,
    ): AsyncGenerator<Pick<FolderDoc, "_id" | "tenantId" | "parentId" | "slug">[]> {
      for (let last = ""; ;) {
        const rows = await folders
          .find(
            { _id: { $gt: last }, deletedAt: { $exists: false } },
            { projection: { tenantId: 1, parentId: 1, slug: 1 } },
          )
          .sort({ _id: 1 })
          .limit(slice)
          .toArray();
        if (rows.length === 0) return;
        yield rows;
        last = rows.at(-1)!._id;
      }
    },

    /** Trees that carry events or name outdated folders, oldest first. */
    listUnflushed: (before: Date, limit: number) => listUnflushed(trees, before, limit),
    findOutdated: async (tenantId: string): Promise<string[]> =>
      (await trees.findOne({ _id: tenantId }, { projection: { outdated: 1 } }))?.outdated ?? [],
    /** Clears the list of outdated folders, unless the tree has changed since `revision`. */
    async clearOutdated(tenantId: string, revision: number): Promise<boolean> {
      return (
        (await trees.updateOne({ _id: tenantId, revision }, { $set: { outdated: [] } })).matchedCount === 1
      );
    },
    /** Takes carried events off; the mark goes with the last of what waits. */
    async clearOutbox(tenantId: string, eventIds: string[]): Promise<void> {
      await clearOutbox(trees, tenantId, eventIds);
      await trees.updateOne(
        { _id: tenantId, "outdated.0": { $exists: true }, unsettledAt: { $exists: false } },
        { $set: { unsettledAt: new Date() } },
      );
    },

    /** Removes folders that were deleted before a time. Returns their number. */
    async prune(before: Date, limit: number): Promise<number> {
      const rows = await folders
        .find({ deletedAt: { $lt: before } }, { projection: { tenantId: 1, revision: 1 } })
        .limit(limit)
        .toArray();
      const newest = new Map<string, number>();
      for (const { tenantId, revision } of rows)
        newest.set(tenantId, Math.max(revision, newest.get(tenantId) ?? 0));
      for (const [tenantId, revision] of newest)
        await trees.updateOne({ _id: tenantId }, { $max: { prunedRevision: revision } });
      await folders.deleteMany({ _id: { $in: rows.map((row) => row._id) } });
      return rows.length;
    },
    async removeOfTenant(tenantId: string): Promise<void> {
      await folders.deleteMany({ tenantId });
      await trees.deleteOne({ _id: tenantId });
    },
  };
}
