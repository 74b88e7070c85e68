/**
 * Brings up to date what skills say of their place after a restriction or a move has changed which folder governs them.
 * Direct reads and lists ask the tree, so this decides nothing: it keeps lists and the catalog fast and complete.
 */
import type { App } from "../app.ts";
import { loadTree } from "./load.ts";
import type { FolderTree } from "./tree.ts";

const folderSlice = 1000;
const skillSlice = 500;
/** How often it begins again because the tree changed meanwhile; the reconcile job does the rest. */
const rounds = 10;

/** Answers how many skills were brought up to date. `changed` gets their ids, slice by slice. */
export async function governSkills(
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
    for (const [governing, folderIds] of foldersByGoverning(tree, outdated)) {
      for (let at = 0; at < folderIds.length; at += folderSlice) {
        const slice = folderIds.slice(at, at + folderSlice);
        for await (const ids of app.storage.skillPlaces.eachMisplaced(
          tenantId,
          slice,
          governing,
          skillSlice,
        )) {
          await app.storage.skillPlaces.govern(ids, slice, governing);
          changed(ids);
          count += ids.length;
        }
      }
    }
    if (await app.storage.folders.clearOutdated(tenantId, revision)) break;
  }
  await app.storage.folders.settle(tenantId, []);
  return count;
}

function foldersByGoverning(tree: FolderTree, roots: readonly string[]): Map<string | null, string[]> {
  const byGoverning = new Map<string | null, string[]>();
  const seen = new Set<string>();
  for (const root of roots) {
    for (const { _id } of tree.subtree(root)) {
      if (seen.has(_id)) continue;
      seen.add(_id);
      const governing = tree.governing(_id);
      const list = byGoverning.get(governing);
      if (list) list.push(_id);
      else byGoverning.set(governing, [_id]);
    }
  }
  return byGoverning;
}
