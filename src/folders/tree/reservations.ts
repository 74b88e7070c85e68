/** Path reservations that belong to a change of the tree: made while it is planned, kept once it is committed. */
import type { FolderDoc } from "../../../storage/folders/folders.ts";
import type { PathReservationDoc } from "../../../storage/skills/path-reservations.ts";
import type { App } from "../../app.ts";
import { changeTree, type FolderChange } from "./change.ts";
import type { FolderTree } from "./tree.ts";

/** A folder's reservation of its slug in its parent. */
export function reservationFor(
  app: App,
  folder: Pick<FolderDoc, "_id" | "tenantId" | "parentId" | "slug">,
): PathReservationDoc {
  return {
    _id: app.newId(),
    tenantId: folder.tenantId,
    parentId: folder.parentId,
    slug: folder.slug,
    kind: "folder",
    ownerId: folder._id,
    createdAt: app.now(),
  };
}

/**
 * Changes a tree. `plan` passes every reservation that it makes to `reserved`; they are released before the plan is
 * repeated, and if nothing is committed.
 */
export async function changeTreeReserving(
  app: App,
  tenantId: string,
  plan: (
    tree: FolderTree,
    reserved: (reservation: PathReservationDoc) => void,
  ) => Promise<FolderChange | undefined>,
): Promise<FolderDoc[]> {
  let open: PathReservationDoc[] = [];
  const release = async () => {
    for (const reservation of open) await app.storage.pathReservations.release(reservation);
    open = [];
  };
  try {
    const rows = await changeTree(app, tenantId, async (tree) => {
      await release();
      return plan(tree, (reservation) => open.push(reservation));
    });
    if (rows.length === 0) await release();
    return rows;
  } catch (error) {
    await release();
    throw error;
  }
}
