/** Lists of an organization's folders that a caller may see. */
import type { FolderAct } from "../../contract/dashboard.ts";
import type { FolderNode } from "../../storage/folders.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { folderActsIn } from "./access/acts.ts";
import { authorizeFolder, loadFolderView, readableFolders, visibleFolders, type FolderView } from "./load.ts";

export interface ListedFolder {
  node: FolderNode;
  path: string;
  /** Number of skills directly in it that the caller may read. */
  skillCount: number;
  can: readonly FolderAct[];
}

/** Maximum length of all paths in one response. A tree that is wide and deep has to be listed folder by folder. */
const pathCharacters = 8_000_000;

/**
 * The folders that the caller may see, sorted by path: all of them, or those directly in one (null for the root). The
 * caller must be a member. Throws `limit_reached` if the paths are too long for one response.
 */
export async function listFolders(
  app: App,
  actor: Actor,
  tenantId: string,
  parentId?: string | null,
): Promise<ListedFolder[]> {
  const [view, counts] = await Promise.all([
    loadFolderView(app, actor, tenantId),
    app.storage.pathReservations.countSkills(tenantId),
  ]);
  const paths = new Map<string, string>();
  const isReadable = readableFolders(view);
  if (parentId !== undefined && parentId !== null) authorizeFolder(view, "see", parentId, parentId);
  const actsOf = folderActsIn(view);
  const listed: ListedFolder[] = [];
  let characters = 0;
  for (const id of visibleFolders(view)) {
    const node = view.tree.get(id)!;
    if (parentId !== undefined && node.parentId !== parentId) continue;
    const path = parentId === undefined ? pathIn(view, paths, node) : view.tree.path(id);
    characters += path.length;
    if (characters > pathCharacters)
      throw new ServiceError(
        "limit_reached",
        "The folders' paths are too long for one response: list them by parent_id.",
        {
          kind: "folder",
        },
      );
    listed.push({ node, path, skillCount: countIn(isReadable, id, counts), can: actsOf(node) });
  }
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One folder as in a list. */
export async function describeFolder(app: App, view: FolderView, id: string): Promise<ListedFolder> {
  const counts = await app.storage.pathReservations.countSkills(view.tree.tenantId, id);
  const node = view.tree.get(id)!;
  return {
    node,
    can: folderActsIn(view)(node),
    path: view.tree.path(id),
    skillCount: countIn(readableFolders(view), id, counts),
  };
}

/** The count is 0 for a folder that is visible only as the parent of a readable one. */
function countIn(
  isReadable: (folderId: string) => boolean,
  id: string,
  counts: ReadonlyMap<string | null, number>,
): number {
  return isReadable(id) ? (counts.get(id) ?? 0) : 0;
}

function pathIn({ tree }: FolderView, known: Map<string, string>, node: FolderNode): string {
  const chain: FolderNode[] = [];
  let around: FolderNode | undefined = node;
  while (around && !known.has(around._id)) {
    chain.push(around);
    around = around.parentId === null ? undefined : tree.get(around.parentId);
  }
  let path = around ? known.get(around._id)! : "";
  for (const one of chain.toReversed()) {
    path = path === "" ? one.slug : `${path}/${one.slug}`;
    known.set(one._id, path);
  }
  return path;
}
