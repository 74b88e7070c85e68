/** Rules for renaming, moving and deleting a folder, checked on the tree that the change is committed on. */
import type { FolderDoc } from "../../../storage/folders/folders.ts";
import { isAllowedIn } from "../../access/decide.ts";
import { ServiceError, forbidden } from "../../errors.ts";
import { checkMayTakeOut } from "../access/exposure.ts";
import { authorizeFolder, type FolderView } from "../load.ts";
import { beingDeleted, managedFolder, refuseDepth, refuseManagedRoot } from "./refusals.ts";
import type { FolderTree } from "./tree.ts";

export function checkMayChange(
  view: FolderView,
  folder: FolderDoc,
  permission: "folder:update" | "folder:delete",
): void {
  const { tree } = view;
  if (folder.managed)
    throw managedFolder(tree.path(folder._id), "the organization's workspace settings change it");
  if (folder.closing) throw beingDeleted(tree, folder._id);
  authorizeWithParent(view, folder, permission);
}

/** A change to a folder also changes its parent, so it requires the permission in both. */
export function authorizeWithParent(
  view: FolderView,
  folder: FolderDoc,
  permission: "folder:update" | "folder:delete",
): void {
  authorizeFolder(view, permission, folder._id, folder._id);
  authorizeParent(view, permission, folder.parentId);
}

export function checkMayMove(view: FolderView, folder: FolderDoc, parentId: string | null): void {
  const { tree } = view;
  if (parentId !== null) {
    authorizeFolder(view, "see", parentId, parentId);
    refuseCycle(tree, folder, parentId);
    refuseManagedRoot(tree, parentId);
    if (tree.get(parentId)?.closing) throw beingDeleted(tree, parentId);
    refuseRestrictedInWorkspace(tree, folder, parentId);
  }
  authorizeParent(view, "folder:create", parentId);
  const path = tree.path(folder._id);
  checkMayTakeOut(view, folder.parentId, parentId, { kind: "folder", ref: folder._id, name: path });
  refuseDepth((parentId === null ? 0 : tree.ancestry(parentId).length) + heightOf(tree, folder._id));
}

function authorizeParent(
  view: FolderView,
  permission: "folder:create" | "folder:update" | "folder:delete",
  parentId: string | null,
): void {
  if (parentId !== null) return authorizeFolder(view, permission, parentId, view.tree.path(parentId));
  if (!isAllowedIn(view.actor, permission, view.tree.tenantId, null))
    throw forbidden(`Your role or token does not allow ${permission} at the organization's root.`, {
      kind: "folder",
    });
}

function refuseCycle(tree: FolderTree, folder: FolderDoc, parentId: string): void {
  if (!tree.isWithin(parentId, folder._id)) return;
  throw new ServiceError(
    "refused",
    `Folder "${tree.path(folder._id)}" can't be moved into itself or a folder within it.`,
    { kind: "folder", ref: folder._id },
  );
}

/** A restriction inside a personal workspace would replace the workspace's own. */
function refuseRestrictedInWorkspace(tree: FolderTree, folder: FolderDoc, parentId: string): void {
  const workspace = tree.workspaceAround(parentId);
  if (!workspace || ![...tree.subtree(folder._id)].some((node) => node.restricted)) return;
  throw managedFolder(
    tree.path(workspace._id),
    `lift the restrictions of "${tree.path(folder._id)}" and of the folders in it first`,
  );
}

/** Number of levels in a subtree, at least 1. */
export function heightOf(tree: FolderTree, id: string): number {
  const depths = new Map<string, number>();
  let deepest = 1;
  for (const node of tree.subtree(id)) {
    const depth = node._id === id ? 1 : (depths.get(node.parentId ?? "") ?? 0) + 1;
    depths.set(node._id, depth);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
