/**
 * Holds every workspace to what it must be, and mends what is not: the folder under the namespace root, restricted, with
 * the owner's grant and no other, under the owner's present user name; the row in agreement with member and folder.
 */
import type { FolderDoc } from "../../storage/folders.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { PlaceDoc } from "../../storage/places.ts";
import type { WorkspaceDoc } from "../../storage/workspaces.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { changeTree } from "../folders/change.ts";
import { loadTree } from "../folders/load.ts";
import { queueGoverning } from "../folders/update.ts";
import { isGoverning, mendFolder } from "./folder.ts";
import { loadManaged } from "./load.ts";
import { carryRows, newRow, queueSync } from "./schedule.ts";
import { defaultName, ensureRoot } from "./settings.ts";

/** Workspaces looked at, and mended, in one change to the tree. */
const slice = 100;

export interface Repaired {
  checked: number;
  repaired: number;
}

export async function repairWorkspaces(app: App, actor: Actor, tenantRef: string): Promise<Repaired> {
  const { _id: tenantId, slug } = await loadManaged(app, actor, tenantRef);
  const { workspaces } = app.storage;
  if (!(await workspaces.findSettings(tenantId)))
    throw new ServiceError(
      "refused",
      `Personal workspaces were never enabled in "${slug}": enable them first.`,
      {
        kind: "workspace",
        ref: slug,
      },
    );
  await ensureRoot(app, actor, tenantId, defaultName);
  const repaired = new Set(await adoptFolders(app, actor, tenantId));
  let checked = 0;
  for (let after: string | undefined; ;) {
    const rows = await workspaces.list({ tenantId, after, limit: slice });
    if (rows.length === 0) break;
    after = rows.at(-1)!._id;
    checked += rows.length;
    for (const userId of await repairSlice(app, actor, tenantId, rows)) repaired.add(userId);
  }
  queueGoverning(app, tenantId);
  queueSync(app, tenantId);
  return { checked, repaired: repaired.size };
}

function repairedEvent(app: App, actor: Actor, tenantId: string, userId: string, mended: string[]): EventRow {
  return makeEvent(app, actor, "personal_workspace.repaired", {
    tenantId,
    resourceType: "workspace",
    resourceId: userId,
    metadata: { mended },
  });
}

/** Folders that no row stands for get one; whether their owner is a member is looked at with all the others. */
async function adoptFolders(app: App, actor: Actor, tenantId: string): Promise<string[]> {
  const { workspaces } = app.storage;
  const tree = await loadTree(app, tenantId);
  const folders = [...tree.nodes()].flatMap(({ _id, managed }) =>
    managed?.kind === "workspace" ? [{ _id, userId: managed.userId }] : [],
  );
  const adopted: string[] = [];
  for (let at = 0; at < folders.length; at += slice) {
    const some = folders.slice(at, at + slice);
    const userIds = some.map((folder) => folder.userId);
    const rows = await workspaces.listByUserIds(tenantId, userIds);
    const known = new Set(rows.map((row) => row.userId));
    const fresh = some
      .filter((folder) => !known.has(folder.userId))
      .map(({ _id, userId }): WorkspaceDoc => {
        const events = [repairedEvent(app, actor, tenantId, userId, ["record"])];
        return { ...newRow(app, tenantId, userId, events), folderId: _id, state: "provisioned" };
      });
    await workspaces.insertNew(fresh);
    await carryRows(
      app,
      fresh.map((row) => row._id),
    );
    adopted.push(...fresh.map((row) => row.userId));
  }
  return adopted;
}

/** Answers whose workspaces were mended. */
async function repairSlice(
  app: App,
  actor: Actor,
  tenantId: string,
  rows: WorkspaceDoc[],
): Promise<string[]> {
  const { memberships } = app.storage;
  const settled = rows.filter((row) => row.state === "provisioned" || row.state === "left");
  const members = await memberships.listByUserIds(
    tenantId,
    settled.map((row) => row.userId),
  );
  const names = new Map(members.map((member) => [member.userId, member.username]));
  const mended = await mendRows(app, actor, tenantId, settled, names);
  const left: Pick<PlaceDoc, "tenantId" | "parentId" | "slug" | "ownerId">[] = [];
  let inTree: string[] = [];
  await changeTree(app, tenantId, async (tree) => {
    const found = settled.flatMap((row) => tree.workspaceOf(row.userId)?._id ?? []);
    const changed: FolderDoc[] = [];
    const events: EventRow[] = [];
    const outdated: string[] = [];
    left.length = 0;
    inTree = [];
    for (const folder of await app.storage.folders.listWhole(found)) {
      const { managed } = folder;
      if (managed?.kind !== "workspace") continue;
      const { userId } = managed;
      const mend = await mendFolder(app, tree, folder, { userId, username: names.get(userId) });
      if (!mend) continue;
      changed.push(mend.folder);
      if (mend.flaws.some(isGoverning)) outdated.push(folder._id);
      events.push(repairedEvent(app, actor, tenantId, userId, mend.flaws));
      inTree.push(userId);
      const { parentId, slug } = folder;
      if (parentId !== mend.folder.parentId || slug !== mend.folder.slug)
        left.push({ tenantId, parentId, slug, ownerId: folder._id });
    }
    return changed.length === 0 ? undefined : { rows: changed, events, outdated };
  });
  for (const place of left) await app.storage.places.release(place);
  return [...mended, ...inTree];
}

/**
 * Brings rows into agreement with members and folders: a workspace of somebody who has left is the organization's, one
 * whose folder is missing is provisioned anew.
 */
async function mendRows(
  app: App,
  actor: Actor,
  tenantId: string,
  rows: WorkspaceDoc[],
  names: ReadonlyMap<string, string>,
): Promise<string[]> {
  const { workspaces } = app.storage;
  const tree = await loadTree(app, tenantId);
  const gone = rows.filter((row) => row.state === "provisioned" && !names.has(row.userId));
  const lacking = rows.filter(
    (row) => row.state === "provisioned" && names.has(row.userId) && !tree.workspaceOf(row.userId),
  );
  await workspaces.markLeft(
    tenantId,
    gone.map((row) => row.userId),
    app.now(),
  );
  const changes = lacking.map((row) => ({
    id: row._id,
    events: [repairedEvent(app, actor, tenantId, row.userId, ["folder"])],
  }));
  await workspaces.reschedule(changes, ["provisioned"], app.now());
  await carryRows(
    app,
    lacking.map((row) => row._id),
  );
  return lacking.map((row) => row.userId);
}
