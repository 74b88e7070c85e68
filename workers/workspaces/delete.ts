/**
 * Removes the workspace of a former member: its skills, its folders, then the row that requested the deletion. After an
 * interruption, the job's next attempt or the reconcile job continues.
 */
import { retryLost } from "../../contract/concurrency/retry-lost.ts";
import type { App } from "../../src/app.ts";
import { makeSystemEvent } from "../../src/audit/events.ts";
import { closeSubtree, removeSubtree } from "../../src/folders/tree/erase.ts";
import { loadTree } from "../../src/folders/tree/trees.ts";
import { removeSkill } from "../../src/skills/settings/settings.ts";
import { flushWorkspaceEvents, queueSync } from "../../src/workspaces/schedule.ts";

const batch = 100;
/** Number of attempts while others concurrently add content. */
const rounds = 5;

export async function removeWorkspace(
  app: App,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<void> {
  const { workspaces } = app.storage;
  const row = await workspaces.findDeleting(tenantId, userId);
  if (!row) return;
  const folder = (await loadTree(app, tenantId)).workspaceOf(userId);
  if (folder)
    await retryLost({ attempts: rounds, exhausted: () => notEmpty(tenantId, userId) }, () =>
      removeFolder(app, tenantId, userId, folder._id),
    );
  await flushWorkspaceEvents(app, [row]);
  await workspaces.remove(row._id, "deleting");
  // A user who has rejoined in the meantime gets a new workspace.
  queueSync(app, tenantId);
}

async function removeFolder(app: App, tenantId: string, userId: string, id: string): Promise<boolean> {
  const folderIds = await closeSubtree(app, tenantId, id);
  await removeSkills(app, tenantId, userId, folderIds);
  await releaseDeleted(app, tenantId, folderIds);
  return removeSubtree(app, tenantId, id);
}

function notEmpty(tenantId: string, userId: string): Error {
  return new Error(`the workspace of ${userId} in ${tenantId} is not empty yet`);
}

async function removeSkills(app: App, tenantId: string, userId: string, folderIds: string[]): Promise<void> {
  const tenants = [{ tenantId, folderIds }];
  for (;;) {
    const scope = { kind: "tenants", tenants } as const;
    const found = await app.storage.skillSearch.list({ scope, sort: "updated", limit: batch });
    if (found.length === 0) return;
    for (const { skill } of found) {
      const event = makeSystemEvent(app, "skill.deleted", {
        tenantId,
        resourceType: "skill",
        resourceId: skill._id,
        metadata: { slug: skill.slug, name: skill.name, workspaceOf: userId, folderId: skill.folderId },
      });
      await removeSkill(app, skill, event);
    }
  }
}

/** Releases the paths of deleted skills. A path without a skill may belong to a publish in progress. */
async function releaseDeleted(app: App, tenantId: string, folderIds: string[]): Promise<void> {
  const { pathReservations, skills, skillLocations } = app.storage;
  for (;;) {
    const held = await pathReservations.listSkillsIn(tenantId, folderIds, batch);
    let released = 0;
    for (const place of held) {
      const isThere = (await skillLocations.list([place.ownerId])).length > 0;
      if (isThere || !(await skills.exists(place.ownerId))) continue;
      await pathReservations.release(place);
      released++;
    }
    if (released < batch) return;
  }
}
