/** Every collection of the service, opened on one database. */
import { auditEventsCollection } from "./audit/events.ts";
import { auditForwardingsCollection } from "./audit/forwardings.ts";
import { oidcPoliciesCollection } from "./ci/oidc-policies.ts";
import type { DeclaredCollection } from "./collection.ts";
import { connectionsCollection } from "./connections/connections.ts";
import { webhookDeliveriesCollection } from "./connections/webhook-deliveries.ts";
import { connectorCallsCollection } from "./connectors/calls.ts";
import { connectorsCollection } from "./connectors/connectors.ts";
import { anonymousIdentitiesCollection } from "./credentials/anonymous-identities.ts";
import { deviceCodesCollection } from "./credentials/device-codes.ts";
import { sessionsCollection } from "./credentials/sessions.ts";
import { signatureNoncesCollection } from "./credentials/signature-nonces.ts";
import { tokensCollection } from "./credentials/tokens.ts";
import { openDatabase, type Database } from "./database.ts";
import type { DeclaredIndexes } from "./database/indexes.ts";
import { migrations } from "./database/migrations/list.ts";
import { migrate, type Done } from "./database/migrations/migrate.ts";
import { hasUnfinishedImport } from "./dump/import-lines.ts";
import { foldersCollection } from "./folders/folders.ts";
import { followedChangesCollection } from "./following/changes.ts";
import { followsCollection } from "./following/follows.ts";
import { followSettingsCollection } from "./following/settings.ts";
import { idempotencyCollection } from "./idempotency.ts";
import { openCallers } from "./lookups/callers.ts";
import { openCatalog } from "./lookups/catalog.ts";
import { openInstallGroups } from "./lookups/install-groups.ts";
import { openJoinedReads } from "./lookups/joined-reads.ts";
import { openOperationState } from "./lookups/operation-state.ts";
import { openOverviews } from "./lookups/overviews.ts";
import { openSkillLookups } from "./lookups/skills.ts";
import { openSsoLookups } from "./lookups/sso.ts";
import { openUsage } from "./lookups/usage.ts";
import { mailBudgetsCollection } from "./mail/budgets.ts";
import { jobMetricsCollection } from "./maintenance/job-metrics.ts";
import { operatorConditionsCollection } from "./maintenance/operator-conditions.ts";
import { walksCollection } from "./maintenance/walks.ts";
import { mcpCatalogCollection } from "./mcp/catalog.ts";
import { mcpInstallsCollection } from "./mcp/installs.ts";
import { mcpServersCollection } from "./mcp/servers.ts";
import { formerMembersCollection } from "./memberships/former.ts";
import { membershipsCollection } from "./memberships/memberships.ts";
import { oauthClientsCollection } from "./oauth/clients.ts";
import { oauthGrantsCollection } from "./oauth/grants.ts";
import { oauthRequestsCollection } from "./oauth/requests.ts";
import { avatarsCollection } from "./organizations/avatars.ts";
import { invitationsCollection } from "./organizations/invitations.ts";
import { rolesCollection } from "./organizations/roles.ts";
import { organizationSizesCollection } from "./organizations/sizes.ts";
import { teamsCollection } from "./organizations/teams.ts";
import { tenantsCollection } from "./organizations/tenants.ts";
import { attestationsCollection } from "./provenance/attestations.ts";
import { signingKeysCollection } from "./provenance/signing-keys.ts";
import { marketplacesCollection } from "./reach/marketplaces.ts";
import { scimGroupsCollection } from "./scim/groups.ts";
import { scimLogCollection } from "./scim/log.ts";
import { scimProvidersCollection } from "./scim/providers.ts";
import { scimUsersCollection } from "./scim/users.ts";
import { searchEntriesCollection } from "./search/entries.ts";
import { openSkillSearch } from "./search/skills.ts";
import { searchSynonymsCollection } from "./search/synonyms.ts";
import { searchTermsCollection } from "./search/terms.ts";
import { keyRingCollection } from "./service/key-ring.ts";
import { openSealedValues } from "./service/sealed-values.ts";
import { serviceSettingsCollection } from "./service/settings.ts";
import { setupCollection } from "./service/setup.ts";
import { openSkillFigures } from "./skills/figures.ts";
import { openSkillLocations } from "./skills/locations.ts";
import { pathReservationsCollection } from "./skills/path-reservations.ts";
import { refusedContentsCollection } from "./skills/refused-contents.ts";
import { skillReportsCollection } from "./skills/reports.ts";
import { skillCollectionsCollection } from "./skills/skill-collections.ts";
import { skillsCollection } from "./skills/skills.ts";
import { slugReservationsCollection } from "./skills/slug-reservations.ts";
import { openTakedowns } from "./skills/takedowns.ts";
import { openTenantSkills } from "./skills/tenant-skills.ts";
import { ssoAttemptsCollection } from "./sso/attempts.ts";
import { ssoDomainsCollection } from "./sso/domains.ts";
import { ssoIdentitiesCollection } from "./sso/identities.ts";
import { ssoProvidersCollection } from "./sso/providers.ts";
import { ssoSignInsCollection } from "./sso/sign-ins.ts";
import { syncBasesCollection } from "./sync/bases.ts";
import { syncConflictsCollection } from "./sync/conflicts.ts";
import { syncProposalsCollection } from "./sync/proposals.ts";
import { syncProposedCollection } from "./sync/proposed.ts";
import { syncRunsCollection } from "./sync/runs.ts";
import { uploadsCollection } from "./uploads.ts";
import { openDownloadCounts } from "./usage/download-counts.ts";
import { downloadsCollection } from "./usage/downloads.ts";
import { installDaysCollection } from "./usage/install-days.ts";
import { installsCollection } from "./usage/installs.ts";
import { usersCollection } from "./users/users.ts";
import { packageDigestsCollection } from "./versions/package-digests.ts";
import { versionReviewsCollection } from "./versions/reviews.ts";
import { versionScansCollection } from "./versions/scans.ts";
import { versionsCollection } from "./versions/versions.ts";
import { webhookMessagesCollection } from "./webhooks/messages.ts";
import { webhooksCollection } from "./webhooks/webhooks.ts";
import { workspaceSettingsCollection } from "./workspaces/settings.ts";
import { workspacesCollection } from "./workspaces/workspaces.ts";

const collections = {
  anonymousIdentities: anonymousIdentitiesCollection,
  attestations: attestationsCollection,
  auditEvents: auditEventsCollection,
  auditForwardings: auditForwardingsCollection,
  avatars: avatarsCollection,
  connections: connectionsCollection,
  connectorCalls: connectorCallsCollection,
  connectors: connectorsCollection,
  deviceCodes: deviceCodesCollection,
  downloads: downloadsCollection,
  folders: foldersCollection,
  followSettings: followSettingsCollection,
  followedChanges: followedChangesCollection,
  follows: followsCollection,
  formerMembers: formerMembersCollection,
  idempotency: idempotencyCollection,
  installDays: installDaysCollection,
  installs: installsCollection,
  invitations: invitationsCollection,
  jobMetrics: jobMetricsCollection,
  keyRing: keyRingCollection,
  mailBudgets: mailBudgetsCollection,
  marketplaces: marketplacesCollection,
  mcpCatalog: mcpCatalogCollection,
  mcpInstalls: mcpInstallsCollection,
  mcpServers: mcpServersCollection,
  memberships: membershipsCollection,
  oauthClients: oauthClientsCollection,
  oauthGrants: oauthGrantsCollection,
  oauthRequests: oauthRequestsCollection,
  oidcPolicies: oidcPoliciesCollection,
  organizationSizes: organizationSizesCollection,
  operatorConditions: operatorConditionsCollection,
  packageDigests: packageDigestsCollection,
  pathReservations: pathReservationsCollection,
  slugReservations: slugReservationsCollection,
  refusedContents: refusedContentsCollection,
  roles: rolesCollection,
  scimGroups: scimGroupsCollection,
  scimLog: scimLogCollection,
  scimProviders: scimProvidersCollection,
  scimUsers: scimUsersCollection,
  searchEntries: searchEntriesCollection,
  searchTerms: searchTermsCollection,
  serviceSettings: serviceSettingsCollection,
  sessions: sessionsCollection,
  setup: setupCollection,
  signatureNonces: signatureNoncesCollection,
  signingKeys: signingKeysCollection,
  skillCollections: skillCollectionsCollection,
  skillReports: skillReportsCollection,
  skills: skillsCollection,
  ssoAttempts: ssoAttemptsCollection,
  ssoDomains: ssoDomainsCollection,
  ssoIdentities: ssoIdentitiesCollection,
  ssoProviders: ssoProvidersCollection,
  ssoSignIns: ssoSignInsCollection,
  syncBases: syncBasesCollection,
  syncConflicts: syncConflictsCollection,
  syncProposals: syncProposalsCollection,
  syncProposed: syncProposedCollection,
  syncRuns: syncRunsCollection,
  teams: teamsCollection,
  tenants: tenantsCollection,
  tokens: tokensCollection,
  uploads: uploadsCollection,
  users: usersCollection,
  versions: versionsCollection,
  walks: walksCollection,
  webhookDeliveries: webhookDeliveriesCollection,
  webhookMessages: webhookMessagesCollection,
  versionReviews: versionReviewsCollection,
  versionScans: versionScansCollection,
  webhooks: webhooksCollection,
  workspaceSettings: workspaceSettingsCollection,
  searchSynonyms: searchSynonymsCollection,
  workspaces: workspacesCollection,
};

/** Operations on documents of several collections, or on part of the documents of one. */
function openQueries(database: Database) {
  const reads = openJoinedReads(database);
  return {
    callers: openCallers(reads),
    catalog: openCatalog(database),
    downloadCounts: openDownloadCounts(database),
    operationState: openOperationState(database),
    overviews: openOverviews(database),
    sealedValues: openSealedValues(database),
    skillFigures: openSkillFigures(database),
    skillLocations: openSkillLocations(database),
    skillLookups: openSkillLookups(database, reads),
    skillSearch: openSkillSearch(database),
    ssoLookups: openSsoLookups(database),
    takedowns: openTakedowns(database),
    tenantSkills: openTenantSkills(database),
    installGroups: openInstallGroups(database),
    usage: openUsage(database),
  };
}

type Collections = typeof collections;
type OpenedCollections = { [Name in keyof Collections]: ReturnType<Collections[Name]["open"]> };

export type Storage = OpenedCollections &
  ReturnType<typeof openQueries> & {
    database: Database;
    /** Collections whose outboxes the reconcile job flushes. */
    outboxes: readonly OutboxName[];
    /** For documents that were imported since it was opened. */
    migrate(): Promise<void>;
    ping(): Promise<void>;
    close(): Promise<void>;
  };

type OutboxName = {
  [Name in keyof Collections]: Collections[Name] extends DeclaredCollection<unknown, true> ? Name : never;
}[keyof Collections];

const entries = Object.entries<DeclaredCollection<unknown>>(collections);

const outboxes = entries.filter(([, { hasOutbox }]) => hasOutbox).map(([name]) => name as OutboxName);

/** By collection. */
export const declaredIndexes: DeclaredIndexes = Object.assign(
  {},
  ...entries.map(([, { indexes }]) => indexes),
);

/**
 * Connects, migrates, creates missing indexes and opens every collection. An import that was interrupted is not
 * migrated: it has a part of the documents.
 */
export async function openStorage(options: {
  url: string;
  database: string;
  /** Receives what was migrated. */
  onMigrated?: (done: Done) => void;
}): Promise<Storage> {
  const database = await openDatabase(options.url, options.database);
  const migrateDatabase = async () => {
    for (const done of await migrate(database, declaredIndexes, migrations)) options.onMigrated?.(done);
  };
  try {
    if (!(await hasUnfinishedImport(database))) await migrateDatabase();
    await database.ensureIndexes(declaredIndexes);
  } catch (error) {
    await database.close();
    throw error;
  }
  const opened = Object.fromEntries(
    entries.map(([name, { open }]) => [name, open(database)]),
  ) as OpenedCollections;
  return {
    ...opened,
    ...openQueries(database),
    database,
    outboxes,
    migrate: migrateDatabase,
    ping: () => database.ping(),
    close: () => database.close(),
  };
}
