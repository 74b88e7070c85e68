/** Errors of changes to folders, and the checks that throw them on a tree. */
import { limits } from "../../../contract/limits.ts";
import { ServiceError } from "../../errors.ts";
import type { FolderTree } from "./tree.ts";

export function managedFolder(path: string, remedy: string): ServiceError {
  return new ServiceError(
    "managed_folder",
    `Folder "${path}" is managed for personal workspaces: ${remedy}.`,
    { kind: "folder", ref: path },
  );
}

/** The folder that contains all personal workspaces contains nothing else. */
export function refuseManagedRoot(tree: FolderTree, folderId: string): void {
  if (tree.get(folderId)?.managed?.kind === "root")
    throw managedFolder(tree.path(folderId), "put things into a workspace in it instead");
}

export function beingDeleted(tree: FolderTree, folderId: string): ServiceError {
  const path = tree.path(folderId);
  return new ServiceError("conflict", `Folder "${path}" is being deleted.`, { kind: "folder", ref: path });
}

/** Reports only that the name is taken, since the caller may not be allowed to see what has it. */
export function nameTaken(name: string): ServiceError {
  return new ServiceError("already_exists", `The name "${name}" is taken there: choose another.`, {
    kind: "folder",
    ref: name,
  });
}

export function refuseDepth(depth: number): void {
  const limit = limits.folderDepth;
  if (depth > limit) throw new ServiceError("limit_reached", `Folders may be ${limit} deep.`, { limit });
}
