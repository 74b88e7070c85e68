/**
 * Skills with a name. A personal workspace is a separate namespace: a publish to a workspace never updates a skill
 * outside it, and a publish elsewhere never updates a skill in a workspace.
 */
import { sameNameLimit, type SkillDoc } from "../../../storage/skills/skills.ts";
import type { App } from "../../app.ts";
import type { FolderView } from "../../folders/load.ts";
import { deepestVisible } from "../../folders/tree/paths.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";

/** The workspace that contains a path, even if some of its folders are missing; null for none. */
export function workspaceAt(view: FolderView, path: string): string | null {
  const folderId = deepestVisible(view, path);
  return folderId === null ? null : workspaceIdOf(view.tree, folderId);
}

const workspaceIdOf = (tree: FolderTree, folderId: string | null) =>
  (folderId === null ? undefined : tree.workspaceAround(folderId)?._id) ?? null;

/** Skills of a name in a workspace, or outside all workspaces if `home` is null. */
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
    return skills.listByNameIn(tenantId, nameKey, { $in: inside });
  }
  const named = await skills.listByName(tenantId, nameKey);
  const outside = named.filter((skill) => workspaceIdOf(tree, skill.folderId) === null);
  if (named.length < sameNameLimit || outside.length === named.length) return outside;
  // Many members have one with this name in their workspaces, so the first query may have missed others.
  const workspaces = [...tree.subtree(tree.managedRoot()!._id)].map((node) => node._id);
  return skills.listByNameIn(tenantId, nameKey, { $nin: workspaces });
}
