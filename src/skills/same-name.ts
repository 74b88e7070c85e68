/**
 * Which skills a name stands for. A personal workspace is a name space of its own: what is published to one never goes to
 * a skill elsewhere, and what is published elsewhere never to one in a workspace.
 */
import type { SkillDoc } from "../../storage/skills.ts";
import type { App } from "../app.ts";
import { readFolderPath } from "../folders/create.ts";
import { isVisible, type FolderView } from "../folders/load.ts";
import { slugOfFolder } from "../folders/slug.ts";
import type { FolderTree } from "../folders/tree.ts";

/** How many skills of one name are looked at. */
const sameNameLimit = 50;

/** The workspace that a path leads into, whether or not all of its folders are there; null for none. */
export function workspaceAt(view: FolderView, path: string): string | null {
  let folderId: string | null = null;
  for (const name of readFolderPath(path)) {
    const next = view.tree.child(folderId, slugOfFolder(name));
    if (!next || !isVisible(view, next._id)) break;
    folderId = next._id;
  }
  return folderId === null ? null : workspaceIdOf(view.tree, folderId);
}

const workspaceIdOf = (tree: FolderTree, folderId: string | null) =>
  (folderId === null ? undefined : tree.workspaceAround(folderId)?._id) ?? null;

/** Skills of a name in a workspace, or with `home` null those that lie in no workspace. */
export async function listSameName(
  app: App,
  tree: FolderTree,
  nameKey: string,
  home: string | null,
): Promise<SkillDoc[]> {
  const { skills } = app.storage;
  const { tenantId } = tree;
  if (home !== null) {
    const inside = [...tree.subtree(home)].map((node) => node._id);
    return skills.listByName(tenantId, nameKey, sameNameLimit, { $in: inside });
  }
  const named = await skills.listByName(tenantId, nameKey, sameNameLimit);
  const outside = named.filter((skill) => workspaceIdOf(tree, skill.folderId) === null);
  if (named.length < sameNameLimit || outside.length === named.length) return outside;
  // Many members have one of this name: those in their workspaces must not hide the others.
  const workspaces = [...tree.subtree(tree.managedRoot()!._id)].map((node) => node._id);
  return skills.listByName(tenantId, nameKey, sameNameLimit, { $nin: workspaces });
}
