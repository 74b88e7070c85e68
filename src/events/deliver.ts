/** Delivery of changes to one listener: who may know of them is decided for the caller as they are at that time. */
import type { ChangePayload } from "../../contract/payloads/events.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { actorKey, type Actor } from "../access/actor.ts";
import { decideTenant, membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import type { EventStream } from "../http/service/event-streams.ts";
import { maxEntries, overlapMs, type Look } from "./recent.ts";
import { visibleChanges } from "./visible.ts";

const authenticateMs = 20_000;
/** Maximum age of the last event of a listener that reconnects; after that it is asked to read everything again. */
const resumableMs = 5 * 60_000;

export interface Subscription {
  actor: Actor;
  /** The caller as they are now. Throws if the credential is no longer valid. */
  authenticate(): Promise<Actor>;
  /** Only changes in this organization. */
  tenantId: string | undefined;
  /** Id of the last event that a listener received before it reconnected. */
  lastEventId: string;
}

export interface Listener extends Subscription {
  opened: EventStream;
  key: string;
  /** Changes from before this time are not sent. */
  since: number;
  authenticatedAt: number;
}

/** The logs that concern any of the listeners. */
export function logsOf(listeners: ReadonlySet<Listener>) {
  const tenantIds = new Set<string>();
  const userIds = new Set<string>();
  for (const { actor, tenantId } of listeners) {
    for (const one of tenantsOf(actor)) if (tenantId === undefined || one === tenantId) tenantIds.add(one);
    if (actor.kind === "user") userIds.add(actor.userId);
  }
  return { tenantIds, userIds };
}

const tenantsOf = (actor: Actor) =>
  actor.kind === "anonymous" ? [] : actor.memberships.map((membership) => membership.tenantId);

/** Sends what a look found, if anything concerns the listener. */
export async function serve(app: App, listener: Listener, { rows, syncs, isOverflow }: Look): Promise<void> {
  const known = new Set(tenantsOf(listener.actor));
  const concerning = rows.filter((row) => concerns(listener, known, row));
  const ofSync = syncs.filter(({ tenantId }) => known.has(tenantId) && isOf(listener, tenantId));
  const isIdle = concerning.length === 0 && ofSync.length === 0 && !isOverflow;
  if (isIdle && app.now().getTime() - listener.authenticatedAt < authenticateMs) return;
  if (!(await authenticateAgain(app, listener, known))) return;
  if (isOverflow) write(listener, "reset", {}, app);
  const changes = isIdle ? [] : await visibleChanges(app, listener.actor, concerning);
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
  listener.authenticatedAt = app.now().getTime();
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
  const rows = await app.storage.auditEvents.listSince(spread(logsOf(new Set([listener]))), from, maxEntries);
  if (rows.length >= maxEntries) return write(listener, "reset", {}, app);
  const known = new Set(tenantsOf(listener.actor));
  const missed = rows.filter((row) => concerns({ ...listener, since: from.getTime() }, known, row));
  sendChanges(app, listener, await visibleChanges(app, listener.actor, missed));
}

const spread = ({ tenantIds, userIds }: { tenantIds: Set<string>; userIds: Set<string> }) => ({
  tenantIds: [...tenantIds],
  userIds: [...userIds],
});

/** The id is a time, so that any process can continue a stream. */
export const eventText = (app: App, event: string, data: object) =>
  `id: ${app.now().getTime()}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const write = ({ opened }: Listener, event: string, data: object, app: App) =>
  opened.write(eventText(app, event, data));
