/**
 * The end of a deleted skill: repository first, then its records, its own document last, so that a stop is finished later.
 * What a connected repository's mirror has of it goes with a sync, once its directory is gone from the branch.
 */
import type { App } from "../app.ts";
import { requestSync } from "../orgs/request-sync.ts";
import { settleSkill } from "./settle.ts";

export async function eraseSkill(app: App, payload: { tenantId: string; skillId: string }): Promise<void> {
  const { skillId } = payload;
  const skill = await app.storage.skills.collection.findOne({ _id: skillId });
  if (!skill?.deletedAt) return;
  await settleSkill(app, skillId);
  await app.repos.erase({ tenantId: skill.tenantId, skillId });
  await app.storage.versions.removeOfSkill(skillId);
  await app.storage.downloads.removeOfSkill(skillId);
  await app.storage.installs.removeOfSkill(skillId);
  await app.storage.syncConflicts.removeOfSkill(skillId);
  // The mirror of its organization's repository is a sync's, which may be reading it.
  await requestSync(app, { tenantId: skill.tenantId }, { erased: true });
  await app.storage.places.releaseAllOf(skillId);
  await app.storage.anonymousIdentities.freePlace(skill.tenantId, skillId, app.now());
  await app.storage.skills.remove(skillId);
}
