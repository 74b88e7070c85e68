/** Paths of the folders to which tokens are limited, as far as the caller sees the folders. */
import type { ListedToken } from "../../storage/credentials/tokens.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { visibleFolders } from "../folders/load.ts";
import { loadTrees } from "../folders/tree/trees.ts";

/** Characters of a path that a list shows: the end, which distinguishes folders. */
const shownPath = 200;

/** Paths by id, of folders in these organizations. Nothing is read for tokens that are not limited. */
export async function loadFolderPaths(
  app: App,
  actor: Actor,
  tenantIds: readonly string[],
  tokens: readonly Pick<ListedToken, "allowedFolderIds">[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(tokens.flatMap(({ allowedFolderIds }) => allowedFolderIds ?? []));
  const paths = new Map<string, string>();
  if (ids.size === 0) return paths;
  for (const tree of (await loadTrees(app, tenantIds)).values()) {
    const own = [...ids].filter((id) => tree.get(id) !== undefined);
    if (own.length === 0) continue;
    const visible = visibleFolders({ tree, actor });
    for (const id of own) if (visible.has(id)) paths.set(id, endOf(tree.path(id)));
  }
  return paths;
}

const endOf = (path: string) => (path.length <= shownPath ? path : `…${path.slice(1 - shownPath)}`);
