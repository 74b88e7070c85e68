/** Mends what a stop left of changes to folders, and frees what deleted ones and unwritten skills still hold. */
import type { App } from "../../src/app.ts";
import { settleTree } from "../../src/folders/change.ts";
import { finishDeletion } from "../../src/folders/update.ts";
import { govern } from "./govern.ts";

const batch = 200;
/** Places younger than this may belong to a publish or a change under way. */
const unwrittenMs = 10 * 60_000;
/** Deleted folders stay for as long as any process may work with an older tree. */
const deletedMs = 24 * 3_600_000;

/** Carries events of trees that were left, brings their skills up to date and ends deletions that were begun. */
export async function tendTrees(app: App, before: Date): Promise<void> {
  const { folders } = app.storage;
  for (const tree of await folders.listUnsettled(before, batch)) {
    await settleTree(app, tree._id, tree.outbox ?? []);
    await govern(app, tree._id);
  }
  for (const { _id, tenantId } of await folders.listClosing(before, batch))
    await finishDeletion(app, tenantId, _id, []).catch(() => undefined);
}

/** Makes places agree with what lies in them: those that nothing stands behind go, those that lack are made. */
export async function tendPlaces(app: App): Promise<void> {
  await dropUnused(app);
  for await (const slice of app.storage.skillPlaces.each(batch))
    await takeMissing(
      app,
      slice.map(({ folderId, ...skill }) => ({ ...skill, parentId: folderId, kind: "skill" })),
    );
  for await (const slice of app.storage.folders.eachPlace(batch))
    await takeMissing(
      app,
      slice.map((folder) => ({ ...folder, kind: "folder" })),
    );
}

async function dropUnused(app: App): Promise<void> {
  const { places, skillPlaces, folders } = app.storage;
  const oldest = new Date(app.now().getTime() - unwrittenMs);
  for (let last: string | undefined; ;) {
    const rows = await places.listAfter(last, batch);
    if (rows.length === 0) return;
    last = rows.at(-1)!._id;
    const ownersOf = (kind: Owner["kind"]) =>
      rows.filter((row) => row.kind === kind && row.createdAt < oldest).map((row) => row.ownerId);
    const [skillRows, folderRows] = await Promise.all([
      skillPlaces.list(ownersOf("skill")),
      folders.listByIds(ownersOf("folder")),
    ]);
    const real = new Set([
      ...skillRows.map((row) => `${row._id}/${row.folderId}/${row.slug}`),
      ...folderRows.map((row) => `${row._id}/${row.parentId}/${row.slug}`),
    ]);
    for (const row of rows)
      if (row.createdAt < oldest && !real.has(`${row.ownerId}/${row.parentId}/${row.slug}`))
        await places.release(row);
  }
}

interface Owner {
  _id: string;
  tenantId: string;
  parentId: string | null;
  slug: string;
  kind: "skill" | "folder";
}

async function takeMissing(app: App, owners: Owner[]): Promise<void> {
  const held = await app.storage.places.listOfOwners(owners.map((owner) => owner._id));
  const known = new Set(held.map((row) => `${row.ownerId}/${row.parentId}/${row.slug}`));
  for (const { _id: ownerId, ...place } of owners) {
    if (known.has(`${ownerId}/${place.parentId}/${place.slug}`)) continue;
    await app.storage.places.take({ _id: app.newId(), ...place, ownerId, createdAt: app.now() });
  }
}

export async function pruneFolders(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - deletedMs);
  while ((await app.storage.folders.prune(before, batch)) === batch);
}
