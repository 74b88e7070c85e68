/** Workspaces whose owner has left: the organization keeps, reassigns or deletes them. */
import { limits } from "../../contract/limits.ts";
import { isId } from "../../storage/database.ts";
import type { FolderNode } from "../../storage/folders/folders.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { queueEffectiveAccessUpdate } from "../folders/access/update-effective-access.ts";
import { heightOf } from "../folders/tree/change-rules.ts";
import { reserveFreeName } from "../folders/tree/free-name.ts";
import { changeTreeReserving } from "../folders/tree/reservations.ts";
import type { FolderTree } from "../folders/tree/tree.ts";
import { loadLeftWorkspace, loadManaged } from "./load.ts";
import { restrictedBeneath, withoutRestrictions } from "./nested.ts";
import { ensureWorkspace } from "./own.ts";
import type { ReassignWorkspace } from "./schema.ts";

/**
 * Keeps the workspace of a former member; their grant on it is revoked with all their others. Part of the clean-up
 * after members (`workers/orgs/member-left.ts`). Idempotent.
 */
export async function keepWorkspace(app: App, member: { tenantId: string; userId: string }): Promise<void> {
  await app.storage.workspaces.markLeft(member.tenantId, [member.userId], app.now());
}

export interface Reassigned {
  tenantId: string;
  folderId: string;
  path: string;
}

/**
 * Moves the workspace of a former member into that of another member, as an ordinary folder, in one change to the tree.
 * A member who returns gets an empty workspace.
 */
export async function reassignWorkspace(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ReassignWorkspace,
): Promise<Reassigned> {
  const { _id: tenantId } = await loadManaged(app, actor, tenantRef, "folder:manageAcl");
  const { userId, toUserId } = input;
  const row = await loadLeftWorkspace(app, tenantId, userId);
  const recipient = isId(toUserId) ? await app.storage.memberships.find(tenantId, toUserId) : null;
  if (!recipient) throw notFound("member", toUserId);
  await ensureWorkspace(app, tenantId, recipient);

  let before: FolderNode | undefined;
  let reassigned: Reassigned | undefined;
  await changeTreeReserving(app, tenantId, async (tree, reserved) => {
    const { folder, home } = await chooseHome(app, tree, userId, toUserId);
    before = folder;
    const free = await reserveFreeName(app, tree, { ...folder, parentId: home._id }, folder.name);
    if (free.reservation) reserved(free.reservation);
    const { managed: _managed, ...rest } = folder;
    const { name, slug } = free;
    const path = `${tree.path(home._id)}/${slug}`;
    reassigned = { tenantId, folderId: folder._id, path };
    const event = makeEvent(app, actor, "personal_workspace.reassigned", {
      tenantId,
      resourceType: "workspace",
      resourceId: userId,
      metadata: { from: tree.path(folder._id), to: path, toUserId, toUsername: recipient.username },
    });
    const inner = await withoutRestrictions(app, restrictedBeneath(tree, folder._id));
    const after = {
      ...rest,
      parentId: home._id,
      name,
      slug,
      restricted: false,
      grants: [],
      updatedAt: app.now(),
    };
    return { rows: [after, ...inner], events: [event], outdated: [folder._id] };
  });
  const { parentId, slug } = before!;
  await app.storage.pathReservations.release({ tenantId, parentId, slug, ownerId: before!._id });
  queueEffectiveAccessUpdate(app, tenantId);
  await app.storage.workspaces.remove(row._id, "left");
  return reassigned!;
}

/** The folder to move and its destination, according to the current tree and row. */
async function chooseHome(
  app: App,
  tree: FolderTree,
  userId: string,
  toUserId: string,
): Promise<{ folder: FolderNode; home: FolderNode }> {
  await loadLeftWorkspace(app, tree.tenantId, userId);
  const folder = tree.workspaceOf(userId);
  const home = tree.workspaceOf(toUserId);
  if (!folder)
    throw new ServiceError(
      "refused",
      "This member left before their workspace was created: there is nothing to reassign.",
      {
        kind: "workspace",
        ref: userId,
      },
    );
  if (!home)
    throw new ServiceError("conflict", "The workspaces are being changed: try again in a moment.", {
      kind: "workspace",
      ref: toUserId,
    });
  if (tree.ancestry(home._id).length + heightOf(tree, folder._id) > limits.folderDepth)
    throw new ServiceError("limit_reached", `Folders may be ${limits.folderDepth} deep.`, {
      limit: limits.folderDepth,
    });
  return { folder, home };
}

/**
 * Deletes the workspace of a former member permanently. After this write, a job removes skills and folders. The
 * reconcile job does so if that job is lost.
 */
export async function deleteWorkspace(
  app: App,
  actor: Actor,
  tenantRef: string,
  userId: string,
): Promise<void> {
  // Without `folder: manageAcl`, the caller sees none of the skills.
  const { _id: tenantId } = await loadManaged(app, actor, tenantRef, "skill:delete", "folder:manageAcl");
  const row = await loadLeftWorkspace(app, tenantId, userId);
  const event = makeEvent(app, actor, "personal_workspace.deleted", {
    tenantId,
    resourceType: "workspace",
    resourceId: userId,
    metadata: { folderId: row.folderId },
  });
  if (!(await app.storage.workspaces.markDeleting(row._id, app.now(), [event])))
    throw new ServiceError("conflict", "This workspace has changed: read it again.", {
      kind: "workspace",
      ref: userId,
    });
  flushEvents(app, app.storage.workspaces, row._id, [event]);
  queueDeletion(app, { tenantId, userId });
}

export function queueDeletion(app: App, member: { tenantId: string; userId: string }): void {
  app.background("queue the deletion of a workspace", () =>
    app.queue.enqueue("workspaces.delete", member, { jobId: `${member.tenantId}.${member.userId}` }),
  );
}
