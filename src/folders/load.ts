/**
 * What the access decision has to know about folders. The tree in memory is brought up to date on every use, at the
 * price of one look at its revision, so that a restriction or a grant counts from the next request on, in every process.
 */
import { LRUCache } from "lru-cache";
import type { Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { FolderDoc, FolderNode, TreeState } from "../../storage/folders.ts";
import type { Actor } from "../access/actor.ts";
import {
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

/** Trees in memory, bounded by the folders and grants in all of them. */
const keptParts = 1_000_000;
const kept = new WeakMap<App, LRUCache<string, FolderTree>>();

/** An organization's tree as it is now. */
export async function loadTree(app: App, tenantId: string): Promise<FolderTree> {
  return (await loadTrees(app, [tenantId])).get(tenantId)!;
}

export async function loadTrees(app: App, tenantIds: readonly string[]): Promise<Map<string, FolderTree>> {
  let cache = kept.get(app);
  if (!cache) {
    const sizeCalculation = (tree: FolderTree) => tree.size + tree.grantCount + 1;
    kept.set(app, (cache = new LRUCache({ maxSize: keptParts, sizeCalculation })));
  }
  if (tenantIds.length === 0) return new Map();
  const states = await readStates(app, tenantIds);
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

/** Who the actor is to grants of an organization: themselves and their teams. */
export function principalsOf(actor: Actor, tenantId: string): readonly string[] {
  if (actor.kind !== "user") return [];
  return [actor.userId, ...(membershipIn(actor, tenantId)?.teamIds ?? [])];
}

/** What is asked for in one turn of the event loop. */
interface Asking {
  tenantIds: Set<string>;
  states: Promise<TreeState[]>;
}
const asking = new WeakMap<App, Asking>();

/**
 * The states of trees, as they are after this call. Calls of one turn of the event loop ask together: the question goes
 * out after all of them, so nobody gets a state that is older than their own asking.
 */
async function readStates(app: App, tenantIds: readonly string[]): Promise<TreeState[]> {
  let open = asking.get(app);
  if (!open) {
    const ids = new Set<string>();
    const states = new Promise((resolve) => setImmediate(resolve)).then(() => {
      asking.delete(app);
      return app.storage.folders.readTrees([...ids]);
    });
    asking.set(app, (open = { tenantIds: ids, states }));
  }
  for (const id of tenantIds) open.tenantIds.add(id);
  const states = await open.states;
  return states.filter((state) => tenantIds.includes(state._id));
}

/** The facts of a place. A folder that is not there counts as one that nobody has a grant on. */
export function placeIn(tree: FolderTree, actor: Actor, folderId: string | null): PlaceFacts | null {
  if (folderId === null) return null;
  const folderIds = tree.ancestry(folderId).map((node) => node._id);
  if (folderIds.length === 0) return { folderIds: [folderId], governing: { folderId, level: null } };
  const governing = tree.governing(folderId);
  if (governing === null) return { folderIds, governing: null };
  const level = tree.levelOn(governing, principalsOf(actor, tree.tenantId));
  return { folderIds, governing: { folderId: governing, level } };
}

/** The places of things that lie in folders, in their order; nothing is read for what lies at a root. */
export async function loadPlaces(
  app: App,
  actor: Actor,
  things: readonly { tenantId: string; folderId: string | null }[],
): Promise<(PlaceFacts | null)[]> {
  const tenantIds = [...new Set(things.filter((one) => one.folderId !== null).map((one) => one.tenantId))];
  if (tenantIds.length === 0) return things.map(() => null);
  const trees = await loadTrees(app, tenantIds);
  return things.map(({ tenantId, folderId }) => placeIn(trees.get(tenantId)!, actor, folderId));
}

/** An organization's folders as an actor has to do with them. */
export interface FolderView {
  tree: FolderTree;
  actor: Actor;
}

export async function loadFolderView(app: App, actor: Actor, tenantId: string): Promise<FolderView> {
  return { tree: await loadTree(app, tenantId), actor };
}

/** The ids of the folders that a tree shows the actor: what they may read in, and the way there. */
export function visibleFolders(view: FolderView): Set<string> {
  const { tree } = view;
  const visible = new Set<string>();
  const isReadable = readableFolders(view);
  for (const node of tree.nodes()) {
    if (visible.has(node._id) || !isReadable(node._id)) continue;
    for (let around: FolderNode | undefined = node; around && !visible.has(around._id);) {
      visible.add(around._id);
      around = around.parentId === null ? undefined : tree.get(around.parentId);
    }
  }
  return visible;
}

/** Whether the actor may read in a folder, for many folders: the answer is the same for all that one folder governs. */
export function readableFolders({ tree, actor }: FolderView): (folderId: string) => boolean {
  const decide = (folderId: string) =>
    mayInPlace(actor, "skill:read", tree.tenantId, placeIn(tree, actor, folderId));
  if (limitsOf(actor).allowedFolderIds) return decide;
  const known = new Map<string | null, boolean>();
  return (folderId) => {
    const governing = tree.governing(folderId);
    let answer = known.get(governing);
    if (answer === undefined) known.set(governing, (answer = decide(folderId)));
    return answer;
  };
}

/** Whether some folder beneath is within reach. Walked only for a folder that is not itself readable. */
function isOnTheWay({ tree, actor }: FolderView, folderId: string): boolean {
  const allowed = limitsOf(actor).allowedFolderIds;
  // Only a folder that is granted or allowed by name can be in reach beneath one that is not.
  const named = [...tree.grantedTo(principalsOf(actor, tree.tenantId)), ...(allowed ?? [])];
  return named.some(
    (id) =>
      id !== folderId &&
      tree.isWithin(id, folderId) &&
      mayInPlace(actor, "skill:read", tree.tenantId, placeIn(tree, actor, id)),
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
  const { tree, actor } = view;
  if (!tree.get(folderId)) return undefined;
  const place = placeIn(tree, actor, folderId)!;
  const isReadable = mayInPlace(actor, "skill:read", tree.tenantId, place);
  return { tenantId: tree.tenantId, place, isOnTheWay: !isReadable && isOnTheWay(view, folderId) };
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
