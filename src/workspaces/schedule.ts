/** Who is to get a workspace: every member without one, those who have come back among them. */
import type { EventRow } from "../../storage/outbox.ts";
import type { WorkspaceDoc, WorkspaceSettingsDoc } from "../../storage/workspaces.ts";
import type { App } from "../app.ts";
import { makeSystemEvent } from "../audit/events.ts";
import { loadTree } from "../folders/load.ts";
import { provisionScheduled } from "./provision.ts";

const slice = 500;
/** After so long nobody is at work any more on the folder of somebody who has left. */
const quietMs = 60 * 60_000;

/**
 * Gives every member of an organization their workspace: schedules those who lack one and provisions what is scheduled.
 * Runs on enabling, whenever somebody joins and once an hour; running twice or beside itself equals running once.
 */
export async function syncWorkspaces(app: App, tenantId: string): Promise<void> {
  const [settings, tenant] = await Promise.all([
    app.storage.workspaces.findSettings(tenantId),
    app.storage.tenants.find(tenantId),
  ]);
  if (!settings?.enabled || !tenant || tenant.deletionAt) return;
  await scheduleMembers(app, settings);
  await forgetEmpty(app, tenantId);
  await provisionScheduled(app, tenantId);
}

/** Has `syncWorkspaces` run soon; another call before it does adds nothing. */
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
      // The event of the backfill stands for all who were members before it.
      const isBackfill = !row && member.createdAt <= settings.enabledAt;
      const events = isBackfill ? [] : [scheduled(app, tenantId, member)];
      if (!row) fresh.push(newRow(app, tenantId, member.userId, events));
      else if (row.state === "left") returning.push({ id: row._id, events });
    }
    await workspaces.insertNew(fresh);
    await workspaces.reschedule(returning, ["left"], app.now());
    const eventful = fresh.filter((row) => (row.outbox ?? []).length > 0).map((row) => row._id);
    await carryRows(app, [...eventful, ...returning.map((one) => one.id)]);
  }
}

/** Schedules one member's workspace, now; one that is there or under way is left alone. */
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
  await carryRows(app, [row?._id ?? fresh._id]);
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
    ...(events.length > 0 ? { unsettledAt: now } : {}),
  };
}

/** Carries what some rows hold to the log. They are read again: only what was really written is an event. */
export async function carryRows(app: App, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await app.storage.workspaces.listByIds(ids);
  await carryEventsOf(app, rows);
}

export async function carryEventsOf(
  app: App,
  rows: readonly Pick<WorkspaceDoc, "_id" | "outbox">[],
): Promise<void> {
  const carrying = rows.filter((row) => (row.outbox ?? []).length > 0);
  await app.storage.auditEvents.record(carrying.flatMap((row) => row.outbox ?? []));
  await app.storage.workspaces.settleAll(
    carrying.map((row) => ({ id: row._id, eventIds: (row.outbox ?? []).map((event) => event._id) })),
  );
}

/** Rows of people who have left before they had a folder, or whose folder is somebody else's now, stand for nothing. */
async function forgetEmpty(app: App, tenantId: string): Promise<void> {
  const { workspaces } = app.storage;
  const before = new Date(app.now().getTime() - quietMs);
  for (let after: string | undefined; ;) {
    const rows = await workspaces.list({ tenantId, state: "left", after, limit: slice });
    if (rows.length === 0) return;
    after = rows.at(-1)!._id;
    const tree = await loadTree(app, tenantId);
    for (const row of rows)
      if (row.updatedAt < before && !row.unsettledAt && !tree.workspaceOf(row.userId))
        await workspaces.remove(row._id, "left");
  }
}
