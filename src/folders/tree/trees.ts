/**
 * Folder trees, cached per process. Every use compares the cached revision with the stored one, so that a restriction
 * or a grant applies from the next request on, in every process.
 */
import { LRUCache } from "lru-cache";
import type { TreeState } from "../../../storage/folders/folders.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { FolderTree } from "./tree.ts";

/**
 * Maximum number of folders and grants in all cached trees, about 0.9 kB each, and the number that a tree itself counts
 * as. The largest tree that the limits permit has 300,000.
 */
const maxCachedParts = 400_000;
const ofTree = 10;
const cacheOf = perApp(
  () =>
    new LRUCache<string, FolderTree>({
      maxSize: maxCachedParts,
      sizeCalculation: (tree) => tree.size + tree.grantCount + ofTree,
    }),
);

/** The current tree of an organization. */
export async function loadTree(app: App, tenantId: string): Promise<FolderTree> {
  return (await loadTrees(app, [tenantId])).get(tenantId)!;
}

/** The current trees of organizations. `read`: their states, if the caller has read them for this use. */
export async function loadTrees(
  app: App,
  tenantIds: readonly string[],
  read?: readonly TreeState[],
): Promise<Map<string, FolderTree>> {
  if (tenantIds.length === 0) return new Map();
  const cache = cacheOf(app);
  // A committed change has to be copied to the folders before they are read.
  const isComplete = read?.every((state) => state.change === undefined);
  const states = isComplete ? read! : await readStates(app, tenantIds);
  const trees = new Map(tenantIds.map((id) => [id, new FolderTree(id)]));
  const withState = new Set(states.map((state) => state._id));
  for (const [tenantId, tree] of trees) if (!withState.has(tenantId)) cache.set(tenantId, tree);
  for (const { _id: tenantId, revision, prunedRevision = 0 } of states) {
    const before = cache.get(tenantId);
    const isUsable = before !== undefined && before.revision >= prunedRevision;
    const tree = isUsable ? before : new FolderTree(tenantId);
    trees.set(tenantId, tree);
    if (tree.revision >= revision) continue;
    tree.update(await app.storage.folders.listChanged(tenantId, tree.revision), revision);
    cache.set(tenantId, tree);
  }
  return trees;
}

/**
 * Cached trees, which may be outdated: the caller compares their revisions with states that it reads afterwards
 * (`haveRevisions`). Undefined if one of them is not cached.
 */
export function cachedTrees(app: App, tenantIds: readonly string[]): Map<string, FolderTree> | undefined {
  const cache = cacheOf(app);
  const trees = new Map<string, FolderTree>();
  for (const tenantId of tenantIds) {
    const tree = cache.get(tenantId);
    if (!tree) return undefined;
    trees.set(tenantId, tree);
  }
  return trees;
}

/** Whether the states are those of trees with these revisions by organization. An organization without state has 0. */
export function haveRevisions(states: readonly TreeState[], revisions: ReadonlyMap<string, number>): boolean {
  const stored = new Map(states.map((state) => [state._id, state.revision]));
  return [...revisions].every(([tenantId, revision]) => (stored.get(tenantId) ?? 0) === revision);
}

/** Query that is sent at the end of the current turn of the event loop. */
interface PendingQuery {
  tenantIds: Set<string>;
  states: Promise<TreeState[]>;
}
const pendingQueries = perApp<{ open?: PendingQuery }>(() => ({}));

/**
 * States of trees, read after this call. Calls in one turn of the event loop share a query, which is sent after all of
 * them, so that no caller gets a state from before its call.
 */
async function readStates(app: App, tenantIds: readonly string[]): Promise<TreeState[]> {
  const pending = pendingQueries(app);
  if (!pending.open) {
    const ids = new Set<string>();
    const states = new Promise((resolve) => setImmediate(resolve)).then(() => {
      delete pending.open;
      return app.storage.folders.readTrees([...ids]);
    });
    pending.open = { tenantIds: ids, states };
  }
  const { open } = pending;
  for (const id of tenantIds) open.tenantIds.add(id);
  const states = await open.states;
  return states.filter((state) => tenantIds.includes(state._id));
}
