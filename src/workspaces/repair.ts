/**
 * Checks every workspace and repairs its flaws. The folder must be under the namespace root, restricted, with the
 * owner's grant and no other, with the owner's current user name, and without restrictions inside; the row must
 * correspond to member and folder.
 */
import type { FolderDoc } from "../../storage/folders/folders.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { PathReservationDoc } from "../../storage/skills/path-reservations.ts";
import type { WorkspaceDoc } from "../../storage/workspaces/workspaces.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { queueEffectiveAccessUpdate } from "../folders/access/update-effective-access.ts";
import { changeTree } from "../folders/tree/change.ts";
import { loadTree } from "../folders/tree/trees.ts";
import { changesEffectiveRestriction, repairFolder } from "./folder.ts";
import { loadManaged } from "./load.ts";
import { restrictedBeneath, withoutRestrictions } from "./nested.ts";
import { flushWorkspaceEventsById, newRow, queueSync } from "./schedule.ts";
import { defaultName, ensureRoot } from "./settings.ts";

/** Workspaces that are checked and repaired in one change to the tree. */
const slice = 100;

export interface Repaired {
  checked: number;
  repaired: number;
}

export async function repairWorkspaces(app: App, actor: Actor, tenantRef: string): Promise<Repaired> {
  const { _id: tenantId, slug } = await loadManaged(app, actor, tenantRef);
  const { workspaces, workspaceSettings } = app.storage;
  if (!(await workspaceSettings.find(tenantId)))
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
  queueEffectiveAccessUpdate(app, tenantId);
  queueSync(app, tenantId);
  return { checked, repaired: repaired.size };
}

function repairedEvent(
  app: App,
  actor: Actor,
  tenantId: string,
  userId: string,
  repaired: string[],
): EventRow {
  return makeEvent(app, actor, "personal_workspace.repaired", {
    tenantId,
    resourceType: "workspace",
    resourceId: userId,
    metadata: { repaired },
  });
}

/** Creates missing rows of folders. Whether the owners are members is checked with all other rows. */
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
    await flushWorkspaceEventsById(
      app,
      fresh.map((row) => row._id),
    );
    adopted.push(...fresh.map((row) => row.userId));
  }
  return adopted;
}

/** Returns the owners of repaired workspaces. */
async function repairSlice(
  app: App,
  actor: Actor,
  tenantId: string,
  rows: WorkspaceDoc[],
): Promise<string[]> {
  const { memberships } = app.storage;
  const stable = rows.filter((row) => row.state === "provisioned" || row.state === "left");
  const members = await memberships.listByUserIds(
    tenantId,
    stable.map((row) => row.userId),
  );
  const names = new Map(members.map((member) => [member.userId, member.username]));
  const repairedRows = await repairRows(app, actor, tenantId, stable, names);
  const released: Pick<PathReservationDoc, "tenantId" | "parentId" | "slug" | "ownerId">[] = [];
  let inTree: string[] = [];
  await changeTree(app, tenantId, async (tree) => {
    const found = stable.flatMap((row) => tree.workspaceOf(row.userId)?._id ?? []);
    const changed: FolderDoc[] = [];
    const events: EventRow[] = [];
    const outdated: string[] = [];
    released.length = 0;
    inTree = [];
    for (const folder of await app.storage.folders.listWithGrants(found)) {
      const { managed } = folder;
      if (managed?.kind !== "workspace") continue;
      const { userId } = managed;
      const repair = await repairFolder(app, tree, folder, { userId, username: names.get(userId) });
      const inner = await withoutRestrictions(app, restrictedBeneath(tree, folder._id));
      if (!repair && inner.length === 0) continue;
      changed.push(...(repair ? [repair.folder] : []), ...inner);
      if (inner.length > 0 || repair?.flaws.some(changesEffectiveRestriction)) outdated.push(folder._id);
      const flaws = [...(repair?.flaws ?? []), ...(inner.length > 0 ? ["nested restriction"] : [])];
      events.push(repairedEvent(app, actor, tenantId, userId, flaws));
      inTree.push(userId);
      if (!repair) continue;
      const { parentId, slug } = folder;
      if (parentId !== repair.folder.parentId || slug !== repair.folder.slug)
        released.push({ tenantId, parentId, slug, ownerId: folder._id });
    }
    return changed.length === 0 ? undefined : { rows: changed, events, outdated };
  });
  for (const reservation of released) await app.storage.pathReservations.release(reservation);
  return [...repairedRows, ...inTree];
}

/**
 * Makes rows correspond to members and folders: workspaces of former members are marked as left, and those without a
 * folder are provisioned again.
 */
async function repairRows(
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
  await flushWorkspaceEventsById(
    app,
    lacking.map((row) => row._id),
  );
  return lacking.map((row) => row.userId);
}
