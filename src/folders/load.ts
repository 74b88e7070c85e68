/**
 * What the access decision has to know about folders. The tree in memory is brought up to date on every use, at the
 * price of one look at its revision, so that a restriction or a grant counts from the next request on, in every process.
 */
import { LRUCache } from "lru-cache";
import { folderLevels, type FolderLevel, type Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { FolderDoc } from "../../storage/folders.ts";
import type { Actor } from "../access/actor.ts";
import {
  bypassesRestrictions,
  decideFolder,
  limitsOf,
  mayInPlace,
  membershipIn,
  type FolderFacts,
  type PlaceFacts,
} from "../access/decide.ts";
import type { App } from "../app.ts";
import { forbidden, notFound, unauthenticated } from "../errors.ts";
import { FolderTree } from "./tree.ts";

/** Trees in memory, bounded by the folders in all of them. */
const keptFolders = 400_000;
const kept = new WeakMap<App, LRUCache<string, FolderTree>>();

/** The grants that count for an actor in one organization: folder to the highest level. */
export type Grants = ReadonlyMap<string, FolderLevel>;
const none: Grants = new Map();

/** An organization's tree as it is now. */
export async function loadTree(app: App, tenantId: string): Promise<FolderTree> {
  return (await loadTrees(app, [tenantId])).get(tenantId)!;
}

export async function loadTrees(app: App, tenantIds: readonly string[]): Promise<Map<string, FolderTree>> {
  let cache = kept.get(app);
  if (!cache) {
    const sizeCalculation = (tree: FolderTree) => tree.size + 1;
    kept.set(app, (cache = new LRUCache({ maxSize: keptFolders, sizeCalculation })));
  }
  if (tenantIds.length === 0) return new Map();
  const states = await app.storage.folders.readTrees(tenantIds);
  const trees = new Map(tenantIds.map((id) => [id, new FolderTree(id)]));
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
 * The actor's grants in some organizations, by organization. Those beyond restrictions have no use for any. Looked up for
 * strangers too, who have none: an answer must not take another time by whose organization it is about.
 */
export async function loadGrants(
  app: App,
  actor: Actor,
  tenantIds: readonly string[],
): Promise<Map<string, Map<string, FolderLevel>>> {
  const byTenant = new Map(tenantIds.map((id) => [id, new Map<string, FolderLevel>()]));
  if (actor.kind !== "user") return byTenant;
  const subject = tenantIds.filter((id) => !bypassesRestrictions(actor, id));
  if (subject.length === 0) return byTenant;
  const principals = [actor.userId, ...subject.flatMap((id) => membershipIn(actor, id)?.teamIds ?? [])];
  for (const row of await app.storage.folders.listGrants(subject, principals)) {
    const grants = byTenant.get(row.tenantId)!;
    for (const { level } of row.grants) {
      const held = grants.get(row._id);
      if (held === undefined || rank(level) > rank(held)) grants.set(row._id, level);
    }
  }
  return byTenant;
}

const rank = (level: FolderLevel) => folderLevels.indexOf(level);

/** The facts of a place. A folder that is not there counts as one that nobody has a grant on. */
export function placeIn(tree: FolderTree, grants: Grants, folderId: string | null): PlaceFacts | null {
  if (folderId === null) return null;
  const folderIds = tree.ancestry(folderId).map((node) => node._id);
  if (folderIds.length === 0) return { folderIds: [folderId], governing: { folderId, level: null } };
  const governing = tree.governing(folderId);
  return {
    folderIds,
    governing: governing === null ? null : { folderId: governing, level: grants.get(governing) ?? null },
  };
}

/** The places of things that lie in folders, in their order; nothing is read for what lies at a root. */
export async function loadPlaces(
  app: App,
  actor: Actor,
  things: readonly { tenantId: string; folderId: string | null }[],
): Promise<(PlaceFacts | null)[]> {
  const tenantIds = [...new Set(things.filter((one) => one.folderId !== null).map((one) => one.tenantId))];
  if (tenantIds.length === 0) return things.map(() => null);
  const [trees, grants] = await Promise.all([loadTrees(app, tenantIds), loadGrants(app, actor, tenantIds)]);
  return things.map(({ tenantId, folderId }) =>
    folderId === null ? null : placeIn(trees.get(tenantId)!, grants.get(tenantId) ?? none, folderId),
  );
}

/** An organization's folders as an actor has to do with them. */
export interface FolderView {
  tree: FolderTree;
  actor: Actor;
  grants: Grants;
}

export async function loadFolderView(app: App, actor: Actor, tenantId: string): Promise<FolderView> {
  const [tree, grants] = await Promise.all([loadTree(app, tenantId), loadGrants(app, actor, [tenantId])]);
  return { tree, actor, grants: grants.get(tenantId) ?? none };
}

/** The ids of the folders that a tree shows the actor: what they may read in, and the way there. */
export function visibleFolders(view: FolderView): Set<string> {
  const { tree, actor, grants } = view;
  const visible = new Set<string>();
  for (const node of tree.nodes()) {
    if (visible.has(node._id)) continue;
    if (!mayInPlace(actor, "skill:read", tree.tenantId, placeIn(tree, grants, node._id))) continue;
    for (const around of tree.ancestry(node._id)) {
      if (visible.has(around._id)) break;
      visible.add(around._id);
    }
  }
  return visible;
}

/** Whether some folder beneath is within reach. Walked only for a folder that is not itself readable. */
function isOnTheWay({ tree, actor, grants }: FolderView, folderId: string): boolean {
  const allowed = limitsOf(actor).allowedFolderIds;
  // Only a folder that is granted or allowed by name can be in reach beneath one that is not.
  const named = [...grants.keys(), ...(allowed ?? [])];
  return named.some(
    (id) =>
      id !== folderId &&
      tree.isWithin(id, folderId) &&
      mayInPlace(actor, "skill:read", tree.tenantId, placeIn(tree, grants, id)),
  );
}

/** Whether a tree shows the actor this folder. */
export function isVisible(view: FolderView, folderId: string): boolean {
  return decideFolder(view.actor, "see", factsIn(view, folderId)) === "allowed";
}

/** Whether the actor may do this with the folder, or in it. */
export function isAllowed(view: FolderView, permission: Permission, folderId: string): boolean {
  return decideFolder(view.actor, permission, factsIn(view, folderId)) === "allowed";
}

function factsIn(view: FolderView, folderId: string): FolderFacts | undefined {
  const { tree, grants } = view;
  if (!tree.get(folderId)) return undefined;
  const place = placeIn(tree, grants, folderId)!;
  return { tenantId: tree.tenantId, place, isOnTheWay: isOnTheWay(view, folderId) };
}

/** The rule on a folder of a view. Throws `not_found` for what is not to be seen. */
export function admitFolder(
  view: FolderView,
  permission: Permission | "see",
  folderId: string,
  ref: string,
): void {
  const verdict = decideFolder(view.actor, permission, factsIn(view, folderId));
  if (verdict === "unauthenticated") throw unauthenticated();
  if (verdict === "absent") throw notFound("folder", ref);
  if (verdict === "refused") {
    const path = view.tree.path(folderId);
    throw forbidden(`Your role, grant or token does not allow ${permission} on folder "${path}".`, {
      kind: "folder",
      ref,
    });
  }
}

/** Finds a folder by id, for an act. */
export async function loadFolder(
  app: App,
  actor: Actor,
  id: string,
  permission: Permission | "see",
): Promise<{ folder: FolderDoc; view: FolderView }> {
  const folder = isId(id) ? await app.storage.folders.find(id) : null;
  if (!folder || !membershipIn(actor, folder.tenantId)) {
    throw actor.kind === "anonymous" ? unauthenticated() : notFound("folder", id);
  }
  const view = await loadFolderView(app, actor, folder.tenantId);
  admitFolder(view, permission, folder._id, id);
  return { folder, view };
}
