/**
 * Removes the workspace of somebody who has left: its skills, its folders, then the row that asked for it. A stop
 * anywhere is gone on from, by the job's next try or by the reconcile job.
 */
import type { App } from "../../src/app.ts";
import { makeSystemEvent } from "../../src/audit/events.ts";
import { closeSubtree, removeSubtree } from "../../src/folders/erase.ts";
import { loadTree } from "../../src/folders/load.ts";
import { removeSkill } from "../../src/skills/settings.ts";
import { carryEventsOf, queueSync } from "../../src/workspaces/schedule.ts";

const batch = 100;
/** How often it looks for what was put in beside it. */
const rounds = 5;

export async function removeWorkspace(
  app: App,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<void> {
  const { workspaces } = app.storage;
  const row = await workspaces.findDeleting(tenantId, userId);
  if (!row) return;
  const folder = (await loadTree(app, tenantId)).workspaceOf(userId);
  if (folder && !(await removeFolder(app, tenantId, userId, folder._id)))
    throw new Error(`the workspace of ${userId} in ${tenantId} is not empty yet`);
  await carryEventsOf(app, [row]);
  await workspaces.remove(row._id, "deleting");
  // Should they have come back meanwhile, they get a new one.
  queueSync(app, tenantId);
}

async function removeFolder(app: App, tenantId: string, userId: string, id: string): Promise<boolean> {
  for (let round = 0; round < rounds; round++) {
    const folderIds = await closeSubtree(app, tenantId, id);
    await removeSkills(app, tenantId, userId, folderIds);
    await releaseDeleted(app, tenantId, folderIds);
    if (await removeSubtree(app, tenantId, id)) return true;
  }
  return false;
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
        metadata: { slug: skill.slug, name: skill.name, workspaceOf: userId },
      });
      await removeSkill(app, skill, event);
    }
  }
}

/** Gives back the places of skills that are deleted. Those of no skill yet may be a publish's that is under way. */
async function releaseDeleted(app: App, tenantId: string, folderIds: string[]): Promise<void> {
  const { places, skills, skillPlaces } = app.storage;
  for (;;) {
    const held = await places.listSkillsIn(tenantId, folderIds, batch);
    let released = 0;
    for (const place of held) {
      const isThere = (await skillPlaces.list([place.ownerId])).length > 0;
      if (isThere || !(await skills.exists(place.ownerId))) continue;
      await places.release(place);
      released++;
    }
    if (released < batch) return;
  }
}
