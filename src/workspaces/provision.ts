/**
 * Makes the folders of scheduled workspaces, many in one change to the tree, whose events are in the same write. Every
 * step may be stopped and run again: what is in the tree already is only noted, under the same id and name.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isUnavailable } from "../../storage/database.ts";
import type { FolderDoc } from "../../storage/folders.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { WorkspaceDoc } from "../../storage/workspaces.ts";
import type { App } from "../app.ts";
import { makeSystemEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { revokeGrantsOf } from "../folders/access.ts";
import { changeTree, type FolderChange } from "../folders/change.ts";
import type { FolderTree } from "../folders/tree.ts";
import { queueGoverning } from "../folders/update.ts";
import { checkRoom, isGoverning, mendFolder, newWorkspaceFolder, rootIn, type Holder } from "./folder.ts";

/** Workspaces made in one change, and the pause after it: small enough that whoever reads meanwhile hardly waits. */
const batch = 50;
const pauseMs = 100;

/** Provisions whatever is scheduled, in batches, as long as workspaces are enabled. */
export async function provisionScheduled(app: App, tenantId: string): Promise<void> {
  const { workspaces } = app.storage;
  for (let after: string | undefined; ;) {
    if (!(await workspaces.findSettings(tenantId))?.enabled) return;
    const rows = await workspaces.list({ tenantId, state: "scheduled", after, limit: batch });
    if (rows.length === 0) return;
    await provisionRows(app, tenantId, rows);
    after = rows.at(-1)!._id;
    await pause(pauseMs);
  }
}

interface Wanted {
  row: WorkspaceDoc;
  holder: Holder & { username: string };
}

interface Outcome {
  made: { id: string; folderId: string }[];
  failed: { id: string; error: string }[];
}

/**
 * Provisions some scheduled workspaces. What keeps one from being made is noted with it, in a sentence; what passes by
 * itself (an engine that is away, a race that was lost) is thrown, and all of them stay scheduled.
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
    return username === undefined ? [] : [{ row, holder: { userId: row.userId, username } }];
  });
  if (wanted.length === 0) return;
  let outcome: Outcome;
  try {
    outcome = await commitFolders(app, tenantId, wanted);
  } catch (error) {
    if (passes(error)) throw error;
    if (wanted.length > 1) {
      // One of them must not keep the others from theirs.
      for (const { row } of wanted) await provisionRows(app, tenantId, [row]);
      return;
    }
    app.log.error({ error, tenantId, userId: wanted[0]!.row.userId }, "a workspace could not be provisioned");
    outcome = { made: [], failed: [{ id: wanted[0]!.row._id, error: sentenceOf(error) }] };
  }
  await workspaces.markFailed(outcome.failed, app.now());
  const marked = await workspaces.markProvisioned(outcome.made, app.now());
  if (marked < outcome.made.length) await takeBack(app, tenantId, outcome.made);
}

function passes(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof ServiceError && error.code === "conflict");
}

function sentenceOf(error: unknown): string {
  return error instanceof ServiceError
    ? error.message
    : "The folder could not be made for an internal reason: the service's log has it.";
}

async function commitFolders(app: App, tenantId: string, wanted: Wanted[]): Promise<Outcome> {
  let planned: Awaited<ReturnType<typeof planFolders>> | undefined;
  await changeTree(app, tenantId, async (tree) => {
    planned = await planFolders(app, tree, wanted);
    return planned.change.rows.length > 0 ? planned.change : undefined;
  });
  const { change, outcome } = planned!;
  if (change.outdated?.length) queueGoverning(app, tenantId);
  return outcome;
}

async function planFolders(
  app: App,
  tree: FolderTree,
  wanted: Wanted[],
): Promise<{ change: FolderChange; outcome: Outcome }> {
  const root = rootIn(tree);
  const present = wanted.flatMap(({ holder }) => tree.workspaceOf(holder.userId)?._id ?? []);
  const whole = present.length > 0 ? await app.storage.folders.listWhole(present) : [];
  const byId = new Map(whole.map((folder) => [folder._id, folder]));
  const rows: FolderDoc[] = [];
  const events: EventRow[] = [];
  const outdated: string[] = [];
  const outcome: Outcome = { made: [], failed: [] };
  for (const { row, holder } of wanted) {
    const before = byId.get(tree.workspaceOf(holder.userId)?._id ?? "");
    const mended = before && (await mendFolder(app, tree, before, holder));
    let folder = mended?.folder ?? before;
    if (!folder) {
      try {
        checkRoom(tree, root._id, rows.length);
      } catch (error) {
        outcome.failed.push({ id: row._id, error: sentenceOf(error) });
        continue;
      }
      // The id is taken where the folder was given to somebody else, and its owner has come back.
      const id = tree.get(row.folderId) ? app.newId() : row.folderId;
      folder = await newWorkspaceFolder(app, tree, id, holder);
    }
    if (mended || !before) {
      rows.push(folder);
      events.push(provisioned(app, tree, folder, holder, before !== undefined));
    }
    if (mended?.flaws.some(isGoverning)) outdated.push(folder._id);
    outcome.made.push({ id: row._id, folderId: folder._id });
  }
  return { change: { rows, events, outdated }, outcome };
}

function provisioned(
  app: App,
  tree: FolderTree,
  folder: FolderDoc,
  holder: Holder & { username: string },
  isReturned: boolean,
): EventRow {
  return makeSystemEvent(app, "personal_workspace.provisioned", {
    tenantId: tree.tenantId,
    resourceType: "workspace",
    resourceId: holder.userId,
    metadata: {
      username: holder.username,
      path: `${tree.path(folder.parentId!)}/${folder.slug}`,
      ...(isReturned ? { returned: true } : {}),
    },
  });
}

/** Whoever has left while their folder was being made has no grant on it. */
async function takeBack(app: App, tenantId: string, made: Outcome["made"]): Promise<void> {
  const rows = await app.storage.workspaces.listByIds(made.map((one) => one.id));
  for (const { userId, state } of rows) {
    if (state === "left" && !(await app.storage.memberships.find(tenantId, userId)))
      await revokeGrantsOf(app, tenantId, userId);
  }
}
