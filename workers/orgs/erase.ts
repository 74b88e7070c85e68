/**
 * Erases an organization whose grace period is over. Every collection with documents of an organization has an eraser
 * here, which works in batches and may run twice. The organization's own document is erased last, so that an
 * interrupted run is resumed; its slugs stay reserved.
 */
import type { App } from "../../src/app.ts";
import { removeConnectors } from "../../src/connectors/remove.ts";
import { mayErase } from "../../src/epoch/epoch.ts";
import { removeMarketplace } from "../../src/reach/marketplaces/remove.ts";
import { endConnection } from "../../src/sync/connection/disconnect.ts";

type Eraser = (app: App, tenantId: string) => Promise<void>;
type Storage = App["storage"];
type TenantCollection = {
  [Name in keyof Storage]: Storage[Name] extends { removeOfTenant(tenantId: string): Promise<number> }
    ? Name
    : never;
}[keyof Storage];

/** Eraser of the rows of collections, in slices. */
const rowsOf =
  (...names: TenantCollection[]): Eraser =>
  async ({ storage }, tenantId) => {
    for (const name of names) while ((await storage[name].removeOfTenant(tenantId)) > 0);
  };

/** The order matters: members first, so that access ends; the audit log last, since other documents may hold events. */
const erasers: readonly Eraser[] = [
  rowsOf("scimProviders", "scimUsers", "scimGroups", "scimLog", "memberships", "formerMembers"),
  ({ storage }, id) => storage.workspaceSettings.remove(id),
  ({ storage }, id) => storage.searchSynonyms.remove(id),
  ({ storage }, id) => storage.organizationSizes.remove(id),
  rowsOf("workspaces", "invitations", "teams", "roles", "avatars", "tokens", "oidcPolicies", "ssoDomains"),
  rowsOf("mcpServers", "mcpInstalls", "skillCollections", "follows", "followedChanges"),
  (app, id) => removeConnectors(app, { tenantId: id }),
  rowsOf("connectorCalls", "ssoProviders", "ssoIdentities", "ssoAttempts", "ssoSignIns"),
  endConnections,
  rowsOf("syncBases", "syncProposals", "syncProposed", "syncRuns", "syncConflicts"),
  eraseMarketplaces,
  eraseSkills,
  rowsOf(
    "packageDigests",
    "attestations",
    "versionScans",
    "versionReviews",
    "searchTerms",
    "skillReports",
    "refusedContents",
    "downloads",
    "installs",
    "installDays",
  ),
  ({ storage }, id) => storage.pathReservations.removeOfTenant(id),
  rowsOf("slugReservations"),
  ({ storage }, id) => storage.folders.removeOfTenant(id),
  rowsOf("webhooks", "webhookMessages", "auditEvents"),
  ({ storage }, id) => storage.auditForwardings.remove(id),
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
  await rowsOf("connections")(app, tenantId);
}

export async function eraseTenant(app: App, tenantId: string): Promise<void> {
  if (!(await mayErase(app))) return;
  if (!(await app.storage.tenants.beginErasing(tenantId, app.now()))) return;
  for (const erase of erasers) await erase(app, tenantId);
  await app.storage.tenants.erase(tenantId, app.now());
  app.log.info({ tenantId }, "an organization was erased");
}

async function eraseMarketplaces(app: App, tenantId: string): Promise<void> {
  for (const { audience } of await app.storage.marketplaces.list(tenantId))
    await removeMarketplace(app, tenantId, audience);
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
