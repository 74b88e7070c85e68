/**
 * Completes interrupted changes to folders, and releases paths of deleted folders and skills that were never written.
 */
import type { App } from "../../src/app.ts";
import { publishTreeChange } from "../../src/folders/tree/change.ts";
import { finishDeletion } from "../../src/folders/tree/delete.ts";
import { repairEach } from "../maintenance/repair-each.ts";
import { walkRows } from "../maintenance/walk.ts";
import { updateSkillAccess } from "./update-effective-access.ts";

const batch = 200;
/** Reservations younger than this may belong to a publish or change in progress. */
const unwrittenMs = 10 * 60_000;
/** Deleted folders are kept while any process may still use an older tree. */
const deletedMs = 24 * 3_600_000;

/** Flushes events of interrupted changes, updates the access of their skills and finishes deletions. */
export async function reconcileFolders(app: App, before: Date): Promise<void> {
  const { folders } = app.storage;
  await repairEach(
    app,
    batch,
    (limit) => folders.listUnflushed(before, limit),
    async (tree) => {
      await publishTreeChange(app, tree._id, tree.outbox ?? []);
      await updateSkillAccess(app, tree._id);
    },
  );
  for (const { _id, tenantId } of await folders.listClosing(before, batch))
    await finishDeletion(app, tenantId, _id, []).catch(() => undefined);
}

/** Makes path reservations match the existing skills and folders: releases unused ones and adds missing ones. */
export async function reconcilePathReservations(app: App): Promise<void> {
  const { pathReservations, skillLocations, folders } = app.storage;
  await walkRows(
    app,
    "reservations",
    (after, limit) => pathReservations.listAfter(after, limit),
    (rows) => dropUnused(app, rows),
  );
  await walkRows(
    app,
    "locations of skills",
    (after, limit) => skillLocations.listAfter(after, limit),
    (rows) =>
      takeMissing(
        app,
        rows.map(({ folderId, ...skill }) => ({ ...skill, parentId: folderId, kind: "skill" })),
      ),
  );
  await walkRows(
    app,
    "locations of folders",
    (after, limit) => folders.listLocations(after, limit),
    (rows) =>
      takeMissing(
        app,
        rows.map((folder) => ({ ...folder, kind: "folder" })),
      ),
  );
}

type Reservation = Awaited<ReturnType<App["storage"]["pathReservations"]["listAfter"]>>[number];

async function dropUnused(app: App, rows: Reservation[]): Promise<void> {
  const { pathReservations, skillLocations, folders } = app.storage;
  const oldest = new Date(app.now().getTime() - unwrittenMs);
  const ownersOf = (kind: Owner["kind"]) =>
    rows.filter((row) => row.kind === kind && row.createdAt < oldest).map((row) => row.ownerId);
  const [skillRows, folderRows] = await Promise.all([
    skillLocations.list(ownersOf("skill")),
    folders.listByIds(ownersOf("folder")),
  ]);
  const real = new Set([
    ...skillRows.map((row) => `${row._id}/${row.folderId}/${row.slug}`),
    ...folderRows.map((row) => `${row._id}/${row.parentId}/${row.slug}`),
  ]);
  for (const row of rows)
    if (row.createdAt < oldest && !real.has(`${row.ownerId}/${row.parentId}/${row.slug}`))
      await pathReservations.release(row);
}

interface Owner {
  _id: string;
  tenantId: string;
  parentId: string | null;
  slug: string;
  kind: "skill" | "folder";
}

async function takeMissing(app: App, owners: Owner[]): Promise<void> {
  const held = await app.storage.pathReservations.listOfOwners(owners.map((owner) => owner._id));
  const known = new Set(held.map((row) => `${row.ownerId}/${row.parentId}/${row.slug}`));
  for (const { _id: ownerId, ...place } of owners) {
    if (known.has(`${ownerId}/${place.parentId}/${place.slug}`)) continue;
    await app.storage.pathReservations.reserve({ _id: app.newId(), ...place, ownerId, createdAt: app.now() });
  }
}

export async function pruneFolders(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - deletedMs);
  while ((await app.storage.folders.prune(before, batch)) === batch);
}
