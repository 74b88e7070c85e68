/**
 * Erases a folder with its content: closed first, so that nothing more is put in, then removed from the leaves up once
 * the skills are erased. Each step is idempotent.
 */
import type { App } from "../../app.ts";
import { changeTree } from "./change.ts";
import { loadTree } from "./trees.ts";

/** Folders changed at once. */
const slice = 500;

/** Closes a folder and its subfolders. Returns the ids of all of them, parents first. */
export async function closeSubtree(app: App, tenantId: string, id: string): Promise<string[]> {
  for (;;) {
    const tree = await loadTree(app, tenantId);
    const nodes = [...tree.subtree(id)];
    const open = nodes.filter((node) => !node.closing).slice(0, slice);
    if (open.length === 0) return nodes.map((node) => node._id);
    await changeTree(app, tenantId, async () => {
      const folders = await app.storage.folders.listWithGrants(open.map((node) => node._id));
      if (folders.length === 0) return undefined;
      const rows = folders.map((folder) => ({ ...folder, closing: true, updatedAt: app.now() }));
      return { rows, events: [] };
    });
  }
}

/** Removes a closed folder and its subfolders. Returns false if one was opened again or contains a skill. */
export async function removeSubtree(app: App, tenantId: string, id: string): Promise<boolean> {
  for (;;) {
    const inside = [...(await loadTree(app, tenantId)).subtree(id)].map((node) => node._id).toReversed();
    if (inside.length === 0) return true;
    const some = inside.slice(0, slice);
    let isEmpty = true;
    await changeTree(app, tenantId, async (tree) => {
      const folders = await app.storage.folders.listWithGrants(some);
      const occupied = await app.storage.pathReservations.hasSkillsIn(tenantId, some);
      const gone = new Set(some);
      isEmpty =
        !occupied &&
        folders.every(
          (folder) => folder.closing && [...tree.subtree(folder._id)].every((node) => gone.has(node._id)),
        );
      if (!isEmpty || folders.length === 0) return undefined;
      const now = app.now();
      return {
        rows: folders.map((folder) => ({ ...folder, grants: [], deletedAt: now, updatedAt: now })),
        events: [],
      };
    });
    if (!isEmpty) return false;
    for (const folderId of some) await app.storage.pathReservations.releaseAllOf(folderId);
  }
}
