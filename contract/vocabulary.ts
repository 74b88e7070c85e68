/** The closed lists that every side agrees on. */

export const skillTypes = ["skill", "rule"] as const;
export type SkillType = (typeof skillTypes)[number];

export const visibilities = ["public", "private", "unlisted"] as const;
export type Visibility = (typeof visibilities)[number];

/** `markdown`: one file whose frontmatter was stripped; `package`: a folder kept verbatim. */
export const contentFormats = ["markdown", "package"] as const;
export type ContentFormat = (typeof contentFormats)[number];

export const targets = [
  "cursor",
  "claude",
  "codex",
  "windsurf",
  "cline",
  "copilot",
  "opencode",
  "aider",
] as const;
export type Target = (typeof targets)[number];

export const installMethods = ["symlink", "copy", "section"] as const;
export type InstallMethod = (typeof installMethods)[number];

export const installScopes = ["global", "project"] as const;
export type InstallScope = (typeof installScopes)[number];

/** Kinds of deviations of an install (`docs/reference/manifest.md`). */
export const driftKinds = [
  "missing",
  "edited",
  "stale",
  "unreadable",
  "cache",
  "version",
  "digest",
  "notInstalled",
  "notLocked",
  "unrecorded",
  "manifest",
  "provenance",
] as const;
export type DriftKind = (typeof driftKinds)[number];

/** Origins of downloads. */
export const downloadSources = ["cli", "web", "api"] as const;
export type DownloadSource = (typeof downloadSources)[number];

/** Origin of a version: the value of its commit's `Svc-Source` trailer. */
export const versionSources = ["web", "cli", "api", "mcp", "oidc", "import"] as const;
export type VersionSource = (typeof versionSources)[number];

/** States of a version (`docs/concepts/versions.md`). */
export const versionStates = ["published", "deprecated", "yanked", "held", "rejected"] as const;
export type VersionState = (typeof versionStates)[number];

/** Why a version is held: it waits for approvals, or for a decision about what a scan found in it. */
export const holdReasons = ["review", "scan"] as const;
export type HoldReason = (typeof holdReasons)[number];

/** Why those who have a version should remove it, although it was published. */
export const removalReasons = ["rejected", "malicious"] as const;
export type RemovalReason = (typeof removalReasons)[number];

export const publishModes = ["upsert", "create", "update"] as const;
export type PublishMode = (typeof publishModes)[number];

export const bumps = ["patch", "minor", "major"] as const;
export type Bump = (typeof bumps)[number];

/** Permission groups and their actions (`docs/concepts/access.md`). */
export const permissionActions = {
  skill: ["read", "create", "update", "delete", "review"],
  folder: ["create", "update", "delete", "manageAcl"],
  analytics: ["read"],
  member: ["read", "invite", "update", "remove"],
  team: ["create", "update", "delete"],
  role: ["create", "update", "delete"],
  apiToken: ["manage"],
  oidc: ["manage"],
  auditLog: ["read"],
  githubSync: ["read", "manage"],
  mcpServer: ["read", "create", "update", "delete"],
  personalWorkspace: ["manage"],
  organization: ["update", "delete"],
  security: ["manage"],
  sso: ["manage"],
  scim: ["manage"],
} as const;

export type PermissionGroup = keyof typeof permissionActions;
export type Permission = {
  [G in PermissionGroup]: `${G}:${(typeof permissionActions)[G][number]}`;
}[PermissionGroup];

export const builtInRoles = ["owner", "admin", "member", "viewer"] as const;
export type BuiltInRole = (typeof builtInRoles)[number];

const { sso: _sso, scim: _scim, ...givable } = permissionActions;
/** Permissions that a custom role may have: all except those reserved for owners. */
export const customRoleActions = { ...givable, organization: ["update"] } as const;

/** Access levels of a folder grant, in ascending order (`docs/concepts/access.md`). */
export const folderLevels = ["viewer", "editor", "manager"] as const;
export type FolderLevel = (typeof folderLevels)[number];

/** Readers of a folder or skill, from the most to the fewest (`docs/concepts/access.md`). */
export const audienceKinds = ["public", "unlisted", "organization", "restricted"] as const;

/** For whom a collection is required, besides teams by their ids: all members of its organization. */
export const everyone = "everyone";

/** Readers of a collection who may not read a skill in it: some of its members, or everyone but members. */
export const collectionAudiences = ["members", "visitors"] as const;
export type CollectionAudience = (typeof collectionAudiences)[number];

export const principalTypes = ["team", "member"] as const;
export type PrincipalType = (typeof principalTypes)[number];

/** Actions on a skill, or on the skills in a folder; `manage`: change who has access. */
export const accessActions = ["read", "create", "update", "delete", "manage"] as const;
export type AccessAction = (typeof accessActions)[number];

/** Reasons why a member or token has access or, for the last two, has none (`docs/concepts/access.md`). */
export const accessReasons = [
  "role",
  "team",
  "grant",
  "token",
  "bypass",
  "workspace",
  "visibility",
  "ungranted",
  "unpermitted",
] as const;

/** Outcomes of the requests of an identity provider: a refusal is a 4xx, a failure a 5xx. */
export const scimOutcomes = ["read", "changed", "unchanged", "refused", "failed"] as const;
/** States of provisioned users; an invited one is active once the person has accepted. */
export const scimUserStates = ["active", "inactive", "invited"] as const;

/** A member's personal workspace, from being asked for to its end (`docs/reference/workspaces.md`). */
export const workspaceStates = ["scheduled", "provisioned", "failed", "left", "deleting"] as const;
export type WorkspaceState = (typeof workspaceStates)[number];

/**
 * Reasons why one skill or directory is not in step with the connected repository (`docs/reference/sync.md`). Besides
 * these, the code is a rule of packages (`package-rules.ts`) or of the API (`errors.ts`) that its content breaks.
 */
export const skillProblemCodes = [
  "root_file_is_no_file",
  "root_file_missing",
  "root_file_misplaced",
  "wrong_case",
  "occupied",
  "path_blocked",
  "inside_skill",
  "holds_skills",
  "submodule",
  "symlink",
  "name_not_text",
  "too_deep",
  "not_imported",
  "identity_unclear",
  "claimed_twice",
  "index_edited",
  "marketplace_foreign",
  "name_put_back",
  "move_undone",
  "damaged_tree",
  "skills_blocked",
  "push_rejected",
  "connector_gone",
  "unreadable",
  "internal",
] as const;
export type SkillProblemCode = (typeof skillProblemCodes)[number];

/** Reasons why a connection is `blocked` or `failing`, or its last sync failed (`docs/reference/sync.md`). */
export const syncProblemCodes = [
  "auth_failed",
  "remote_missing",
  "host_not_offered",
  "branch_missing",
  "branch_protected",
  "signature_required",
  "push_rejected",
  "pull_requests_denied",
  "connector_gone",
  "skills_blocked",
  "remote_too_large",
  "remote_forbidden",
  "invalid_remote",
  "sha256_repository",
  "remote_unreachable",
  "remote_failed",
  "remote_protocol",
  "rate_limited",
  "process_ended",
  "internal",
  "git_missing",
  "storage_full",
  "storage_unavailable",
  "pack_vanished",
  "store_closed",
  "server_busy",
  "mirror_damaged",
  "connection_ended",
  "invalid_id",
  "invalid_draft",
  "repository_missing",
  "object_missing",
  "object_corrupt",
  "digest_mismatch",
] as const;
export type SyncProblemCode = (typeof syncProblemCodes)[number];

/** Code hosts that a repository is connected at (`docs/reference/sync.md`). */
export const hostKinds = ["github-app", "github-token", "local"] as const;
export type HostKind = (typeof hostKinds)[number];

/** Ways in which changes reach the connected branch. */
export const syncModes = ["push", "pull_request"] as const;
export type SyncMode = (typeof syncModes)[number];

/**
 * `none`: the connected branch has all changes; `branch`: the host has no pull requests; `closed`: a person closed the
 * pull request, until there are other changes; `edited`: a person added commits, which are never overwritten.
 */
export const proposalStates = ["none", "branch", "open", "closed", "edited"] as const;
export type ProposalState = (typeof proposalStates)[number];

/** `blocked`: requires a change at the host; `failing`: retried automatically. */
export const syncStatuses = ["active", "blocked", "failing", "disconnecting"] as const;
export type SyncStatus = (typeof syncStatuses)[number];

/** `stopped`: the process ended in the middle, and another run went on. */
export const syncOutcomes = ["running", "done", "blocked", "failed", "stopped"] as const;
export type SyncOutcome = (typeof syncOutcomes)[number];

/**
 * Reasons for a sync: a change here, a push there that a webhook or the poll has noticed, a person, or a repetition of
 * a sync that failed.
 */
export const syncCauses = ["connected", "change", "webhook", "poll", "manual", "settings", "retry"] as const;
export type SyncCause = (typeof syncCauses)[number];

/** Scopes to which a token may be narrowed. */
export const scopableActions = {
  skill: ["read", "create", "update", "delete"],
  folder: ["create", "update", "delete"],
  auditLog: ["read"],
  githubSync: ["read", "manage"],
} as const;

/** Access that a person can give to an OAuth client; each includes those before it. */
export const oauthAccess = ["read", "write"] as const;
export type OauthAccess = (typeof oauthAccess)[number];

/** CI providers whose identity tokens are exchanged (`docs/reference/ci.md`). */
export const ciProviders = ["github", "gitlab"] as const;
export type CiProvider = (typeof ciProviders)[number];

/** Events that may start a run if its trust policy names none: none of them runs the code of a proposed change. */
export const defaultCiEvents: Record<CiProvider, readonly string[]> = {
  github: ["push", "release", "workflow_dispatch", "schedule", "create"],
  gitlab: ["push", "web", "schedule", "tag", "api"],
};

/** Transports of an MCP server: a local process, or a remote one over HTTP. */
export const mcpTransports = ["stdio", "http", "sse"] as const;
export type McpTransport = (typeof mcpTransports)[number];

/** Tools whose configuration holds MCP servers: all targets except `aider`. */
export const mcpTargets = ["claude", "cursor", "windsurf", "copilot", "cline", "codex", "opencode"] as const;
export type McpTarget = (typeof mcpTargets)[number];

/** Forms of a value that members supply. */
export const mcpValueFormats = ["string", "number", "boolean", "filepath"] as const;
export type McpValueFormat = (typeof mcpValueFormats)[number];

/** `local`: the server's own configuration; `central`: the entry of the hosted proxy. */
export const mcpInstallModes = ["local", "central"] as const;
export type McpInstallMode = (typeof mcpInstallModes)[number];

/** Origin of an MCP server's configuration. */
export const mcpServerSources = ["own", "catalog"] as const;
export type McpServerSource = (typeof mcpServerSources)[number];
/** States of a hosted connector that are stored. `error`: the server could not be used at the last attempt. */
export const storedConnectionStatuses = ["pending", "connected", "needs_auth", "error"] as const;
export type StoredConnectionStatus = (typeof storedConnectionStatuses)[number];
/** `disabled`: the organization has turned hosted connectors off, or the user has no access to the server now. */
export const connectionStatuses = [...storedConnectionStatuses, "disabled"] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** Causes of a connector's status. */
export const connectorProblems = [
  "unauthorized",
  "refused",
  "address_changed",
  "values_missing",
  "forbidden_address",
  "unreachable",
  "timed_out",
  "too_large",
  "rate_limited",
  "server_failed",
  "not_mcp",
  "organization_off",
  "no_access",
] as const;
export type ConnectorProblem = (typeof connectorProblems)[number];

/** Kinds of calls through a hosted connector. */
export const connectorCallKinds = ["tool", "resource", "prompt"] as const;
export type ConnectorCallKind = (typeof connectorCallKinds)[number];
/** `tool_error`: the server answered that the call failed; `failed`: the server could not be used. */
export const connectorCallOutcomes = ["ok", "tool_error", "failed", "timed_out", "cancelled"] as const;
export type ConnectorCallOutcome = (typeof connectorCallOutcomes)[number];

/** Reasons of a report about a skill. */
export const reportReasons = ["malware", "secrets", "copyright", "impersonation", "abuse", "other"] as const;
export type ReportReason = (typeof reportReasons)[number];

/** `resolved`: action was taken; `dismissed`: none was necessary. */
export const reportStates = ["open", "resolved", "dismissed"] as const;
export type ReportState = (typeof reportStates)[number];

export { eventNames, type EventName } from "./events/event-names.ts";

/** Who can create an account: anyone, or people who were invited to an organization. */
export const signUpModes = ["open", "invite"] as const;
export type SignUpMode = (typeof signUpModes)[number];

/** Why an index of skills for other clients leaves a skill out. */
export const indexOmissions = ["name", "description", "size"] as const;
export type IndexOmission = (typeof indexOmissions)[number];

/** Whether agents can use the MCP server without a sign-in; `auto`: while there is a public skill. */
export const anonymousMcpModes = ["auto", "on", "off"] as const;
export type AnonymousMcpMode = (typeof anonymousMcpModes)[number];

/** Job states that the API lists. `failed` is permanent: only an administrator can retry or remove the job. */
export const jobStates = ["active", "waiting", "delayed", "failed", "completed"] as const;
export type JobState = (typeof jobStates)[number];

/** Time spans of the plot, each cut into steps of equal length. */
export const metricRanges = ["hour", "day", "week"] as const;
export type MetricRange = (typeof metricRanges)[number];

/** Alphabet for the names of anonymous identities: without vowels, so that no words occur by chance. */
export const anonymousNames = { prefix: "anon-", letters: "bcdfghjkmnpqrstvwxz", length: 10 } as const;
const anonymousName = new RegExp(
  `^${anonymousNames.prefix}[${anonymousNames.letters}]{${anonymousNames.length}}$`,
);

/** Whether a name is of the kind that anonymous identities have, which no organization may take as its slug. */
export function isAnonymousName(name: string): boolean {
  return anonymousName.test(name);
}

/** Orders of a list of skills that a query finds; `relevance` needs a query. */
export const searchSorts = ["relevance", "downloads", "updated", "newest"] as const;
export type SearchSort = (typeof searchSorts)[number];

/** Fields of a skill in which a search finds words; `when`: sentences that say when to use it. */
export const searchFields = ["name", "tags", "description", "when", "headings", "body", "files"] as const;
export type SearchField = (typeof searchFields)[number];
