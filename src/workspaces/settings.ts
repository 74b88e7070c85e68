/** Settings of an organization's personal workspaces: enable, disable, move, and retry failed ones. */
import { actorId, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { checkMayChangePaths } from "../folders/access/exposure.ts";
import type { UpdateFolder } from "../folders/schema.ts";
import { authorizeWithParent } from "../folders/tree/change-rules.ts";
import { reserveFreeName } from "../folders/tree/free-name.ts";
import { changeTreeReserving } from "../folders/tree/reservations.ts";
import { loadTree } from "../folders/tree/trees.ts";
import { relocateFolder } from "../folders/tree/update.ts";
import { checkRoom, rootIn } from "./folder.ts";
import { loadManaged, loadWorkspace } from "./load.ts";
import { flushWorkspaceEventsById, queueSync } from "./schedule.ts";
import type { EnableWorkspaces, RetryWorkspaces } from "./schema.ts";

export const defaultName = "Personal";
const slice = 500;

/**
 * Enables workspaces: creates the folder that contains them unless it exists, and queues the creation of every
 * member's. Changes nothing if they are enabled. Returns the organization's id.
 *
 * A crash between the two writes leaves an empty managed folder, which the next call uses.
 */
export async function enableWorkspaces(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: EnableWorkspaces,
): Promise<string> {
  const { _id: tenantId } = await loadManaged(app, actor, tenantRef);
  await ensureRoot(app, actor, tenantId, input.name ?? defaultName);
  const [path, members] = [await rootPath(app, tenantId), await app.storage.memberships.count(tenantId)];
  const about = { tenantId, resourceType: "organization", resourceId: tenantId } as const;
  const events = [
    makeEvent(app, actor, "personal_workspace.enabled", { ...about, metadata: { path } }),
    makeEvent(app, actor, "personal_workspace.backfill_scheduled", { ...about, metadata: { members } }),
  ];
  if (await app.storage.workspaceSettings.enable(tenantId, app.now(), events))
    flushEvents(app, app.storage.workspaceSettings, tenantId, events);
  queueSync(app, tenantId);
  return tenantId;
}

/**
 * Disables workspaces: no more are created, and publishing with `personal` is refused. Existing ones stay managed and
 * private, and their owners keep access.
 */
export async function disableWorkspaces(app: App, actor: Actor, tenantRef: string): Promise<string> {
  const { _id: tenantId } = await loadManaged(app, actor, tenantRef);
  const event = makeEvent(app, actor, "personal_workspace.disabled", {
    tenantId,
    resourceType: "organization",
    resourceId: tenantId,
  });
  if (await app.storage.workspaceSettings.disable(tenantId, app.now(), [event]))
    flushEvents(app, app.storage.workspaceSettings, tenantId, [event]);
  return tenantId;
}

/**
 * Renames or moves the folder that contains all workspaces. Requires the same as for any restricted folder, in
 * addition to the permission to manage workspaces.
 */
export async function moveNamespace(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: UpdateFolder,
): Promise<string> {
  const { _id: tenantId } = await loadManaged(app, actor, tenantRef);
  const root = rootIn(await loadTree(app, tenantId));
  await relocateFolder(app, actor, root, input, {
    event: "personal_workspace.namespace_updated",
    authorize(view, folder) {
      // First, as it states the reason: the folder has no grants, so a caller may not even see it.
      checkMayChangePaths(view, folder._id);
      authorizeWithParent(view, folder, "folder:update");
    },
  });
  return tenantId;
}

/** Schedules failed workspaces again, of one member or of all. Returns the number of scheduled ones. */
export async function retryWorkspaces(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: RetryWorkspaces,
): Promise<number> {
  const { _id: tenantId, slug } = await loadManaged(app, actor, tenantRef);
  const { workspaces, workspaceSettings } = app.storage;
  if (!(await workspaceSettings.find(tenantId))?.enabled)
    throw new ServiceError(
      "refused",
      `Personal workspaces are not enabled in "${slug}": enable them first.`,
      {
        kind: "workspace",
        ref: slug,
      },
    );
  const one = input.userId === undefined ? undefined : await loadWorkspace(app, tenantId, input.userId);
  let scheduled = 0;
  for (let after: string | undefined; ;) {
    const rows = one ? [one] : await workspaces.list({ tenantId, state: "failed", after, limit: slice });
    if (rows.length === 0) break;
    after = rows.at(-1)!._id;
    const changes = rows.map((row) => ({
      id: row._id,
      events: [
        makeEvent(app, actor, "personal_workspace.retry_scheduled", {
          tenantId,
          resourceType: "workspace",
          resourceId: row.userId,
          metadata: { error: row.error, attempts: row.attempts },
        }),
      ],
    }));
    scheduled += await workspaces.reschedule(changes, ["failed"], app.now());
    await flushWorkspaceEventsById(
      app,
      rows.map((row) => row._id),
    );
    if (one) break;
  }
  queueSync(app, tenantId);
  return scheduled;
}

/** Creates the folder that contains all workspaces unless it exists: restricted, without grants. */
export async function ensureRoot(app: App, actor: Actor, tenantId: string, wanted: string): Promise<void> {
  await changeTreeReserving(app, tenantId, async (tree, reserved) => {
    if (tree.managedRoot()) return undefined;
    checkRoom(tree, null, 0);
    const [_id, now] = [app.newId(), app.now()];
    const free = await reserveFreeName(app, tree, { _id, tenantId, parentId: null }, wanted);
    if (free.reservation) reserved(free.reservation);
    const { name, slug } = free;
    const event = makeEvent(app, actor, "folder.created", {
      tenantId,
      resourceType: "folder",
      resourceId: _id,
      metadata: { name, path: slug },
    });
    const root = {
      _id,
      tenantId,
      parentId: null,
      slug,
      name,
      restricted: true,
      grants: [],
      managed: { kind: "root" } as const,
      revision: 0,
      createdBy: actorId(actor),
      createdAt: now,
      updatedAt: now,
    };
    return { rows: [root], events: [event] };
  });
}

async function rootPath(app: App, tenantId: string): Promise<string> {
  const tree = await loadTree(app, tenantId);
  return tree.path(rootIn(tree)._id);
}
