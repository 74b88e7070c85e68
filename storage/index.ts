/** Every collection of the service, opened on one database. */
import {
  anonymousIdentityIndexes,
  openAnonymousIdentities,
  type AnonymousIdentities,
} from "./anonymous-identities.ts";
import { openAuditEvents, auditEventIndexes, type AuditEvents } from "./audit-events.ts";
import { avatarIndexes, openAvatars, type Avatars } from "./avatars.ts";
import { oidcPolicyIndexes, openOidcPolicies, type OidcPolicies } from "./ci/oidc-policies.ts";
import { connectionIndexes, openConnections, type Connections } from "./connections.ts";
import { connectorCallIndexes, openConnectorCalls, type ConnectorCalls } from "./connectors/calls.ts";
import { connectorIndexes, openConnectors, type Connectors } from "./connectors/connectors.ts";
import { openDatabase, type Database } from "./database.ts";
import { adoptOlderForm } from "./database/adopt.ts";
import type { DeclaredIndexes } from "./database/indexes.ts";
import { openDeviceCodes, deviceCodeIndexes, type DeviceCodes } from "./device-codes.ts";
import { openDownloadCounts, type DownloadCounts } from "./download-counts.ts";
import {
  adoptFormerDownloads,
  dailyDownloadIndexes,
  downloadBatchIndexes,
  formerRowIndexes,
  openDownloads,
  tenantDownloadIndexes,
  type Downloads,
} from "./downloads.ts";
import { folderIndexes, folderTreeIndexes, openFolders, type Folders } from "./folders.ts";
import { openIdempotency, idempotencyIndexes, type IdempotencyRecords } from "./idempotency.ts";
import { openInstalls, installIndexes, type Installs } from "./installs.ts";
import { openInvitations, invitationIndexes, type Invitations } from "./invitations.ts";
import { jobMinuteIndexes, openJobMetrics, type JobMetrics } from "./job-metrics.ts";
import { openCallers, type Callers } from "./lookups/callers.ts";
import { openCatalog, type Catalog } from "./lookups/catalog.ts";
import { openJoinedReads } from "./lookups/joined-reads.ts";
import { openOverviews, type Overviews } from "./lookups/overviews.ts";
import { openSkillLookups, type SkillLookups } from "./lookups/skills.ts";
import { openSsoLookups, type SsoLookups } from "./lookups/sso.ts";
import { openUsage, type Usage } from "./lookups/usage.ts";
import { openMailBudgets, mailBudgetIndexes, type MailBudgets } from "./mail-budgets.ts";
import { catalogIndexes, catalogStateIndexes, openMcpCatalog, type McpCatalog } from "./mcp/catalog.ts";
import { mcpInstallIndexes, openMcpInstalls, type McpInstalls } from "./mcp/installs.ts";
import { mcpServerIndexes, openMcpServers, type McpServers } from "./mcp/servers.ts";
import { openMemberships, membershipIndexes, type Memberships } from "./memberships.ts";
import { formerMemberIndexes, openFormerMembers, type FormerMembers } from "./memberships/former.ts";
import { oauthIndexes, openOauth, type Oauth } from "./oauth/index.ts";
import { openPathReservations, pathReservationIndexes, type PathReservations } from "./path-reservations.ts";
import { openRefusedContents, refusedContentIndexes, type RefusedContents } from "./refused-contents.ts";
import { openRoles, roleIndexes, type Roles } from "./roles.ts";
import { openScimGroups, scimGroupIndexes, type ScimGroups } from "./scim/groups.ts";
import { openScimLog, scimLogIndexes, type ScimLog } from "./scim/log.ts";
import { openScimProviders, scimProviderIndexes, type ScimProviders } from "./scim/providers.ts";
import { openScimUsers, scimUserIndexes, type ScimUsers } from "./scim/users.ts";
import { openSearchEntries, searchEntryIndexes, type SearchEntries } from "./search-entries.ts";
import { openKeyRing, type KeyRing } from "./service/key-ring.ts";
import { openSealedValues, type SealedValues } from "./service/sealed-values.ts";
import { openServiceSettings, serviceSettingsIndexes, type ServiceSettings } from "./service/settings.ts";
import { openSetup, type Setup } from "./service/setup.ts";
import { openSessions, sessionIndexes, type Sessions } from "./sessions.ts";
import { openSignatureNonces, signatureNonceIndexes, type SignatureNonces } from "./signature-nonces.ts";
import { openSkillFigures, type SkillFigures } from "./skill-figures.ts";
import { openSkillLocations, type SkillLocations } from "./skill-locations.ts";
import { openSkillReports, skillReportIndexes, type SkillReports } from "./skill-reports.ts";
import { openSkillSearch, type SkillSearch } from "./skill-search.ts";
import { openSkills, skillIndexes, type Skills } from "./skills.ts";
import { openSsoAttempts, ssoAttemptIndexes, type SsoAttempts } from "./sso/attempts.ts";
import { openSsoDomains, ssoDomainIndexes, type SsoDomains } from "./sso/domains.ts";
import { openSsoIdentities, ssoIdentityIndexes, type SsoIdentities } from "./sso/identities.ts";
import { openSsoProviders, ssoProviderIndexes, type SsoProviders } from "./sso/providers.ts";
import { openSsoSignIns, ssoSignInIndexes, type SsoSignIns } from "./sso/sign-ins.ts";
import { openSyncBases, syncBaseIndexes, type SyncBases } from "./sync/bases.ts";
import { openSyncConflicts, syncConflictIndexes, type SyncConflicts } from "./sync/conflicts.ts";
import { openSyncProposals, syncProposalIndexes, type SyncProposals } from "./sync/proposals.ts";
import { openSyncProposed, syncProposedIndexes, type SyncProposedRows } from "./sync/proposed.ts";
import { openSyncRuns, syncRunIndexes, type SyncRuns } from "./sync/runs.ts";
import { openTakedowns, type Takedowns } from "./takedowns.ts";
import { openTeams, teamIndexes, type Teams } from "./teams.ts";
import { openTenantSkills, type TenantSkills } from "./tenant-skills.ts";
import { openTenants, tenantIndexes, type Tenants } from "./tenants.ts";
import { openTokens, tokenIndexes, type Tokens } from "./tokens.ts";
import { openUploads, uploadIndexes, type Uploads } from "./uploads.ts";
import { openUsers, userIndexes, type Users } from "./users.ts";
import { openVersions, manifestIndexes, versionIndexes, type Versions } from "./versions.ts";
import {
  openWebhookDeliveries,
  webhookDeliveryIndexes,
  type WebhookDeliveries,
} from "./webhook-deliveries.ts";
import {
  openWorkspaceSettings,
  workspaceSettingsIndexes,
  type WorkspaceSettings,
} from "./workspace-settings.ts";
import { openWorkspaces, workspaceIndexes, type Workspaces } from "./workspaces.ts";

export interface Storage {
  database: Database;
  anonymousIdentities: AnonymousIdentities;
  auditEvents: AuditEvents;
  avatars: Avatars;
  callers: Callers;
  catalog: Catalog;
  connections: Connections;
  connectorCalls: ConnectorCalls;
  connectors: Connectors;
  deviceCodes: DeviceCodes;
  downloadCounts: DownloadCounts;
  downloads: Downloads;
  folders: Folders;
  formerMembers: FormerMembers;
  idempotency: IdempotencyRecords;
  installs: Installs;
  invitations: Invitations;
  keyRing: KeyRing;
  mailBudgets: MailBudgets;
  jobMetrics: JobMetrics;
  mcpInstalls: McpInstalls;
  mcpCatalog: McpCatalog;
  mcpServers: McpServers;
  memberships: Memberships;
  oauth: Oauth;
  oidcPolicies: OidcPolicies;
  overviews: Overviews;
  pathReservations: PathReservations;
  refusedContents: RefusedContents;
  roles: Roles;
  scimGroups: ScimGroups;
  scimLog: ScimLog;
  scimProviders: ScimProviders;
  scimUsers: ScimUsers;
  serviceSettings: ServiceSettings;
  sealedValues: SealedValues;
  sessions: Sessions;
  setup: Setup;
  signatureNonces: SignatureNonces;
  skills: Skills;
  searchEntries: SearchEntries;
  skillLocations: SkillLocations;
  skillLookups: SkillLookups;
  skillFigures: SkillFigures;
  skillReports: SkillReports;
  skillSearch: SkillSearch;
  ssoDomains: SsoDomains;
  ssoAttempts: SsoAttempts;
  ssoIdentities: SsoIdentities;
  ssoLookups: SsoLookups;
  ssoProviders: SsoProviders;
  ssoSignIns: SsoSignIns;
  syncBases: SyncBases;
  syncConflicts: SyncConflicts;
  syncProposals: SyncProposals;
  syncProposed: SyncProposedRows;
  syncRuns: SyncRuns;
  takedowns: Takedowns;
  teams: Teams;
  tenantSkills: TenantSkills;
  tenants: Tenants;
  tokens: Tokens;
  uploads: Uploads;
  usage: Usage;
  users: Users;
  versions: Versions;
  webhookDeliveries: WebhookDeliveries;
  workspaces: Workspaces;
  workspaceSettings: WorkspaceSettings;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** By collection. */
export const declaredIndexes: DeclaredIndexes = {
  anonymous_identities: anonymousIdentityIndexes,
  audit_events: auditEventIndexes,
  avatars: avatarIndexes,
  connections: connectionIndexes,
  connector_calls: connectorCallIndexes,
  connectors: connectorIndexes,
  daily_downloads: dailyDownloadIndexes,
  daily_tenant_downloads: tenantDownloadIndexes,
  device_codes: deviceCodeIndexes,
  download_batches: downloadBatchIndexes,
  downloads: formerRowIndexes,
  folder_trees: folderTreeIndexes,
  folders: folderIndexes,
  former_members: formerMemberIndexes,
  idempotency: idempotencyIndexes,
  installs: installIndexes,
  invitations: invitationIndexes,
  mail_budgets: mailBudgetIndexes,
  job_minutes: jobMinuteIndexes,
  manifests: manifestIndexes,
  mcp_installs: mcpInstallIndexes,
  mcp_catalog: catalogIndexes,
  mcp_catalog_state: catalogStateIndexes,
  mcp_servers: mcpServerIndexes,
  memberships: membershipIndexes,
  ...oauthIndexes,
  oidc_policies: oidcPolicyIndexes,
  places: pathReservationIndexes,
  refused_contents: refusedContentIndexes,
  roles: roleIndexes,
  scim_groups: scimGroupIndexes,
  scim_log: scimLogIndexes,
  scim_providers: scimProviderIndexes,
  scim_users: scimUserIndexes,
  service_settings: serviceSettingsIndexes,
  sessions: sessionIndexes,
  search_entries: searchEntryIndexes,
  signature_nonces: signatureNonceIndexes,
  skill_reports: skillReportIndexes,
  skills: skillIndexes,
  sso_domains: ssoDomainIndexes,
  sso_attempts: ssoAttemptIndexes,
  sso_identities: ssoIdentityIndexes,
  sso_providers: ssoProviderIndexes,
  sso_sign_ins: ssoSignInIndexes,
  sync_bases: syncBaseIndexes,
  sync_conflicts: syncConflictIndexes,
  sync_proposals: syncProposalIndexes,
  sync_proposed: syncProposedIndexes,
  sync_runs: syncRunIndexes,
  teams: teamIndexes,
  tenants: tenantIndexes,
  tokens: tokenIndexes,
  uploads: uploadIndexes,
  users: userIndexes,
  versions: versionIndexes,
  webhook_deliveries: webhookDeliveryIndexes,
  workspace_settings: workspaceSettingsIndexes,
  workspaces: workspaceIndexes,
};

/** Connects, creates missing indexes and opens every collection. */
export async function openStorage(options: { url: string; database: string }): Promise<Storage> {
  const database = await openDatabase(options.url, options.database);
  await adoptOlderForm(database, declaredIndexes);
  await adoptFormerDownloads(database);
  await database.ensureIndexes(declaredIndexes);
  return openCollections(database);
}

function openCollections(database: Database): Storage {
  const searchEntries = openSearchEntries(database);
  const reads = openJoinedReads(database);
  return {
    database,
    anonymousIdentities: openAnonymousIdentities(database),
    auditEvents: openAuditEvents(database),
    avatars: openAvatars(database),
    callers: openCallers(reads),
    catalog: openCatalog(database),
    connections: openConnections(database),
    connectorCalls: openConnectorCalls(database),
    connectors: openConnectors(database),
    deviceCodes: openDeviceCodes(database),
    downloadCounts: openDownloadCounts(database),
    downloads: openDownloads(database),
    folders: openFolders(database),
    formerMembers: openFormerMembers(database),
    idempotency: openIdempotency(database),
    installs: openInstalls(database),
    invitations: openInvitations(database),
    keyRing: openKeyRing(database),
    mailBudgets: openMailBudgets(database),
    jobMetrics: openJobMetrics(database),
    mcpInstalls: openMcpInstalls(database),
    mcpCatalog: openMcpCatalog(database),
    mcpServers: openMcpServers(database),
    memberships: openMemberships(database),
    oauth: openOauth(database),
    oidcPolicies: openOidcPolicies(database),
    overviews: openOverviews(database),
    pathReservations: openPathReservations(database),
    refusedContents: openRefusedContents(database),
    roles: openRoles(database),
    scimGroups: openScimGroups(database),
    scimLog: openScimLog(database),
    scimProviders: openScimProviders(database),
    scimUsers: openScimUsers(database),
    serviceSettings: openServiceSettings(database),
    sealedValues: openSealedValues(database),
    sessions: openSessions(database),
    setup: openSetup(database),
    signatureNonces: openSignatureNonces(database),
    skills: openSkills(database),
    searchEntries,
    skillLocations: openSkillLocations(database),
    skillLookups: openSkillLookups(database, reads),
    skillFigures: openSkillFigures(database),
    skillReports: openSkillReports(database),
    skillSearch: openSkillSearch(database, searchEntries),
    ...openSsoCollections(database),
    syncBases: openSyncBases(database),
    syncConflicts: openSyncConflicts(database),
    syncProposals: openSyncProposals(database),
    syncProposed: openSyncProposed(database),
    syncRuns: openSyncRuns(database),
    takedowns: openTakedowns(database),
    teams: openTeams(database),
    tenantSkills: openTenantSkills(database),
    tenants: openTenants(database),
    tokens: openTokens(database),
    uploads: openUploads(database),
    usage: openUsage(database),
    users: openUsers(database),
    versions: openVersions(database),
    webhookDeliveries: openWebhookDeliveries(database),
    workspaces: openWorkspaces(database),
    workspaceSettings: openWorkspaceSettings(database),
    ping: () => database.ping(),
    close: () => database.close(),
  };
}

function openSsoCollections(database: Database) {
  return {
    ssoDomains: openSsoDomains(database),
    ssoAttempts: openSsoAttempts(database),
    ssoIdentities: openSsoIdentities(database),
    ssoLookups: openSsoLookups(database),
    ssoProviders: openSsoProviders(database),
    ssoSignIns: openSsoSignIns(database),
  };
}
