/** Personal workspaces of an organization as a whole: on, off, where they lie, and trying again what failed. */
import type { PlaceDoc } from "../../storage/places.ts";
import { actorId, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, settleEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { changeTree } from "../folders/change.ts";
import { takeFreeName } from "../folders/free-name.ts";
import { loadTree } from "../folders/load.ts";
import type { UpdateFolder } from "../folders/schema.ts";
import { relocateFolder } from "../folders/update.ts";
import { checkRoom, rootIn } from "./folder.ts";
import { loadManaged, loadWorkspace } from "./load.ts";
import { carryRows, queueSync } from "./schedule.ts";
import type { EnableWorkspaces, RetryWorkspaces } from "./schema.ts";

export const defaultName = "Personal";
const slice = 500;

/**
 * Enables workspaces: makes the folder that holds them, unless it is there, and has every member's made by a job. Where
 * they are enabled already nothing changes. Answers the organization's id.
 *
 * Stopped between the two writes, an empty managed folder is left, which the next call takes.
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
  if (await app.storage.workspaces.enable(tenantId, app.now(), events))
    settleEvents(app, { settle: app.storage.workspaces.settleSettings }, tenantId, events);
  queueSync(app, tenantId);
  return tenantId;
}

/**
 * Disables workspaces: none are made any more, and nothing is published with `personal`. Those that are there stay
 * managed, private and their owners', with all that is in them.
 */
export async function disableWorkspaces(app: App, actor: Actor, tenantRef: string): Promise<string> {
  const { _id: tenantId } = await loadManaged(app, actor, tenantRef);
  const event = makeEvent(app, actor, "personal_workspace.disabled", {
    tenantId,
    resourceType: "organization",
    resourceId: tenantId,
  });
  if (await app.storage.workspaces.disable(tenantId, app.now(), [event]))
    settleEvents(app, { settle: app.storage.workspaces.settleSettings }, tenantId, [event]);
  return tenantId;
}

/** Renames or moves the folder that holds all workspaces: the rules of folders hold, and this is the only way to. */
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
    // The right to manage workspaces was asked; the right to put a folder where it goes is asked there.
    admit: () => undefined,
  });
  return tenantId;
}

/** Has failed provisioning tried again, of one member or of all. Answers how many are scheduled by it. */
export async function retryWorkspaces(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: RetryWorkspaces,
): Promise<number> {
  const { _id: tenantId, slug } = await loadManaged(app, actor, tenantRef);
  const { workspaces } = app.storage;
  if (!(await workspaces.findSettings(tenantId))?.enabled)
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
          metadata: { ...(row.error === undefined ? {} : { error: row.error }), attempts: row.attempts },
        }),
      ],
    }));
    scheduled += await workspaces.reschedule(changes, ["failed"], app.now());
    await carryRows(
      app,
      rows.map((row) => row._id),
    );
    if (one) break;
  }
  queueSync(app, tenantId);
  return scheduled;
}

/** Makes the folder that holds all workspaces where there is none: restricted, with no grant to anybody. */
export async function ensureRoot(app: App, actor: Actor, tenantId: string, wanted: string): Promise<void> {
  let held: PlaceDoc | undefined;
  const release = async () => {
    if (held) await app.storage.places.release(held);
    held = undefined;
  };
  try {
    await changeTree(app, tenantId, async (tree) => {
      await release();
      if (tree.managedRoot()) return undefined;
      checkRoom(tree, null, 0);
      const [_id, now] = [app.newId(), app.now()];
      const free = await takeFreeName(app, tree, { _id, tenantId, parentId: null }, wanted);
      held = free.taken;
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
  } catch (error) {
    await release();
    throw error;
  }
}

async function rootPath(app: App, tenantId: string): Promise<string> {
  const tree = await loadTree(app, tenantId);
  return tree.path(rootIn(tree)._id);
}
