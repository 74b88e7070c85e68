/**
 * Creates the folders of scheduled workspaces, many in one change to the tree, with their events in the same write.
 * Every step can be interrupted and repeated: a folder that is in the tree already keeps its id and name.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isUnavailable } from "../../storage/database.ts";
import type { FolderDoc } from "../../storage/folders/folders.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { WorkspaceDoc } from "../../storage/workspaces/workspaces.ts";
import type { App } from "../app.ts";
import { makeSystemEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { revokeGrantsOf } from "../folders/access/access.ts";
import { queueEffectiveAccessUpdate } from "../folders/access/update-effective-access.ts";
import { changeTree, type FolderChange } from "../folders/tree/change.ts";
import type { FolderTree } from "../folders/tree/tree.ts";
import {
  checkRoom,
  changesEffectiveRestriction,
  repairFolder,
  newWorkspaceFolder,
  rootIn,
  type Owner,
} from "./folder.ts";

/** Workspaces in one change, and the pause after it, so that concurrent reads are hardly delayed. */
const batch = 50;
const pauseMs = 100;

/** Provisions scheduled workspaces in batches, as long as workspaces are enabled. */
export async function provisionScheduled(app: App, tenantId: string): Promise<void> {
  const { workspaces, workspaceSettings } = app.storage;
  for (let after: string | undefined; ;) {
    if (!(await workspaceSettings.find(tenantId))?.enabled) return;
    const rows = await workspaces.list({ tenantId, state: "scheduled", after, limit: batch });
    if (rows.length === 0) return;
    await provisionRows(app, tenantId, rows);
    after = rows.at(-1)!._id;
    await pause(pauseMs);
  }
}

interface Wanted {
  row: WorkspaceDoc;
  owner: Owner & { username: string };
}

interface Outcome {
  made: { id: string; folderId: string }[];
  failed: { id: string; error: string }[];
}

/**
 * Provisions the given workspaces. A permanent failure is stored with the workspace as a sentence; a transient one (an
 * unavailable database, a lost race) is thrown, and all of them stay scheduled.
 */
export async function provisionRows(app: App, tenantId: string, rows: WorkspaceDoc[]): Promise<void> {
  const { memberships, workspaces } = app.storage;
  const found = await memberships.listByUserIds(
    tenantId,
    rows.map((row) => row.userId),
  );
  const names = new Map(found.map((member) => [member.userId, member.username]));
  const gone = rows.filter((row) => !names.has(row.userId)).map((row) => row.userId);
  if (gone.length > 0) await workspaces.markLeft(tenantId, gone, app.now());
  const wanted = rows.flatMap((row): Wanted[] => {
    const username = names.get(row.userId);
    return username === undefined ? [] : [{ row, owner: { userId: row.userId, username } }];
  });
  if (wanted.length === 0) return;
  let outcome: Outcome;
  try {
    outcome = await commitFolders(app, tenantId, wanted);
  } catch (error) {
    if (isTransient(error)) throw error;
    if (wanted.length > 1) {
      // One failure must not affect the other workspaces.
      for (const { row } of wanted) await provisionRows(app, tenantId, [row]);
      return;
    }
    app.log.error({ error, tenantId, userId: wanted[0]!.row.userId }, "a workspace could not be provisioned");
    outcome = { made: [], failed: [{ id: wanted[0]!.row._id, error: sentenceOf(error) }] };
  }
  await workspaces.markFailed(outcome.failed, app.now());
  const marked = await workspaces.markProvisioned(outcome.made, app.now());
  if (marked < outcome.made.length) await revokeFromLeavers(app, tenantId, outcome.made);
}

function isTransient(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof ServiceError && error.code === "conflict");
}

function sentenceOf(error: unknown): string {
  return error instanceof ServiceError
    ? error.message
    : "The folder could not be created because of an internal error, which is in the service's log.";
}

async function commitFolders(app: App, tenantId: string, wanted: Wanted[]): Promise<Outcome> {
  let planned: Awaited<ReturnType<typeof planFolders>> | undefined;
  await changeTree(app, tenantId, async (tree) => {
    planned = await planFolders(app, tree, wanted);
    return planned.change.rows.length > 0 ? planned.change : undefined;
  });
  const { change, outcome } = planned!;
  if (change.outdated?.length) queueEffectiveAccessUpdate(app, tenantId);
  return outcome;
}

async function planFolders(
  app: App,
  tree: FolderTree,
  wanted: Wanted[],
): Promise<{ change: FolderChange; outcome: Outcome }> {
  const root = rootIn(tree);
  const present = wanted.flatMap(({ owner }) => tree.workspaceOf(owner.userId)?._id ?? []);
  const whole = present.length > 0 ? await app.storage.folders.listWithGrants(present) : [];
  const byId = new Map(whole.map((folder) => [folder._id, folder]));
  const rows: FolderDoc[] = [];
  const events: EventRow[] = [];
  const outdated: string[] = [];
  const outcome: Outcome = { made: [], failed: [] };
  for (const { row, owner } of wanted) {
    const before = byId.get(tree.workspaceOf(owner.userId)?._id ?? "");
    const repaired = before && (await repairFolder(app, tree, before, owner));
    let folder = repaired?.folder ?? before;
    if (!folder) {
      try {
        checkRoom(tree, root._id, rows.length);
      } catch (error) {
        outcome.failed.push({ id: row._id, error: sentenceOf(error) });
        continue;
      }
      // The id is in use if the folder was reassigned and its previous owner has returned.
      const id = tree.get(row.folderId) ? app.newId() : row.folderId;
      folder = await newWorkspaceFolder(app, tree, id, owner);
    }
    if (repaired || !before) {
      rows.push(folder);
      events.push(provisioned(app, tree, folder, owner, before !== undefined));
    }
    if (repaired?.flaws.some(changesEffectiveRestriction)) outdated.push(folder._id);
    outcome.made.push({ id: row._id, folderId: folder._id });
  }
  return { change: { rows, events, outdated }, outcome };
}

function provisioned(
  app: App,
  tree: FolderTree,
  folder: FolderDoc,
  owner: Owner & { username: string },
  isReturned: boolean,
): EventRow {
  return makeSystemEvent(app, "personal_workspace.provisioned", {
    tenantId: tree.tenantId,
    resourceType: "workspace",
    resourceId: owner.userId,
    metadata: {
      username: owner.username,
      path: `${tree.path(folder.parentId!)}/${folder.slug}`,
      returned: isReturned || undefined,
    },
  });
}

/** Revokes grants of members who left while their folder was created. */
async function revokeFromLeavers(app: App, tenantId: string, made: Outcome["made"]): Promise<void> {
  const rows = await app.storage.workspaces.listByIds(made.map((one) => one.id));
  for (const { userId, state } of rows) {
    if (state === "left" && !(await app.storage.memberships.find(tenantId, userId)))
      await revokeGrantsOf(app, tenantId, userId);
  }
}
