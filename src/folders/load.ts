/** Loads folders with the access rule applied, and the facts about folders that access decisions need. */
import type { Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { FolderDoc, FolderNode, TreeState } from "../../storage/folders/folders.ts";
import type { Actor } from "../access/actor.ts";
import {
  decideFolder,
  limitsOf,
  isAllowedIn,
  membershipIn,
  seesFolder,
  type FolderFacts,
  type AccessContext,
} from "../access/decide.ts";
import type { App } from "../app.ts";
import { forbidden, notFound, unauthenticated } from "../errors.ts";
import { proofRequired, withheldIn, includeWithheld } from "../users/requirements.ts";
import type { FolderTree } from "./tree/tree.ts";
import { loadTree, loadTrees } from "./tree/trees.ts";

/** Principals of an organization's grants that include the actor: the user and their teams. */
export function principalsOf(actor: Actor, tenantId: string): readonly string[] {
  if (actor.kind !== "user") return [];
  return [actor.userId, ...(membershipIn(actor, tenantId)?.teamIds ?? [])];
}

/** Facts for access in a folder. A missing folder counts as a restricted one without grants. */
export function accessContextIn(
  tree: FolderTree,
  actor: Actor,
  folderId: string | null,
): AccessContext | null {
  if (folderId === null) return null;
  const around = tree.ancestry(folderId);
  const folderIds = around.map((node) => node._id);
  if (folderIds.length === 0) return { folderIds: [folderId], restriction: { folderId, level: null } };
  const restriction = tree.effectiveRestriction(folderId);
  if (restriction === null) return { folderIds, restriction: null };
  const level = tree.levelOn(restriction, principalsOf(actor, tree.tenantId));
  const managed = around.find((node) => node.managed?.kind === "workspace")?.managed;
  return {
    folderIds,
    restriction: { folderId: restriction, level },
    workspaceOf: managed?.kind === "workspace" ? managed.userId : undefined,
  };
}

/** The folder of the actor's own personal workspace. */
export function ownWorkspaceIn(tree: FolderTree, actor: Actor): FolderNode | undefined {
  return actor.kind === "user" ? tree.workspaceOf(actor.userId) : undefined;
}

/**
 * Access facts for things in folders, in their order. Nothing is read for those at a root. `read`: the states of all
 * their trees, if they were read together with the things or later.
 */
export async function loadAccessContexts(
  app: App,
  actor: Actor,
  things: readonly { tenantId: string; folderId: string | null }[],
  read?: readonly TreeState[],
): Promise<(AccessContext | null)[]> {
  const tenantIds = [...new Set(things.filter((one) => one.folderId !== null).map((one) => one.tenantId))];
  if (tenantIds.length === 0) return things.map(() => null);
  const trees = await loadTrees(app, tenantIds, read);
  return things.map(({ tenantId, folderId }) => accessContextIn(trees.get(tenantId)!, actor, folderId));
}

/** An organization's folder tree together with the actor who accesses it. */
export interface FolderView {
  tree: FolderTree;
  actor: Actor;
}

export async function loadFolderView(app: App, actor: Actor, tenantId: string): Promise<FolderView> {
  return { tree: await loadTree(app, tenantId), actor };
}

/** Ids of the folders that the actor may see: those that the actor may use, and their parents. */
export function visibleFolders(view: FolderView): Set<string> {
  const { tree } = view;
  const visible = new Set<string>();
  const isSeen = decidedByRestriction(view, seesFolder);
  for (const node of tree.nodes()) {
    if (visible.has(node._id) || !isSeen(node._id)) continue;
    for (let around: FolderNode | undefined = node; around && !visible.has(around._id);) {
      visible.add(around._id);
      around = around.parentId === null ? undefined : tree.get(around.parentId);
    }
  }
  return visible;
}

/** Whether the actor may read in a folder. */
export function readableFolders(view: FolderView): (folderId: string) => boolean {
  return decidedByRestriction(view, (actor, tenantId, context) =>
    isAllowedIn(actor, "skill:read", tenantId, context),
  );
}

/** A decision about folders, made once for all folders under the same restriction. */
function decidedByRestriction(
  { tree, actor }: FolderView,
  verdictOn: typeof seesFolder,
): (folderId: string) => boolean {
  const decide = (folderId: string) =>
    verdictOn(actor, tree.tenantId, accessContextIn(tree, actor, folderId)!);
  if (limitsOf(actor).allowedFolderIds) return decide;
  const known = new Map<string | null, boolean>();
  const workspace = ownWorkspaceIn(tree, actor);
  const own = new Set(workspace ? Array.from(tree.subtree(workspace._id), ({ _id }) => _id) : []);
  return (folderId) => {
    if (own.has(folderId)) return decide(folderId);
    const restriction = tree.effectiveRestriction(folderId);
    let verdict = known.get(restriction);
    if (verdict === undefined) known.set(restriction, (verdict = decide(folderId)));
    return verdict;
  };
}

/** Whether a subfolder is seen. Called only for a folder that the caller can't see directly. */
function isOnTheWay({ tree, actor }: FolderView, folderId: string): boolean {
  const allowed = limitsOf(actor).allowedFolderIds;
  // Under an unseen folder, only one with a grant, in the token's list, or the actor's own workspace is seen.
  const own = ownWorkspaceIn(tree, actor);
  const named = [
    ...tree.grantedTo(principalsOf(actor, tree.tenantId)),
    ...(own ? [own._id] : []),
    ...(allowed ?? []),
  ];
  return named.some(
    (id) =>
      id !== folderId &&
      tree.isWithin(id, folderId) &&
      seesFolder(actor, tree.tenantId, accessContextIn(tree, actor, id)!),
  );
}

/** Whether the actor may see this folder. */
export function isVisible(view: FolderView, folderId: string): boolean {
  return decideFolder(view.actor, "see", factsIn(view, folderId)) === "allowed";
}

/** Whether the actor has the permission on the folder. */
export function isAllowed(view: FolderView, permission: Permission, folderId: string): boolean {
  return decideFolder(view.actor, permission, factsIn(view, folderId)) === "allowed";
}

function factsIn(view: FolderView, folderId: string): FolderFacts | undefined {
  const { tree, actor } = view;
  if (!tree.get(folderId)) return undefined;
  const context = accessContextIn(tree, actor, folderId)!;
  const isSeen = seesFolder(actor, tree.tenantId, context);
  return { tenantId: tree.tenantId, context, isOnTheWay: !isSeen && isOnTheWay(view, folderId) };
}

/** Requires a permission on a folder. Throws `not_found` if the actor may not see it. */
export function authorizeFolder(
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

/** Throws `mfa_required` for a folder that the caller would see with a second factor. */
async function refuseUnprovedFolder(app: App, actor: Actor, folder: FolderDoc): Promise<void> {
  const membership = withheldIn(actor, folder.tenantId);
  if (!membership) return;
  const view = await loadFolderView(app, includeWithheld(actor), folder.tenantId);
  if (isVisible(view, folder._id)) throw proofRequired(membership);
}

/** Finds a folder by id, and requires a permission on it. */
export async function loadFolder(
  app: App,
  actor: Actor,
  id: string,
  permission: Permission | "see",
): Promise<{ folder: FolderDoc; view: FolderView }> {
  const folder = isId(id) ? await app.storage.folders.find(id) : null;
  if (!folder || !membershipIn(actor, folder.tenantId)) {
    if (folder) await refuseUnprovedFolder(app, actor, folder);
    throw actor.kind === "anonymous" ? unauthenticated() : notFound("folder", id);
  }
  const view = await loadFolderView(app, actor, folder.tenantId);
  authorizeFolder(view, permission, folder._id, id);
  return { folder, view };
}
