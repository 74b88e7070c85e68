/** Schedules workspaces for all members without one, including members who have returned. */
import type { EventRow } from "../../storage/outbox.ts";
import type { WorkspaceSettingsDoc } from "../../storage/workspaces/settings.ts";
import type { WorkspaceDoc } from "../../storage/workspaces/workspaces.ts";
import type { App } from "../app.ts";
import { makeSystemEvent } from "../audit/events.ts";
import { writeEvents } from "../audit/write-events.ts";
import { loadTree } from "../folders/tree/trees.ts";
import { liftNestedRestrictions } from "./nested.ts";
import { provisionScheduled } from "./provision.ts";

const slice = 500;
/** Time after which no job works on the folder of a former member. */
const quietMs = 60 * 60_000;

/**
 * Schedules the missing workspaces of an organization's members and provisions scheduled ones. Runs when workspaces are
 * enabled, when a member joins, and once an hour. Idempotent, also when it runs concurrently.
 */
export async function syncWorkspaces(app: App, tenantId: string): Promise<void> {
  const [settings, tenant] = await Promise.all([
    app.storage.workspaceSettings.find(tenantId),
    app.storage.tenants.find(tenantId),
  ]);
  if (!settings || !tenant || tenant.deletionAt) return;
  await liftNestedRestrictions(app, tenantId);
  if (!settings.enabled) return;
  await scheduleMembers(app, settings);
  await removeEmpty(app, tenantId);
  await provisionScheduled(app, tenantId);
}

/** Queues `syncWorkspaces`, unless it is queued already. */
export function queueSync(app: App, tenantId: string): void {
  app.background("queue the provisioning of workspaces", () =>
    app.queue.enqueue("workspaces.sync", { tenantId }, { jobId: tenantId }),
  );
}

async function scheduleMembers(app: App, settings: WorkspaceSettingsDoc): Promise<void> {
  const { memberships, workspaces } = app.storage;
  const tenantId = settings._id;
  for (let after = ""; ;) {
    const members = await memberships.listAfter(tenantId, after, slice);
    if (members.length === 0) return;
    after = members.at(-1)!.userId;
    const rows = await workspaces.listByUserIds(
      tenantId,
      members.map((member) => member.userId),
    );
    const known = new Map(rows.map((row) => [row.userId, row]));
    const fresh: WorkspaceDoc[] = [];
    const returning: { id: string; events: EventRow[] }[] = [];
    for (const member of members) {
      const row = known.get(member.userId);
      // The event of the backfill covers everyone who was a member before it.
      const isBackfill = !row && member.createdAt <= settings.enabledAt;
      const events = isBackfill ? [] : [scheduled(app, tenantId, member)];
      if (!row) fresh.push(newRow(app, tenantId, member.userId, events));
      else if (row.state === "left") returning.push({ id: row._id, events });
    }
    await workspaces.insertNew(fresh);
    await workspaces.reschedule(returning, ["left"], app.now());
    const eventful = fresh.filter((row) => (row.outbox ?? []).length > 0).map((row) => row._id);
    await flushWorkspaceEventsById(app, [...eventful, ...returning.map((one) => one.id)]);
  }
}

/** Schedules one member's workspace, unless it exists or is scheduled. */
export async function scheduleMember(
  app: App,
  tenantId: string,
  member: { userId: string; username: string },
): Promise<void> {
  const { workspaces } = app.storage;
  const events = [scheduled(app, tenantId, member)];
  const row = await workspaces.find(tenantId, member.userId);
  const fresh = newRow(app, tenantId, member.userId, events);
  if (row) await workspaces.reschedule([{ id: row._id, events }], ["left"], app.now());
  else await workspaces.insertNew([fresh]);
  await flushWorkspaceEventsById(app, [row?._id ?? fresh._id]);
}

function scheduled(app: App, tenantId: string, member: { userId: string; username: string }): EventRow {
  return makeSystemEvent(app, "personal_workspace.provisioning_scheduled", {
    tenantId,
    resourceType: "workspace",
    resourceId: member.userId,
    metadata: { username: member.username },
  });
}

export function newRow(app: App, tenantId: string, userId: string, events: EventRow[]): WorkspaceDoc {
  const now = app.now();
  return {
    _id: app.newId(),
    tenantId,
    userId,
    state: "scheduled",
    folderId: app.newId(),
    attempts: 0,
    createdAt: now,
    updatedAt: now,
    outbox: events,
    pendingSince: events.length > 0 ? now : undefined,
  };
}

/** Publishes the events of rows. The rows are read again, so that only stored events are published. */
export async function flushWorkspaceEventsById(app: App, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await app.storage.workspaces.listByIds(ids);
  await flushWorkspaceEvents(app, rows);
}

export async function flushWorkspaceEvents(
  app: App,
  rows: readonly Pick<WorkspaceDoc, "_id" | "outbox">[],
): Promise<void> {
  const withEvents = rows.filter((row) => (row.outbox ?? []).length > 0);
  await writeEvents(
    app,
    withEvents.flatMap((row) => row.outbox ?? []),
  );
  await app.storage.workspaces.clearOutboxes(
    withEvents.map((row) => ({ id: row._id, eventIds: (row.outbox ?? []).map((event) => event._id) })),
  );
}

/** Removes rows of former members without a folder, because it was never created or was reassigned. */
async function removeEmpty(app: App, tenantId: string): Promise<void> {
  const { workspaces } = app.storage;
  const before = new Date(app.now().getTime() - quietMs);
  for (let after: string | undefined; ;) {
    const rows = await workspaces.list({ tenantId, state: "left", after, limit: slice });
    if (rows.length === 0) return;
    after = rows.at(-1)!._id;
    const tree = await loadTree(app, tenantId);
    for (const row of rows)
      if (row.updatedAt < before && !row.pendingSince && !tree.workspaceOf(row.userId))
        await workspaces.remove(row._id, "left");
  }
}
