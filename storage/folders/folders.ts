/**
 * Folder tree of each organization. A tree has one small document whose revision is the commit point of every change: a
 * compare-and-set stores the changed folders in it, from where they are copied to `folders` before the next read or
 * change. Therefore changes are atomic, and concurrent writers never create a cycle.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import type { Database } from "../database.ts";
import type { FolderDoc, FolderTreeDoc } from "./document.ts";
import { treeOperations } from "./tree.ts";

export { type FolderDoc, type FolderGrant, type FolderNode, type TreeState } from "./document.ts";
import { listIds } from "../ids.ts";
export const foldersCollection = defineCollection({
  name: "folders",
  indexes: [
    { key: { tenantId: 1, revision: 1 } },
    { key: { tenantId: 1, "grants.id": 1 } },
    { key: { deletedAt: 1 }, sparse: true },
    { key: { closing: 1 }, sparse: true },
  ],
  others: { folder_trees: [{ key: { pendingSince: 1 }, sparse: true }] },
  open: openFolders,
});

function openFolders(folders: Collection<FolderDoc>, database: Database) {
  const trees = database.collection<FolderTreeDoc>("folder_trees");

  return {
    ...treeOperations(trees, folders),
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
    /** Ids of folders with a grant to a principal, for revoking it. */
    listGrantedTo: (tenantId: string, principalId: string, limit: number) =>
      listIds(folders, { tenantId, "grants.id": principalId, deletedAt: { $exists: false } }, { limit }),

    /**
     * Restricted folders with a grant to any of the principals, with these grants only, without personal workspaces.
     * Read trees first.
     */
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
            managed: { $exists: false },
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
    /** A slice of the locations of all folders, in order of their ids. */
    listLocations: (
      id: string | undefined,
      limit: number,
    ): Promise<Pick<FolderDoc, "_id" | "tenantId" | "parentId" | "slug">[]> =>
      folders
        .find(
          { _id: id === undefined ? undefined : { $gt: id }, deletedAt: { $exists: false } },
          { projection: { tenantId: 1, parentId: 1, slug: 1 } },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
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
