/**
 * Updates the stored effective access of skills after a move or a change of a restriction. Access decisions use the
 * tree, so they don't depend on it; it keeps lists and the catalog fast and complete.
 */
import type { App } from "../../app.ts";
import type { FolderTree } from "../tree/tree.ts";
import { loadTree } from "../tree/trees.ts";

const folderSlice = 1000;
const skillSlice = 500;
/** Attempts if the tree changes concurrently; the reconcile job does the rest. */
const rounds = 10;

/** Queues the update of skills below a folder that moved or whose restriction changed. */
export function queueEffectiveAccessUpdate(app: App, tenantId: string): void {
  app.background("queue the update of effective access", () =>
    app.queue.enqueue("folders.update-access", { tenantId }),
  );
}

/** Returns the number of updated skills. `changed` receives their ids in slices. */
export async function updateEffectiveAccess(
  app: App,
  tenantId: string,
  changed: (skillIds: string[]) => void,
): Promise<number> {
  let count = 0;
  for (let round = 0; round < rounds; round++) {
    const outdated = await app.storage.folders.findOutdated(tenantId);
    if (outdated.length === 0) break;
    const tree = await loadTree(app, tenantId);
    const { revision } = tree;
    for (const [restriction, folderIds] of foldersByRestriction(tree, outdated)) {
      for (let at = 0; at < folderIds.length; at += folderSlice) {
        const slice = folderIds.slice(at, at + folderSlice);
        for await (const ids of app.storage.skillLocations.eachWithOutdatedAccess(
          tenantId,
          slice,
          restriction,
          skillSlice,
        )) {
          await app.storage.skillLocations.updateEffectiveAccess(ids, slice, restriction);
          changed(ids);
          count += ids.length;
        }
      }
    }
    if (await app.storage.folders.clearOutdated(tenantId, revision)) break;
  }
  await app.storage.folders.clearOutbox(tenantId, []);
  return count;
}

function foldersByRestriction(tree: FolderTree, roots: readonly string[]): Map<string | null, string[]> {
  const byRestriction = new Map<string | null, string[]>();
  const seen = new Set<string>();
  for (const root of roots) {
    for (const { _id } of tree.subtree(root)) {
      if (seen.has(_id)) continue;
      seen.add(_id);
      const restriction = tree.effectiveRestriction(_id);
      const list = byRestriction.get(restriction);
      if (list) list.push(_id);
      else byRestriction.set(restriction, [_id]);
    }
  }
  return byRestriction;
}
