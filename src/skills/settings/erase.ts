/**
 * Erases a deleted skill: repository first, then its records, its own document last, so that an interrupted erasure is
 * continued later. A sync removes it from the mirror once its directory is removed from the connected repository.
 */
import type { App } from "../../app.ts";
import { mayErase } from "../../epoch/epoch.ts";
import { countStorageSoon } from "../../orgs/storage/usage.ts";
import { requestSync } from "../../queue/request-sync.ts";
import { projectSkill } from "../projection.ts";
import { endFormerSlugs } from "../slugs/reserve.ts";

export async function eraseSkill(app: App, payload: { tenantId: string; skillId: string }): Promise<void> {
  const { skillId } = payload;
  const skill = await app.storage.skills.findDeleted(skillId);
  if (!skill) return;
  // The reconcile job erases it once that is safe.
  if (!(await mayErase(app))) return;
  // If the process that deleted it has ended before it did this.
  await endFormerSlugs(app, skillId, skill.deletedAt!);
  await projectSkill(app, skillId);
  await app.repos.erase({ tenantId: skill.tenantId, skillId });
  await app.storage.versions.removeOfSkill(skillId);
  await app.storage.versionReviews.removeOfSkill(skillId);
  await app.storage.versionScans.removeOfSkill(skillId);
  await app.storage.packageDigests.removeOfSkill(skillId);
  await app.storage.attestations.removeOfSkill(skillId);
  await app.storage.downloads.removeOfSkill(skillId);
  await app.storage.installs.removeOfSkill(skillId);
  await app.storage.installDays.removeOfSkill(skillId);
  await app.storage.syncConflicts.removeOfSkill(skillId);
  await app.storage.follows.removeOfTarget(skill.tenantId, skillId);
  await app.storage.followedChanges.removeOfSkill(skillId);
  await app.storage.skillReports.removeOfSkill(skillId);
  await app.storage.skillCollections.dropSkill(skill.tenantId, skillId);
  // Only a sync changes the mirror, since it may be reading it.
  await requestSync(app, { tenantId: skill.tenantId }, { erased: true });
  await app.storage.pathReservations.releaseAllOf(skillId);
  await app.storage.anonymousIdentities.releaseSlot(skill.tenantId, skillId, app.now());
  await app.storage.skills.remove(skillId);
  countStorageSoon(app, skill.tenantId);
}
