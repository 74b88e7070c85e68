/**
 * The changes since the last look, of all organizations that anyone listens to. The audit log is their source, since it
 * has every change of every process within moments. Entries reach it a little later than their time says, and the
 * clocks of processes differ, so each look reads the last seconds again.
 */
import type { ConnectionDoc } from "../../storage/connections/connections.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";

/** Time for which entries are read again. A change whose process ended before it was logged may come later still. */
export const overlapMs = 10_000;
/** Entries of one look. With more than that, listeners are asked to read everything again. */
export const maxEntries = 1000;

type SyncState = Awaited<ReturnType<App["storage"]["connections"]["listStates"]>>[number];

/** Logs from which on all recent entries are read, and those of others discarded: a query would name too many. */
const manyLogs = 200;
const maxRecent = 5000;

interface Ids {
  readonly size: number;
  has(id: string): boolean;
  keys(): Iterable<string>;
}

/** Logs that are read. */
export interface Logs {
  tenantIds: Ids;
  userIds: Ids;
}

export interface Look {
  rows: EventRow[];
  /** Connections whose sync has begun, ended or failed. */
  syncs: Pick<ConnectionDoc, "_id" | "tenantId">[];
  /** There were more entries than are read at once. */
  isOverflow: boolean;
}

/** Keeps what was seen between looks; one per process, discarded when the last listener leaves. */
export function openRecent(app: App) {
  const seen = new Map<string, number>();
  const syncs = new Map<string, string>();

  const newRows = (rows: EventRow[], now: number): EventRow[] => {
    for (const [id, time] of seen) if (time < now - 2 * overlapMs) seen.delete(id);
    const fresh = rows.filter(({ _id }) => !seen.has(_id));
    for (const { _id, createdAt } of fresh) seen.set(_id, createdAt.getTime());
    return fresh.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  };
  const changedSyncs = (states: SyncState[], tenantIds: Ids): SyncState[] => {
    for (const tenantId of syncs.keys()) if (!tenantIds.has(tenantId)) syncs.delete(tenantId);
    return states.filter((state) => {
      const before = syncs.get(state.tenantId);
      const after = signatureOf(state);
      syncs.set(state.tenantId, after);
      return before !== undefined && before !== after;
    });
  };
  return {
    async look({ tenantIds, userIds }: Logs): Promise<Look> {
      const now = app.now().getTime();
      const [rows, states] = await Promise.all([
        readRows(app, { tenantIds, userIds }, new Date(now - overlapMs)),
        app.storage.connections.listStates([...tenantIds.keys()]),
      ]);
      return {
        rows: newRows(rows, now),
        syncs: changedSyncs(states, tenantIds),
        isOverflow: rows.length >= maxEntries,
      };
    },
  };
}

async function readRows(app: App, { tenantIds, userIds }: Logs, from: Date): Promise<EventRow[]> {
  const { auditEvents } = app.storage;
  if (tenantIds.size + userIds.size > manyLogs) {
    const all = await auditEvents.listRecent(from, maxRecent);
    if (all.length < maxRecent)
      return all
        .filter(
          ({ tenantId, userId }) =>
            (tenantId !== undefined && tenantIds.has(tenantId)) ||
            (userId !== undefined && userIds.has(userId)),
        )
        .slice(0, maxEntries);
  }
  const logs = { tenantIds: [...tenantIds.keys()], userIds: [...userIds.keys()] };
  return auditEvents.listSince(logs, from, maxEntries);
}

function signatureOf({ status, wanted, done, failures, fence, lastSyncAt }: SyncState): string {
  return [status, wanted, done, failures, fence, lastSyncAt?.getTime()].join();
}
