/**
 * Erases an organization whose grace period is over. Every collection with documents of an organization has an eraser
 * here, which works in batches and may run twice. The organization's own document is erased last, so that an
 * interrupted run is resumed; its slugs stay reserved.
 */
import type { App } from "../../src/app.ts";
import { removeConnectors } from "../../src/connectors/remove.ts";
import { mayErase } from "../../src/epoch/epoch.ts";
import { endConnection } from "../../src/sync/connection/disconnect.ts";

type Eraser = (app: App, tenantId: string) => Promise<void>;

const inSlices = async (remove: () => Promise<number>) => {
  while ((await remove()) > 0);
};

/** The order matters: members first, so that access ends; the audit log last, since other documents may hold events. */
const erasers: readonly Eraser[] = [
  ({ storage }, id) => inSlices(() => storage.scimProviders.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.scimUsers.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.scimGroups.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.scimLog.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.memberships.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.formerMembers.removeOfTenant(id)),
  ({ storage }, id) => storage.workspaceSettings.remove(id),
  ({ storage }, id) => inSlices(() => storage.workspaces.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.invitations.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.teams.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.roles.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.avatars.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.tokens.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.oidcPolicies.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.ssoDomains.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.mcpServers.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.mcpInstalls.removeOfTenant(id)),
  (app, id) => removeConnectors(app, { tenantId: id }),
  ({ storage }, id) => inSlices(() => storage.connectorCalls.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.ssoProviders.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.ssoIdentities.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.ssoAttempts.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.ssoSignIns.removeOfTenant(id)),
  endConnections,
  ({ storage }, id) => inSlices(() => storage.syncBases.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.syncProposals.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.syncProposed.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.syncRuns.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.syncConflicts.removeOfTenant(id)),
  eraseSkills,
  ({ storage }, id) => inSlices(() => storage.skillReports.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.refusedContents.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.downloads.removeOfTenant(id)),
  ({ storage }, id) => inSlices(() => storage.installs.removeOfTenant(id)),
  ({ storage }, id) => storage.pathReservations.removeOfTenant(id),
  ({ storage }, id) => storage.folders.removeOfTenant(id),
  ({ storage }, id) => inSlices(() => storage.auditEvents.removeOfTenant(id)),
];

const batch = 100;

/** Asks the host once to remove the webhook; a failure does not delay the erasure. */
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
  if (!(await mayErase(app))) return;
  if (!(await app.storage.tenants.beginErasing(tenantId, app.now()))) return;
  for (const erase of erasers) await erase(app, tenantId);
  await app.storage.tenants.erase(tenantId, app.now());
  app.log.info({ tenantId }, "an organization was erased");
}

/** Erases the bytes first and a skill's own document last: without a document, its bytes could not be found again. */
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
