/**
 * Changes to a tree, one at a time: planned on the tree as it is, committed if it is still that tree, planned again if
 * not. So what a plan has checked (no circle, a free name, an empty folder) holds when the change takes place.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isUnavailable, retryIdempotent, untilKnownMs } from "../../storage/database.ts";
import type { FolderDoc } from "../../storage/folders.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { carryEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { requestSync } from "../orgs/request-sync.ts";
import { loadTree } from "./load.ts";
import type { FolderTree } from "./tree.ts";

/** How often a change that lost the race is planned again, with a pause that grows to this. */
const raceAttempts = 60;
const longestPauseMs = 40;

export interface FolderChange {
  /** Folders as they are to be; the revision is filled in here. */
  rows: FolderDoc[];
  events: EventRow[];
  /** Folders beneath which the governing folder may be another one now. */
  outdated?: string[];
}

/** What this process has in work per organization, so that its own calls do not race each other. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Plans and commits a change; `plan` answers undefined where nothing is to be done, and throws what is refused.
 * Answers the rows as they were committed.
 */
export async function changeTree(
  app: App,
  tenantId: string,
  plan: (tree: FolderTree) => Promise<FolderChange | undefined>,
): Promise<FolderDoc[]> {
  const before = queues.get(tenantId) ?? Promise.resolve();
  const turn = before.catch(() => undefined).then(() => attemptChange(app, tenantId, plan));
  const tail = turn
    .catch(() => undefined)
    .finally(() => {
      if (queues.get(tenantId) === tail) queues.delete(tenantId);
    });
  queues.set(tenantId, tail);
  return turn;
}

async function attemptChange(
  app: App,
  tenantId: string,
  plan: (tree: FolderTree) => Promise<FolderChange | undefined>,
): Promise<FolderDoc[]> {
  for (let attempt = 0; attempt < raceAttempts; attempt++) {
    const tree = await loadTree(app, tenantId);
    const expected = tree.revision;
    const change = await plan(tree);
    if (!change) return [];
    const rows = change.rows.map((row) => ({ ...row, revision: expected + 1 }));
    if (await commitOnce(app, tenantId, expected, { ...change, rows })) {
      app.background("settle a folder change", () => settleTree(app, tenantId, change.events));
      return rows;
    }
    await pause(Math.random() * Math.min(2 ** attempt, longestPauseMs));
  }
  throw new ServiceError("conflict", "The folders are being changed by many at once: try again.", {
    kind: "folder",
  });
}

/** The compare-and-set; after an answer that got lost, the rows themselves tell whether it took place. */
async function commitOnce(
  app: App,
  tenantId: string,
  expected: number,
  change: FolderChange,
): Promise<boolean> {
  const { folders } = app.storage;
  try {
    return await folders.commit(tenantId, expected, change);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const isThere = await retryIdempotent(async () => {
      await folders.readTrees([tenantId]);
      return folders.holdsRow(change.rows[0]!);
    }, untilKnownMs);
    if (!isThere) throw error;
    return true;
  }
}

/** What follows from a change of a tree; the reconcile job does it again after a stop. */
export async function settleTree(app: App, tenantId: string, events: EventRow[]): Promise<void> {
  await requestSync(app, { tenantId });
  await carryEvents(app, app.storage.folders, tenantId, events);
}
