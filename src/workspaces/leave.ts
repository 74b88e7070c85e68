/** What becomes of a workspace whose owner has left: the organization keeps it, gives it to somebody, or deletes it. */
import { limits } from "../../contract/limits.ts";
import { isId } from "../../storage/database.ts";
import type { FolderNode } from "../../storage/folders.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, settleEvents } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { changeTree } from "../folders/change.ts";
import { takeFreeName } from "../folders/free-name.ts";
import type { FolderTree } from "../folders/tree.ts";
import { heightOf, queueGoverning } from "../folders/update.ts";
import type { PlaceDoc } from "../../storage/places.ts";
import { loadLeftWorkspace, loadManaged } from "./load.ts";
import { ensureWorkspace } from "./own.ts";
import type { ReassignWorkspace } from "./schema.ts";

/**
 * Keeps the workspace of somebody whose membership has ended; the grant on it goes with all their others. Part of the
 * clean-up after members (`workers/orgs/member-left.ts`); it may run twice.
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
 * Puts the workspace of somebody who has left into another member's, as an ordinary folder of theirs, in one change to
 * the tree. Whoever left gets an empty one should they come back.
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
  const heir = isId(toUserId) ? await app.storage.memberships.find(tenantId, toUserId) : null;
  if (!heir) throw notFound("member", toUserId);
  await ensureWorkspace(app, tenantId, heir);

  let held: PlaceDoc | undefined;
  let before: FolderNode | undefined;
  const release = async () => {
    if (held) await app.storage.places.release(held);
    held = undefined;
  };
  let reassigned: Reassigned | undefined;
  try {
    await changeTree(app, tenantId, async (tree) => {
      await release();
      const { folder, home } = await chooseHome(app, tree, userId, toUserId);
      before = folder;
      const free = await takeFreeName(app, tree, { ...folder, parentId: home._id }, folder.name);
      held = free.taken;
      const { managed: _managed, ...rest } = folder;
      const { name, slug } = free;
      const path = `${tree.path(home._id)}/${slug}`;
      reassigned = { tenantId, folderId: folder._id, path };
      const event = makeEvent(app, actor, "personal_workspace.reassigned", {
        tenantId,
        resourceType: "workspace",
        resourceId: userId,
        metadata: { from: tree.path(folder._id), to: path, toUserId, toUsername: heir.username },
      });
      const after = {
        ...rest,
        parentId: home._id,
        name,
        slug,
        restricted: false,
        grants: [],
        updatedAt: app.now(),
      };
      return { rows: [after], events: [event], outdated: [folder._id] };
    });
  } catch (error) {
    await release();
    throw error;
  }
  const { parentId, slug } = before!;
  await app.storage.places.release({ tenantId, parentId, slug, ownerId: before!._id });
  queueGoverning(app, tenantId);
  await app.storage.workspaces.remove(row._id, "left");
  return reassigned!;
}

/** The folder that moves and the one it goes into, as the tree and the row are now. */
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
      "This member left before their workspace was made: there is nothing to reassign.",
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
 * Deletes the workspace of somebody who has left, for good. From this write on it is decided; a job then removes skills
 * and folders, and the reconcile job does so if this one is lost.
 */
export async function deleteWorkspace(
  app: App,
  actor: Actor,
  tenantRef: string,
  userId: string,
): Promise<void> {
  const { _id: tenantId } = await loadManaged(app, actor, tenantRef, "skill:delete");
  const row = await loadLeftWorkspace(app, tenantId, userId);
  const event = makeEvent(app, actor, "personal_workspace.deleted", {
    tenantId,
    resourceType: "workspace",
    resourceId: userId,
    metadata: { folderId: row.folderId },
  });
  if (!(await app.storage.workspaces.markDeleting(row._id, app.now(), [event])))
    throw new ServiceError("conflict", "This workspace was changed meanwhile: read it again.", {
      kind: "workspace",
      ref: userId,
    });
  settleEvents(app, app.storage.workspaces, row._id, [event]);
  queueDeletion(app, { tenantId, userId });
}

export function queueDeletion(app: App, member: { tenantId: string; userId: string }): void {
  app.background("queue the deletion of a workspace", () =>
    app.queue.enqueue("workspaces.delete", member, { jobId: `${member.tenantId}.${member.userId}` }),
  );
}
