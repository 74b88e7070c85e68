/**
 * Erases an organization whose grace period is over: every room that keeps something of one names its eraser here. Each
 * works in parts and may run twice; the organization's own document goes last, so that a stop is gone on with.
 */
import type { App } from "../../src/app.ts";

import { endConnection } from "../../src/sync/disconnect.ts";

type Eraser = (app: App, tenantId: string) => Promise<void>;

const inSlices = async (remove: () => Promise<number>) => {
  while ((await remove()) > 0);
};

/** In this order: who is in goes first, and the log last, since other rooms' documents may still carry events. */
const erasers: readonly Eraser[] = [
  ({ storage }, id) => inSlices(() => storage.memberships.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.workspaces.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.invitations.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.teams.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.roles.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.avatars.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.tokens.removeOfTenant(id)),
  endConnections,
  ({ storage }, id) => inSlices(() => storage.syncBases.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.syncProposals.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.syncProposed.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.syncRuns.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.syncConflicts.removeOfTenant(id)),
  eraseSkills,
  ({ storage }, id) => inSlices(() => storage.downloads.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.installs.removeOfTenant(id)),
  ({ storage }, id) => storage.places.removeOfTenant(id),
  ({ storage }, id) => storage.folders.removeOfTenant(id),
  ({ storage }, id) => inSlices(() => storage.auditEvents.removeOfTenant(id)),
];

const batch = 100;

/** The host is asked to forget us once; an organization's end does not wait for it. */
async function endConnections(app: App, tenantId: string): Promise<void> {
  await app.storage.connections.disconnect(tenantId, app.now(), []);
  const connection = await app.storage.connections.findOfTenant(tenantId);
  if (connection) {
    await endConnection(app, { ...connection, outbox: [] });
    await app.mirrors.open({ tenantId, connectionId: connection._id }).drop();
  }
  await inSlices(() => app.storage.connections.removeOfTenant(tenantId));
}

export async function eraseTenant(app: App, tenantId: string): Promise<void> {
  if (!(await app.storage.tenants.beginErasing(tenantId, app.now()))) return;
  for (const erase of erasers) await erase(app, tenantId);
  await app.storage.tenants.remove(tenantId);
  app.log.info({ tenantId }, "an organization was erased");
}

/** Bytes first, a skill's own document last: what has no document is nobody's to find again. */
async function eraseSkills(app: App, tenantId: string): Promise<void> {
  const { tenantSkills, versions, downloads, searchEntries, skills } = app.storage;
  for (;;) {
    const ids = await tenantSkills.listIds(tenantId, batch);
    if (ids.length === 0) return;
    await searchEntries.remove(ids);
    for (const skillId of ids) {
      await app.repos.erase({ tenantId, skillId });
      await versions.removeOfSkill(skillId);
      await downloads.removeOfSkill(skillId);
      await skills.remove(skillId);
    }
  }
}
