/** Lists of an organization's folders that a caller may see. */
import type { FolderAct } from "../../contract/dashboard/lists.ts";
import type { FolderNode } from "../../storage/folders/folders.ts";
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

/** A folder that the caller may see. */
export type VisibleFolder = Pick<ListedFolder, "node" | "path">;

export interface VisibleFolders {
  folders: VisibleFolder[];
  /** Entries of some of the folders: counting the skills of all takes long in a large organization. */
  describe(some: readonly VisibleFolder[]): Promise<ListedFolder[]>;
}

/**
 * The folders that the caller may see, sorted by path: all of them, or those directly in one (null for the root). The
 * caller must be a member. Throws `limit_reached` if the paths are too long for one response.
 */
export async function listFolders(
  app: App,
  actor: Actor,
  tenantId: string,
  parentId?: string | null,
): Promise<VisibleFolders> {
  const view = await loadFolderView(app, actor, tenantId);
  const paths = new Map<string, string>();
  if (parentId !== undefined && parentId !== null) authorizeFolder(view, "see", parentId, parentId);
  const folders: VisibleFolder[] = [];
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
    folders.push({ node, path });
  }
  folders.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { folders, describe: (some) => describeFolders(app, view, some) };
}

async function describeFolders(
  app: App,
  view: FolderView,
  folders: readonly VisibleFolder[],
): Promise<ListedFolder[]> {
  const ids = folders.map(({ node }) => node._id);
  const counts = await app.storage.pathReservations.countSkills(view.tree.tenantId, ids);
  const [isReadable, actsOf] = [readableFolders(view), folderActsIn(view)];
  return folders.map(({ node, path }) => ({
    node,
    path,
    skillCount: countIn(isReadable, node._id, counts),
    can: actsOf(node),
  }));
}

/** One folder as in a list. */
export async function describeFolder(app: App, view: FolderView, id: string): Promise<ListedFolder> {
  const folder = { node: view.tree.get(id)!, path: view.tree.path(id) };
  return (await describeFolders(app, view, [folder]))[0]!;
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
