/** Delivery of changes to one listener: who may know of them is decided for the caller as they are at that time. */
import type { ChangePayload } from "../../contract/payloads/service/events.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { actorKey } from "../access/actor.ts";
import { decideTenant, membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { logsOf, tenantsOf, type Listener } from "./listener.ts";
import { maxEntries, overlapMs, type Look } from "./recent.ts";
import { visibleChanges } from "./visible.ts";

/** Maximum age of the last event of a listener that reconnects; after that it is asked to read everything again. */
const resumableMs = 5 * 60_000;

/**
 * Sends what a look found, if anything concerns the listener, who is authenticated before. `isDoubtful`: the credential
 * has probably ended.
 */
export async function serve(
  app: App,
  listener: Listener,
  { rows, syncs, isOverflow }: Look,
  isDoubtful = false,
): Promise<void> {
  const known = new Set(tenantsOf(listener.actor));
  const concerning = rows.filter((row) => concerns(listener, known, row));
  const ofSync = syncs.filter(({ tenantId }) => known.has(tenantId) && isOf(listener, tenantId));
  if (concerning.length === 0 && ofSync.length === 0 && !isOverflow && !isDoubtful) return;
  if (!(await authenticateAgain(app, listener, known))) return;
  if (isOverflow) write(listener, "reset", {}, app);
  const changes = await visibleChanges(app, listener.actor, concerning);
  for (const { _id, tenantId } of ofSync)
    if (decideTenant(listener.actor, "githubSync:read", tenantId) === "allowed")
      changes.push({ type: "sync", id: _id, tenantId, deleted: false, own: false });
  sendChanges(app, listener, changes);
}

function concerns(listener: Listener, known: ReadonlySet<string>, row: EventRow): boolean {
  if (row.createdAt.getTime() < listener.since) return false;
  if (row.tenantId !== undefined && known.has(row.tenantId)) return isOf(listener, row.tenantId);
  return listener.actor.kind === "user" && row.userId === listener.actor.userId;
}

const isOf = (listener: Listener, tenantId: string) =>
  listener.tenantId === undefined || listener.tenantId === tenantId;

/** Several entries about one thing are one change. */
function sendChanges(app: App, listener: Listener, changes: readonly ChangePayload[]): void {
  const last = new Map(changes.map((change) => [`${change.type} ${change.id} ${change.own}`, change]));
  for (const change of last.values())
    if (change.tenantId === null || isOf(listener, change.tenantId)) write(listener, "change", change, app);
}

/**
 * Replaces the listener's actor by the caller as they are now, and reports memberships that began or ended. False if
 * the stream has ended. A database that does not respond ends no stream.
 */
async function authenticateAgain(
  app: App,
  listener: Listener,
  before: ReadonlySet<string>,
): Promise<boolean> {
  try {
    listener.actor = await listener.authenticate();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return finish(app, listener, "signed_out");
  }
  if (actorKey(listener.actor) !== listener.key) return finish(app, listener, "signed_out");
  const { actor, tenantId } = listener;
  if (tenantId !== undefined && !membershipIn(actor, tenantId)) return finish(app, listener, "no_access");
  const after = new Set(tenantsOf(actor));
  for (const id of [...before, ...after])
    if (!before.has(id) || !after.has(id))
      sendChanges(app, listener, [
        { type: "membership", id, tenantId: id, deleted: !after.has(id), own: false },
      ]);
  return true;
}

function finish(app: App, listener: Listener, reason: "signed_out" | "no_access"): false {
  write(listener, "end", { reason }, app);
  listener.opened.end();
  return false;
}

/** Sends a listener that reconnects the changes since its last event. */
export async function resume(app: App, listener: Listener): Promise<void> {
  if (!/^\d{1,15}$/.test(listener.lastEventId)) return;
  const now = app.now().getTime();
  const last = Number(listener.lastEventId);
  if (last < now - resumableMs || last > now + overlapMs) return write(listener, "reset", {}, app);
  const from = new Date(last - overlapMs);
  const rows = await app.storage.auditEvents.listSince(logsOf(listener), from, maxEntries);
  if (rows.length >= maxEntries) return write(listener, "reset", {}, app);
  const known = new Set(tenantsOf(listener.actor));
  const missed = rows.filter((row) => concerns({ ...listener, since: from.getTime() }, known, row));
  sendChanges(app, listener, await visibleChanges(app, listener.actor, missed));
}

/** The id is a time, so that any process can continue a stream. */
export const eventText = (app: App, event: string, data: object) =>
  `id: ${app.now().getTime()}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const write = ({ opened }: Listener, event: string, data: object, app: App) =>
  opened.write(eventText(app, event, data));
