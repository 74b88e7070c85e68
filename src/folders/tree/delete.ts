/**
 * Deletion of an empty folder in two steps: closed first, so that nothing more is put into it, then checked again and
 * removed. A folder that was filled in between stays; the reconcile job finishes a deletion that was interrupted.
 */
import type { FolderDoc } from "../../../storage/folders/folders.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { checkMayChangePaths } from "../access/exposure.ts";
import { loadFolder } from "../load.ts";
import { checkMayChange } from "./change-rules.ts";
import { changeTree } from "./change.ts";
import type { FolderTree } from "./tree.ts";
import { loadTree } from "./trees.ts";

export async function deleteFolder(app: App, actor: Actor, id: string): Promise<void> {
  const { folder } = await loadFolder(app, actor, id, "folder:delete");
  const { tenantId } = folder;
  await changeTree(app, tenantId, async (tree) => {
    const view = { tree, actor };
    const current = await app.storage.folders.find(id);
    if (!current) throw notFound("folder", id);
    checkMayChange(view, { ...current, closing: false }, "folder:delete");
    // An open folder with the same path could be created next.
    checkMayChangePaths(view, id);
    if (await isOccupied(app, tree, current)) throw notEmpty(tree, id);
    return { rows: [{ ...current, closing: true, updatedAt: app.now() }], events: [] };
  });
  const event = makeEvent(app, actor, "folder.deleted", {
    tenantId,
    resourceType: "folder",
    resourceId: id,
    metadata: {
      name: folder.name,
      slug: folder.slug,
      parentId: folder.parentId,
      restricted: folder.restricted,
    },
  });
  await finishDeletion(app, tenantId, id, [event]);
}

/** The second step. Opens a folder again that is not empty, and throws `folder_not_empty`. */
export async function finishDeletion(
  app: App,
  tenantId: string,
  id: string,
  events: EventRow[],
): Promise<void> {
  let deleted: FolderDoc | undefined;
  let isKept = false;
  await changeTree(app, tenantId, async (tree) => {
    const current = await app.storage.folders.find(id);
    if (!current?.closing) return undefined;
    isKept = await isOccupied(app, tree, current);
    const { closing: _closing, ...open } = current;
    if (isKept) return { rows: [{ ...open, updatedAt: app.now() }], events: [] };
    deleted = current;
    return {
      rows: [{ ...current, grants: [], deletedAt: app.now(), updatedAt: app.now() }],
      events,
    };
  });
  if (isKept) throw notEmpty(await loadTree(app, tenantId), id);
  if (!deleted) return;
  const { parentId, slug } = deleted;
  await app.storage.pathReservations.release({ tenantId, parentId, slug, ownerId: id });
}

async function isOccupied(app: App, tree: FolderTree, folder: FolderDoc): Promise<boolean> {
  const { _id, tenantId } = folder;
  if (tree.hasChildren(_id) || (await app.storage.pathReservations.hasAnyIn(tenantId, _id))) return true;
  return app.storage.skillCollections.hasAnyIn(tenantId, _id);
}

function notEmpty(tree: FolderTree, id: string): ServiceError {
  const path = tree.path(id);
  return new ServiceError(
    "folder_not_empty",
    `Folder "${path}" is not empty: move or delete the skills, folders and collections in it first.`,
    { kind: "folder", ref: path },
  );
}
