/** Paths of folders: names or slugs from the root down. Nothing here creates a folder. */
import { invalidRequest, notFound } from "../../errors.ts";
import { isVisible, type FolderView } from "../load.ts";
import { folderName } from "../schema.ts";
import { nameTaken, refuseDepth } from "./refusals.ts";
import { slugOfFolder } from "./slug.ts";
import type { FolderTree } from "./tree.ts";

/** The names in a path, without leading and trailing slashes; an empty path is the root. */
export function readFolderPath(path: string): string[] {
  const parts = path.split("/");
  const segments = parts.slice(
    parts.findIndex((part) => part !== ""),
    parts.findLastIndex((part) => part !== "") + 1,
  );
  refuseDepth(segments.length);
  return segments.map((segment) => {
    const parsed = folderName.safeParse(segment);
    if (!parsed.success || segment === "." || segment === "..")
      throw invalidRequest(`"${segment.slice(0, 100)}" in the path is not a valid folder name.`, {
        kind: "folder",
      });
    return parsed.data;
  });
}

/** The folder at a path if the actor may see it; null is the root. Throws `not_found`. */
export function folderAtPath(view: FolderView, path: string): string | null {
  const names = readFolderPath(path);
  if (names.length === 0) return null;
  const { parentId, names: missing, isHidden } = walk(view, names);
  if (missing.length > 0 || isHidden) throw notFound("folder", path);
  return parentId;
}

/** The deepest existing folder of a path, and the names of the folders that are missing below it. */
export interface PathStart {
  parentId: string | null;
  names: string[];
}

/** Throws `already_exists` for a folder on the path that the actor may not see. */
export function startOfPath(view: FolderView, names: readonly string[]): PathStart {
  const { parentId, names: missing, isHidden } = walk(view, names);
  if (isHidden) throw nameTaken(missing[0]!);
  return { parentId, names: missing };
}

/** Like `startOfPath`, for a caller who can see every folder. */
export function startInTree(tree: FolderTree, names: readonly string[]): PathStart {
  let parentId: string | null = null;
  for (const [depth, name] of names.entries()) {
    const next = tree.child(parentId, slugOfFolder(name));
    if (!next) return { parentId, names: names.slice(depth) };
    parentId = next._id;
  }
  return { parentId, names: [] };
}

/** Goes down a path as far as the actor sees its folders. `isHidden`: the next one exists. */
function walk(view: FolderView, names: readonly string[]): PathStart & { isHidden: boolean } {
  let parentId: string | null = null;
  for (const [depth, name] of names.entries()) {
    const next = view.tree.child(parentId, slugOfFolder(name));
    if (!next || !isVisible(view, next._id))
      return { parentId, names: names.slice(depth), isHidden: next !== undefined };
    parentId = next._id;
  }
  return { parentId, names: [], isHidden: false };
}

/** The deepest visible folder of a path, whether or not the rest of it exists. */
export function deepestVisible(view: FolderView, path: string): string | null {
  return walk(view, readFolderPath(path)).parentId;
}
