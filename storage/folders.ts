/**
 * The folder tree of each organization. A tree has one small document whose revision is the commit point of every change
 * to it: a compare-and-set stores the changed folders there, from where they are carried to `folders` before anything
 * else is read or changed. So a change is whole or has not happened, and two writers never make a circle.
 */
import type { IndexDescription } from "mongodb";
import type { FolderLevel, PrincipalType } from "../contract/vocabulary.ts";
import { isDuplicate, type Database } from "./database.ts";
import {
  listUnsettled,
  isOnlyThereAlready,
  outboxUpdate,
  settleOutbox,
  type EventRow,
  type WithOutbox,
} from "./outbox.ts";

export interface FolderGrant {
  type: PrincipalType;
  /** A team's or a user's. */
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
  /** Of personal workspaces: the root of them all, or one member's. */
  managed?: { kind: "root" } | { kind: "workspace"; userId: string };
  /** Its deletion is under way: nothing may be put into it any more. */
  closing?: boolean;
  deletedAt?: Date;
  /** Of the tree, at which this folder changed last. */
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
  /** Folders as the last change left them, until they are in `folders`. */
  change?: FolderDoc[];
  /** Folders beneath which skills may say something outdated about their place. */
  outdated?: string[];
  /** The revision up to which deleted folders are gone: older copies of the tree are read afresh. */
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

  /** Carries a committed change to the folders; running it twice, or late, changes nothing. */
  async function carry(tree: TreeState): Promise<void> {
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
        // Where the filter passes a newer row over, the upsert meets its id.
        if (!isOnlyThereAlready(error)) throw error;
      }
    }
    await trees.updateOne({ _id: tree._id, revision: tree.revision }, { $unset: { change: true } });
  }

  return {
    /** The states of some organizations' trees, with everything that was committed carried over. */
    async readTrees(tenantIds: readonly string[]): Promise<TreeState[]> {
      const only = tenantIds.length === 1 ? tenantIds[0]! : { $in: [...tenantIds] };
      const found = await trees.find({ _id: only }, { projection: state }).toArray();
      for (const tree of found) if (tree.change) await carry(tree);
      return found;
    },
    /** Folders that changed after a revision, deleted ones included; 0 for all of them. */
    listChanged: (tenantId: string, after: number): Promise<FolderDoc[]> =>
      folders.find({ tenantId, revision: { $gt: after } }).toArray(),
    find: (id: string) => folders.findOne({ _id: id, deletedAt: { $exists: false } }),
    /** With their grants. */
    listWhole: (ids: string[]) =>
      folders.find({ _id: { $in: ids }, deletedAt: { $exists: false } }).toArray(),
    listByIds: (ids: string[]) =>
      folders
        .find({ _id: { $in: ids }, deletedAt: { $exists: false } }, { projection: { grants: 0 } })
        .toArray(),

    /**
     * Commits a change on the tree as it was at `expected`: all rows, their events and what they outdate, or nothing.
     * False when the tree has moved on. The rows carry the next revision.
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
          ...(outdated.length > 0 ? { $addToSet: { outdated: { $each: outdated } } } : {}),
        },
      );
      if (result.modifiedCount === 0) return false;
      await carry({ _id: tenantId, revision: expected + 1, change: change.rows });
      return true;
    },
    /** Whether a revision came to be by this change: asked after an answer that got lost. */
    async holdsRow(row: Pick<FolderDoc, "_id" | "revision">): Promise<boolean> {
      return (
        (await folders.findOne({ _id: row._id, revision: row.revision }, { projection: { _id: 1 } })) !== null
      );
    },

    /** Ids of folders with a grant to a principal, for taking it away. */
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

    /** Folders whose deletion was begun before a time and not ended. */
    listClosing: (before: Date, limit: number) =>
      folders
        .find(
          { closing: true, updatedAt: { $lt: before }, deletedAt: { $exists: false } },
          { projection: { tenantId: 1 } },
        )
        .limit(limit)
        .toArray(),
    /** What every folder is called where, in slices. */
    async *eachPlace(
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
    listUnsettled: (before: Date, limit: number) => listUnsettled(trees, before, limit),
    findOutdated: async (tenantId: string): Promise<string[]> =>
      (await trees.findOne({ _id: tenantId }, { projection: { outdated: 1 } }))?.outdated ?? [],
    /** Folders whose skills were brought up to date; those that a change has named again since then stay. */
    async clearOutdated(tenantId: string, revision: number): Promise<boolean> {
      return (
        (await trees.updateOne({ _id: tenantId, revision }, { $set: { outdated: [] } })).matchedCount === 1
      );
    },
    /** Takes carried events off; the mark goes with the last of what waits. */
    async settle(tenantId: string, eventIds: string[]): Promise<void> {
      await settleOutbox(trees, tenantId, eventIds);
      await trees.updateOne(
        { _id: tenantId, "outdated.0": { $exists: true }, unsettledAt: { $exists: false } },
        { $set: { unsettledAt: new Date() } },
      );
    },

    /** Removes folders that were deleted before a time; answers whose trees lost some. */
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
