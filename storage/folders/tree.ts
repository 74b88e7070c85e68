/** Changes of the tree, each committed by a compare-and-set on its revision, and its outbox. */
import type { Collection } from "mongodb";
import { isDuplicate } from "../database.ts";
import { clearOutbox, isOnlyThereAlready, listUnflushed, outboxUpdate, type EventRow } from "../outbox.ts";
import type { FolderDoc, FolderTreeDoc, TreeState } from "./document.ts";

const state = { revision: 1, change: 1, prunedRevision: 1 } as const;

export function treeOperations(trees: Collection<FolderTreeDoc>, folders: Collection<FolderDoc>) {
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
    /** Trees with unpublished events or outdated folders, oldest first. */
    listUnflushed: (before: Date, limit: number) => listUnflushed(trees, before, limit),
    findOutdated: async (tenantId: string): Promise<string[]> =>
      (await trees.findOne({ _id: tenantId }, { projection: { outdated: 1 } }))?.outdated ?? [],
    /** Clears the list of outdated folders, unless the tree has changed since `revision`. */
    async clearOutdated(tenantId: string, revision: number): Promise<boolean> {
      return (
        (await trees.updateOne({ _id: tenantId, revision }, { $set: { outdated: [] } })).matchedCount === 1
      );
    },
    /** Clears published events. The mark stays while outdated folders are listed. */
    async clearOutbox(tenantId: string, eventIds: string[]): Promise<void> {
      await clearOutbox(trees, tenantId, eventIds);
      await trees.updateOne(
        { _id: tenantId, "outdated.0": { $exists: true }, pendingSince: { $exists: false } },
        { $set: { pendingSince: new Date() } },
      );
    },
  };
}
