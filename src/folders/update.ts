/** Changes to one folder: its name, where it lies, its end. */
import type { FolderDoc } from "../../storage/folders.ts";
import type { PlaceDoc } from "../../storage/places.ts";
import { limits } from "../../contract/limits.ts";
import type { Actor } from "../access/actor.ts";
import { mayInPlace } from "../access/decide.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, forbidden, notFound } from "../errors.ts";
import { changeTree } from "./change.ts";
import { beingDeleted, managedFolder, placeOf, refuseManagedRoot, taken } from "./create.ts";
import { admitFolder, loadFolder, loadTree, type FolderView } from "./load.ts";
import type { UpdateFolder } from "./schema.ts";
import { slugOfFolder } from "./slug.ts";
import type { FolderTree } from "./tree.ts";

/**
 * Renames a folder, moves it with everything in it, or both. Skills keep their slugs and publicIds; only paths change.
 * Moving changes who governs what lies in it, so it needs the permission at both ends.
 */
export async function updateFolder(
  app: App,
  actor: Actor,
  id: string,
  input: UpdateFolder,
): Promise<FolderDoc> {
  const { folder } = await loadFolder(app, actor, id, "folder:update");
  return relocateFolder(app, actor, folder, input, {
    event: "folder.updated",
    admit: (view, before) => checkMayChange(view, before, "folder:update"),
  });
}

/** How a folder is renamed and moved: under which event, and who may; asked again whenever the tree has changed. */
export interface Relocation {
  event: "folder.updated" | "personal_workspace.namespace_updated";
  admit(view: FolderView, folder: FolderDoc): void;
}

/** The one way in which a folder gets another name or place, whoever manages it. */
export async function relocateFolder(
  app: App,
  actor: Actor,
  { _id: id, tenantId }: Pick<FolderDoc, "_id" | "tenantId">,
  input: UpdateFolder,
  relocation: Relocation,
): Promise<FolderDoc> {
  let held: PlaceDoc | undefined;
  let left: Pick<PlaceDoc, "tenantId" | "parentId" | "slug" | "ownerId"> | undefined;
  const release = async () => {
    if (held) await app.storage.places.release(held);
    held = undefined;
  };
  try {
    await changeTree(app, tenantId, async (tree) => {
      await release();
      const view = { tree, actor };
      const before = await app.storage.folders.find(id);
      if (!before) throw notFound("folder", id);
      const parentId = input.parentId === undefined ? before.parentId : input.parentId;
      const name = input.name ?? before.name;
      const after = { ...before, parentId, name, slug: slugOfFolder(name), updatedAt: app.now() };
      const isMoved = parentId !== before.parentId;
      if (!isMoved && name === before.name) return undefined;
      relocation.admit(view, before);
      if (isMoved) checkMayMove(view, before, parentId);
      if (isMoved || after.slug !== before.slug) {
        const holder = tree.child(parentId, after.slug);
        if (holder && holder._id !== id) throw taken(name);
        const place = placeOf(app, after);
        const holding = await app.storage.places.take(place);
        if (holding === "taken") held = place;
        else if (holding.ownerId !== id) throw taken(name);
        left = { tenantId, parentId: before.parentId, slug: before.slug, ownerId: id };
      }
      const event = makeEvent(app, actor, relocation.event, {
        tenantId,
        resourceType: "folder",
        resourceId: id,
        metadata: {
          from: tree.path(id),
          to: [...(parentId === null ? [] : [tree.path(parentId)]), after.slug].join("/"),
          ...(name === before.name ? {} : { name }),
        },
      });
      return { rows: [after], events: [event], ...(isMoved ? { outdated: [id] } : {}) };
    });
  } catch (error) {
    await release();
    throw error;
  }
  if (left) await app.storage.places.release(left);
  queueGoverning(app, tenantId);
  const changed = await app.storage.folders.find(id);
  if (!changed) throw notFound("folder", id);
  return changed;
}

/** Skills beneath a folder that moved, or whose restriction changed, are brought up to date by a job. */
export function queueGoverning(app: App, tenantId: string): void {
  app.background("queue the update of skills' places", () =>
    app.queue.enqueue("folders.govern", { tenantId }),
  );
}

/** What is done to a folder is done to what it lies in as well, so it needs the permission in both. */
function checkMayChange(
  view: FolderView,
  folder: FolderDoc,
  permission: "folder:update" | "folder:delete",
): void {
  const { tree } = view;
  if (folder.managed)
    throw managedFolder(tree.path(folder._id), "the organization's workspace settings change it");
  if (folder.closing) throw beingDeleted(tree, folder._id);
  admitFolder(view, permission, folder._id, folder._id);
  checkMayAround(view, permission, folder.parentId);
}

function checkMayMove(view: FolderView, folder: FolderDoc, parentId: string | null): void {
  const { tree } = view;
  if (parentId !== null) {
    admitFolder(view, "see", parentId, parentId);
    if (tree.isWithin(parentId, folder._id)) {
      const path = tree.path(folder._id);
      throw new ServiceError(
        "refused",
        `Folder "${path}" can't be moved into itself or a folder within it.`,
        {
          kind: "folder",
          ref: folder._id,
        },
      );
    }
    refuseManagedRoot(tree, parentId);
    if (tree.get(parentId)?.closing) throw beingDeleted(tree, parentId);
  }
  checkMayAround(view, "folder:create", parentId);
  const depth = (parentId === null ? 0 : tree.ancestry(parentId).length) + heightOf(tree, folder._id);
  if (depth > limits.folderDepth)
    throw new ServiceError("limit_reached", `Folders may be ${limits.folderDepth} deep.`, {
      limit: limits.folderDepth,
    });
}

function checkMayAround(
  view: FolderView,
  permission: "folder:create" | "folder:update" | "folder:delete",
  parentId: string | null,
): void {
  if (parentId !== null) return admitFolder(view, permission, parentId, view.tree.path(parentId));
  if (!mayInPlace(view.actor, permission, view.tree.tenantId, null))
    throw forbidden(`Your role or token does not allow ${permission} at the organization's root.`, {
      kind: "folder",
    });
}

/** How many levels a folder and what lies in it take. */
export function heightOf(tree: FolderTree, id: string): number {
  const around = tree.ancestry(id).length - 1;
  let deepest = 0;
  const depths = new Map<string, number>();
  for (const node of tree.subtree(id)) {
    const depth = node._id === id ? around + 1 : (depths.get(node.parentId ?? "") ?? around) + 1;
    depths.set(node._id, depth);
    deepest = Math.max(deepest, depth);
  }
  return deepest - around;
}

/**
 * Deletes an empty folder, in two steps: closed first, so that nothing more is put in, then looked into again and
 * removed. What slipped in meanwhile keeps the folder; a stop in between is finished by the reconcile job.
 */
export async function deleteFolder(app: App, actor: Actor, id: string): Promise<void> {
  const { folder } = await loadFolder(app, actor, id, "folder:delete");
  const { tenantId } = folder;
  await changeTree(app, tenantId, async (tree) => {
    const view = { tree, actor };
    const now = await app.storage.folders.find(id);
    if (!now) throw notFound("folder", id);
    checkMayChange(view, { ...now, closing: false }, "folder:delete");
    if (await isOccupied(app, tree, now)) throw notEmpty(tree, id);
    return { rows: [{ ...now, closing: true, updatedAt: app.now() }], events: [] };
  });
  const event = makeEvent(app, actor, "folder.deleted", {
    tenantId,
    resourceType: "folder",
    resourceId: id,
    metadata: { name: folder.name, slug: folder.slug },
  });
  await finishDeletion(app, tenantId, id, [event]);
}

/** The second step. A folder that is not empty after all is opened again. */
export async function finishDeletion(
  app: App,
  tenantId: string,
  id: string,
  events: ReturnType<typeof makeEvent>[],
): Promise<void> {
  let place: FolderDoc | undefined;
  let isKept = false;
  await changeTree(app, tenantId, async (tree) => {
    const now = await app.storage.folders.find(id);
    if (!now?.closing) return undefined;
    isKept = await isOccupied(app, tree, now);
    const { closing: _closing, ...open } = now;
    if (isKept) return { rows: [{ ...open, updatedAt: app.now() }], events: [] };
    place = now;
    const gone = { ...now, grants: [], deletedAt: app.now(), updatedAt: app.now() };
    return { rows: [gone], events };
  });
  if (isKept) {
    const tree = await loadTree(app, tenantId);
    throw notEmpty(tree, id);
  }
  if (place) {
    const { parentId, slug } = place;
    await app.storage.places.release({ tenantId, parentId, slug, ownerId: id });
  }
}

async function isOccupied(app: App, tree: FolderTree, folder: FolderDoc): Promise<boolean> {
  return tree.hasChildren(folder._id) || app.storage.places.hasAnyIn(folder.tenantId, folder._id);
}

function notEmpty(tree: FolderTree, id: string): ServiceError {
  const path = tree.path(id);
  return new ServiceError(
    "folder_not_empty",
    `Folder "${path}" is not empty: move or delete the skills and folders in it first.`,
    { kind: "folder", ref: path },
  );
}
