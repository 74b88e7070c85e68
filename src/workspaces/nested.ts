/**
 * Restrictions inside personal workspaces. The deepest restriction is the one in effect, so one inside a workspace
 * would replace the workspace's own. They can no longer be set; those from earlier versions, and of folders that were
 * in a workspace when it was created, are lifted here.
 */
import type { FolderDoc } from "../../storage/folders/folders.ts";
import type { App } from "../app.ts";
import { makeSystemEvent } from "../audit/events.ts";
import { queueEffectiveAccessUpdate } from "../folders/access/update-effective-access.ts";
import { changeTree } from "../folders/tree/change.ts";
import type { FolderNode, FolderTree } from "../folders/tree/tree.ts";
import { loadTree } from "../folders/tree/trees.ts";

/** Maximum number of folders in one change to the tree. */
const liftBatchSize = 200;

/** Restricted folders below a workspace, or below any other folder. */
export function restrictedBeneath(tree: FolderTree, folderId: string): FolderNode[] {
  return [...tree.subtree(folderId)].filter((node) => node._id !== folderId && node.restricted);
}

/** The first of the folders, without their restrictions. */
export async function withoutRestrictions(app: App, folders: readonly FolderNode[]): Promise<FolderDoc[]> {
  const ids = folders.slice(0, liftBatchSize).map((node) => node._id);
  const found = ids.length > 0 ? await app.storage.folders.listWithGrants(ids) : [];
  return found.map((folder) => ({ ...folder, restricted: false, grants: [], updatedAt: app.now() }));
}

/** Lifts every restriction inside the workspaces of an organization. Idempotent. */
export async function liftNestedRestrictions(app: App, tenantId: string): Promise<void> {
  while (nestedIn(await loadTree(app, tenantId)).length > 0) {
    const lifted = await changeTree(app, tenantId, async (tree) => {
      const nested = nestedIn(tree);
      const rows = await withoutRestrictions(
        app,
        nested.map(({ folder }) => folder),
      );
      if (rows.length === 0) return undefined;
      const ids = new Set(rows.map((row) => row._id));
      const users = new Set(nested.filter(({ folder }) => ids.has(folder._id)).map(({ userId }) => userId));
      const events = [...users].map((userId) =>
        makeSystemEvent(app, "personal_workspace.repaired", {
          tenantId,
          resourceType: "workspace",
          resourceId: userId,
          metadata: { repaired: ["nested restriction"] },
        }),
      );
      return { rows, events, outdated: [...ids] };
    });
    if (lifted.length === 0) return;
    queueEffectiveAccessUpdate(app, tenantId);
  }
}

function nestedIn(tree: FolderTree): { folder: FolderNode; userId: string }[] {
  return [...tree.nodes()].flatMap((folder) => {
    if (!folder.restricted || folder.managed) return [];
    const managed = tree.workspaceAround(folder._id)?.managed;
    return managed?.kind === "workspace" ? [{ folder, userId: managed.userId }] : [];
  });
}
