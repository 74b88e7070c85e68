/**
 * The part of a sync that a caller may see. A sync concerns every skill of an organization, but its readers may not be
 * able to read all of them: lists and counts omit skills and folders that they can't see.
 */
import type { SyncBase } from "../../../storage/sync/bases.ts";
import type { Actor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import { readsEverySkill } from "../../access/repository.ts";
import type { App } from "../../app.ts";
import { readableFolders } from "../../folders/load.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";
import { loadTree } from "../../folders/tree/trees.ts";
import type { ReadableFolders } from "./readable-folders.ts";

export interface SyncView {
  /** Everything is visible: nothing needs to be left out. */
  all: boolean;
  folder(id: string | null): boolean;
  /** A skill that was deleted is visible only to those who see everything. */
  skill(id: string): boolean;
  /** A path in the repository. In a directory without a folder, it is visible only to callers who see everything. */
  path(path: string): boolean;
}

const everything: SyncView = { all: true, folder: () => true, skill: () => true, path: () => true };

export async function readableFolderIds(app: App, actor: Actor, tenantId: string): Promise<ReadableFolders> {
  if (readsEverySkill(actor, tenantId)) return "all";
  const tree = await loadTree(app, tenantId);
  const isReadable = readableFolders({ tree, actor });
  const ids = Array.from(tree.nodes(), ({ _id }) => _id).filter(isReadable);
  return isAllowedIn(actor, "skill:read", tenantId, null) ? [null, ...ids] : ids;
}

/** A caller's view of the sync of an organization. `connectionId`: its connection, if it has one. */
export async function loadSyncView(
  app: App,
  actor: Actor,
  tenantId: string,
  connectionId: string | undefined,
): Promise<SyncView> {
  const readable = await readableFolderIds(app, actor, tenantId);
  if (readable === "all") return everything;
  const [skills, bases, tree] = await Promise.all([
    app.storage.tenantSkills.listFolders(tenantId),
    connectionId === undefined ? [] : app.storage.syncBases.listPaths(connectionId),
    loadTree(app, tenantId),
  ]);
  return viewOf({ readable, tree, skills: skills.map(({ _id: id, folderId }) => ({ id, folderId })), bases });
}

/** The view, from data that is loaded already. `path` of a skill: the path of its directory. */
export function viewOf(facts: {
  readable: ReadableFolders;
  tree: FolderTree;
  skills: Iterable<{ id: string; folderId: string | null; path?: string }>;
  bases: Iterable<Pick<SyncBase, "skillId" | "path" | "strayPath" | "lastMove">>;
}): SyncView {
  if (facts.readable === "all") return everything;
  const { tree } = facts;
  const readable = new Set(facts.readable);
  const folder = (id: string | null) => readable.has(id);
  const folderOf = new Map(Array.from(facts.skills, ({ id, folderId }) => [id, folderId]));
  const skill = (id: string) => {
    const folderId = folderOf.get(id);
    return folderId !== undefined && folder(folderId);
  };

  /** Directories of skills. One that several skills have had is visible if all of them are. */
  const directories = new Map<string, boolean>();
  const claim = (directory: string | undefined, skillId: string) => {
    if (directory === undefined) return;
    directories.set(directory, (directories.get(directory) ?? true) && skill(skillId));
  };
  for (const one of facts.skills) claim(one.path, one.id);
  for (const base of facts.bases) {
    claim(base.path, base.skillId);
    claim(base.strayPath, base.skillId);
    claim(base.lastMove?.second?.path, base.skillId);
  }

  function isPathVisible(path: string): boolean {
    const names = path.split("/");
    for (let length = names.length; length > 1; length--) {
      const isVisible = directories.get(names.slice(0, length).join("/"));
      if (isVisible !== undefined) return isVisible;
    }
    const around = folderAround(tree, names.slice(1));
    return around !== undefined && folder(around);
  }
  return { all: false, folder, skill, path: isPathVisible };
}

/** The folder that a directory lies in, or is; undefined if one of the names around it is not a folder. */
function folderAround(tree: FolderTree, names: readonly string[]): string | null | undefined {
  let parentId: string | null = null;
  for (const [at, name] of names.entries()) {
    const child = tree.child(parentId, name);
    if (!child) return at === names.length - 1 ? parentId : undefined;
    parentId = child._id;
  }
  return parentId;
}
