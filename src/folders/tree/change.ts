/**
 * Changes to a tree, one at a time: planned on the current tree, committed if the tree has not changed since, otherwise
 * planned again. Therefore the conditions that a plan checks (no cycle, a free name, an empty folder) hold when the
 * change is committed.
 */
import { retryLost, type Retries } from "../../../contract/concurrency/retry-lost.ts";
import { isUnavailable, retryIdempotent, untilKnownMs } from "../../../storage/database.ts";
import type { FolderDoc } from "../../../storage/folders/folders.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { App } from "../../app.ts";
import { publishEvents } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { requestSync } from "../../queue/request-sync.ts";
import type { FolderTree } from "./tree.ts";
import { loadTree } from "./trees.ts";

const maxPauseMs = 40;
const retries: Retries = {
  attempts: 60,
  pauseMs: (attempt) => Math.random() * Math.min(2 ** attempt, maxPauseMs),
  exhausted: () =>
    new ServiceError("conflict", "The folders are being changed by many at once: try again.", {
      kind: "folder",
    }),
};

export interface FolderChange {
  /** New state of folders; `changeTree` sets the revision. */
  rows: FolderDoc[];
  events: EventRow[];
  /** Folders whose content may be subject to another restriction now. */
  outdated?: string[];
}

/** Pending changes of this process per organization, so that its own calls do not race each other. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Plans and commits a change, and returns the committed rows. `plan` returns undefined if there is nothing to change,
 * and throws an error to refuse the change.
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
  return retryLost(retries, async () => {
    const tree = await loadTree(app, tenantId);
    const expected = tree.revision;
    const change = await plan(tree);
    if (!change) return [];
    const rows = change.rows.map((row) => ({ ...row, revision: expected + 1 }));
    if (!(await commitOnce(app, tenantId, expected, { ...change, rows }))) return undefined;
    app.background("publish a folder change", () => publishTreeChange(app, tenantId, change.events));
    return rows;
  });
}

/** The compare-and-set. If its response was lost, the rows themselves show whether it was applied. */
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
      return folders.hasRow(change.rows[0]!);
    }, untilKnownMs);
    if (!isThere) throw error;
    return true;
  }
}

/** Publishes events and requests a sync after a change of a tree. The reconcile job repeats it after a crash. */
export async function publishTreeChange(app: App, tenantId: string, events: EventRow[]): Promise<void> {
  await requestSync(app, { tenantId });
  await publishEvents(app, app.storage.folders, tenantId, events);
}
