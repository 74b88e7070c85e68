/** The acts that a caller's role, grants and token allow on folders; the state of a folder may still refuse one. */
import { folderActs, type FolderAct } from "../../../contract/dashboard/lists.ts";
import type { Permission } from "../../../contract/vocabulary.ts";
import type { FolderNode } from "../../../storage/folders/folders.ts";
import { limitsOf } from "../../access/decide.ts";
import { isAllowed, ownWorkspaceIn, type FolderView } from "../load.ts";

const permissionOf: Record<FolderAct, Permission> = {
  read: "skill:read",
  publish: "skill:create",
  create: "folder:create",
  update: "folder:update",
  delete: "folder:delete",
  manage: "folder:manageAcl",
};
/** Acts that folders of personal workspaces refuse (`managed_folder`). */
const ofUnmanaged: readonly FolderAct[] = ["update", "delete", "manage"];

/** The acts on folders that the caller may see. Decided once for all folders under the same restriction. */
export function folderActsIn(view: FolderView): (node: FolderNode) => readonly FolderAct[] {
  const { tree, actor } = view;
  const decide = ({ _id }: FolderNode) => folderActs.filter((act) => isAllowed(view, permissionOf[act], _id));
  const known = new Map<string | null, readonly FolderAct[]>();
  const workspace = ownWorkspaceIn(tree, actor);
  const isLimited = limitsOf(actor).allowedFolderIds !== undefined;
  const allowedOn = (node: FolderNode) => {
    if (isLimited || (workspace && tree.isWithin(node._id, workspace._id))) return decide(node);
    const restriction = tree.effectiveRestriction(node._id);
    const acts = known.get(restriction) ?? decide(node);
    known.set(restriction, acts);
    return acts;
  };
  return (node) => {
    const acts = allowedOn(node);
    return node.managed ? acts.filter((act) => !ofUnmanaged.includes(act)) : acts;
  };
}
