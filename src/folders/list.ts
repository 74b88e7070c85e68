/** An organization's folders as one caller sees them. */
import type { FolderNode } from "../../storage/folders.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { admitFolder, loadFolderView, readableFolders, visibleFolders, type FolderView } from "./load.ts";

export interface ListedFolder {
  node: FolderNode;
  path: string;
  /** Of skills right in it that the caller may read. */
  skillCount: number;
}

/** Characters of all paths in one answer: a tree that is wide and deep at once is listed folder by folder. */
const pathCharacters = 8_000_000;

/**
 * The folders that the caller may see, sorted by path: all of them, or those right in one (null for the root). The
 * caller is known to be a member. Throws `limit_reached` for a tree whose paths would fill an answer.
 */
export async function listFolders(
  app: App,
  actor: Actor,
  tenantId: string,
  parentId?: string | null,
): Promise<ListedFolder[]> {
  const [view, counts] = await Promise.all([
    loadFolderView(app, actor, tenantId),
    app.storage.places.countSkills(tenantId),
  ]);
  const paths = new Map<string, string>();
  const isReadable = readableFolders(view);
  if (parentId !== undefined && parentId !== null) admitFolder(view, "see", parentId, parentId);
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
        "The folders' paths fill more than one answer: list them by parent_id.",
        {
          kind: "folder",
        },
      );
    listed.push({ node, path, skillCount: countIn(isReadable, id, counts) });
  }
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One folder with what a list would say of it. */
export async function describeFolder(app: App, view: FolderView, id: string): Promise<ListedFolder> {
  const counts = await app.storage.places.countSkills(view.tree.tenantId, id);
  return {
    node: view.tree.get(id)!,
    path: view.tree.path(id),
    skillCount: countIn(readableFolders(view), id, counts),
  };
}

/** What lies in a folder that is shown for the way through it alone is nobody's to count. */
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
