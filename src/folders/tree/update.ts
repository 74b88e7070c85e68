/** Renames and moves of a folder. */
import type { FolderDoc } from "../../../storage/folders/folders.ts";
import type { PathReservationDoc } from "../../../storage/skills/path-reservations.ts";
import type { Actor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import { audienceOf } from "../../access/exposure.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { notFound } from "../../errors.ts";
import { checkMayChangePaths, coveredBy, restrictionIn, type AudienceChange } from "../access/exposure.ts";
import { queueEffectiveAccessUpdate } from "../access/update-effective-access.ts";
import { accessContextIn, loadFolder, type FolderView } from "../load.ts";
import { checkMayLeaveReview } from "../review/rules.ts";
import type { UpdateFolder } from "../schema.ts";
import { checkMayChange, checkMayMove } from "./change-rules.ts";
import { nameTaken } from "./refusals.ts";
import { changeTreeReserving, reservationFor } from "./reservations.ts";
import { slugOfFolder } from "./slug.ts";
import type { FolderTree } from "./tree.ts";

/**
 * Renames a folder, moves it with everything in it, or both. Skills keep their slugs and publicIds; only paths change.
 * Moving changes which restriction is in effect for its content, so it needs the permission at both ends, and a manager
 * grant on each restricted folder that it leaves or whose path changes.
 */
export async function updateFolder(
  app: App,
  actor: Actor,
  id: string,
  input: UpdateFolder,
): Promise<Relocated> {
  const { folder } = await loadFolder(app, actor, id, "folder:update");
  return relocateFolder(app, actor, folder, input, {
    event: "folder.updated",
    authorize(view, before) {
      checkMayChange(view, before, "folder:update");
      checkMayChangePaths(view, id);
    },
  });
}

export interface Relocated {
  /** State after the change, or after a dry run of it. */
  folder: FolderDoc;
  path: string;
  /** `uncovered`: folders in it for which a restriction ends. */
  exposure: AudienceChange & { uncovered: string[] };
}

/** Event and authorization of a rename or move. Authorized again whenever the tree has changed. */
export interface Relocation {
  event: "folder.updated" | "personal_workspace.namespace_updated";
  authorize(view: FolderView, folder: FolderDoc): void;
}

/** Changes name or parent of any folder, managed or not. */
export async function relocateFolder(
  app: App,
  actor: Actor,
  { _id: id, tenantId }: Pick<FolderDoc, "_id" | "tenantId">,
  input: UpdateFolder,
  relocation: Relocation,
): Promise<Relocated> {
  let planned: Relocated | undefined;
  let previous: FolderDoc | undefined;
  await changeTreeReserving(app, tenantId, async (tree, reserved) => {
    const view = { tree, actor };
    const before = await app.storage.folders.find(id);
    if (!before) throw notFound("folder", id);
    const after = relocated(app, before, input);
    planned = plannedOn(tree, before, after);
    previous = undefined;
    const isMoved = after.parentId !== before.parentId;
    if (!isMoved && after.name === before.name) return undefined;
    relocation.authorize(view, before);
    if (isMoved) {
      checkMayMove(view, before, after.parentId);
      const mayReview = isAllowedIn(actor, "skill:review", tenantId, accessContextIn(tree, actor, id));
      checkMayLeaveReview(
        await app.storage.tenants.find(tenantId),
        view,
        before.parentId,
        after.parentId,
        mayReview,
      );
    }
    if (isMoved || after.slug !== before.slug) {
      const reservation = await reserveFor(app, tree, after);
      if (reservation) reserved(reservation);
      previous = before;
    }
    if (input.dryRun) return undefined;
    const event = makeEvent(app, actor, relocation.event, {
      tenantId,
      resourceType: "folder",
      resourceId: id,
      metadata: {
        from: tree.path(id),
        to: planned.path,
        name: after.name === before.name ? undefined : after.name,
      },
    });
    return { rows: [after], events: [event], outdated: isMoved ? [id] : [] };
  });
  if (!planned) throw notFound("folder", id);
  if (input.dryRun) return planned;
  if (previous) {
    const { parentId, slug } = previous;
    await app.storage.pathReservations.release({ tenantId, parentId, slug, ownerId: id });
  }
  queueEffectiveAccessUpdate(app, tenantId);
  const folder = await app.storage.folders.find(id);
  if (!folder) throw notFound("folder", id);
  return { ...planned, folder };
}

function relocated(app: App, before: FolderDoc, input: UpdateFolder): FolderDoc {
  const parentId = input.parentId === undefined ? before.parentId : input.parentId;
  const name = input.name ?? before.name;
  return { ...before, parentId, name, slug: slugOfFolder(name), updatedAt: app.now() };
}

/** Undefined if the folder has the reservation already, from an interrupted change. */
async function reserveFor(
  app: App,
  tree: FolderTree,
  folder: FolderDoc,
): Promise<PathReservationDoc | undefined> {
  const sibling = tree.child(folder.parentId, folder.slug);
  if (sibling && sibling._id !== folder._id) throw nameTaken(folder.name);
  const reservation = reservationFor(app, folder);
  const owner = await app.storage.pathReservations.reserve(reservation);
  if (owner === "reserved") return reservation;
  if (owner.ownerId !== folder._id) throw nameTaken(folder.name);
  return undefined;
}

/** Result of a change of name or parent on the tree that it is committed on. */
function plannedOn(tree: FolderTree, before: FolderDoc, after: FolderDoc): Relocated {
  const { tenantId, parentId } = after;
  // A restricted folder takes its own restriction along; any other is under that of its parent.
  const restrictionAt = (around: string | null) =>
    restrictionIn(tree, before.restricted ? before._id : around);
  const [from, to] = [restrictionAt(before.parentId), restrictionAt(parentId)];
  const uncovered = from && !to ? coveredBy(tree, before._id, from) : [];
  return {
    folder: after,
    path: [...(parentId === null ? [] : [tree.path(parentId)]), after.slug].join("/"),
    exposure: { tenantId, before: audienceOf(from), after: audienceOf(to), uncovered },
  };
}
