/** Every limit that a user can reach (`docs/reference/limits.md`). */

const MiB = 1024 * 1024;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export const limits = {
  /** Characters of a skill's display name. */
  skillName: 100,
  skillDescription: 2048,
  /** Characters of a description that the Agent Skills specification permits, and tools read. */
  skillDescriptionAdvised: 1024,
  /** Characters of a slug: a DNS label's length, so that it fits any path or host later. */
  skillSlug: 64,
  collectionsPerOrganization: 50,
  /**
   * Entries of an index of skills for other clients, which download all of them before they choose, and the bytes of
   * the files of one skill and of all.
   */
  indexedSkills: 100,
  indexedSkillBytes: 50 * MiB,
  indexedBytes: 200 * MiB,
  skillsPerCollection: 100,
  teamsPerRequirement: 50,
  /** Required collections of a member, in all organizations together. */
  requiredCollections: 100,
  /** Skills of a marketplace: those that changed last. */
  skillsPerMarketplace: 2000,
  collectionName: 60,
  collectionSlug: 64,
  collectionDescription: 500,
  /** Skills and folders that a person follows. */
  followsPerUser: 500,
  /** Days for which a person is shown a change, and people who have installed a skill that are shown its changes. */
  followedChangeDays: 90,
  followingInstallers: 1000,
  /** Members of the owner team of a skill who are shown what is found in it. */
  followingTeam: 1000,
  /** Shortest time between two mails to a person about what they follow. */
  followMailMs: 15 * minuteMs,
  /** Time between two reminders of a person to update a skill, and people whom one call reminds. */
  reminderMs: 7 * dayMs,
  remindersPerCall: 1000,
  tagsPerSkill: 5,
  tagLength: 50,
  versionMessage: 2000,
  /** Characters of the message of a deprecated version. */
  deprecation: 300,
  /** Versions of a skill that are deprecated, yanked or held. */
  markedVersions: 500,
  /** The same, and those that were rejected or that a scan flagged: then the skill takes no more versions. */
  markedVersionsInAll: 5000,
  /** Characters of a rejection that are shown with the version; the review has all of it. */
  shownRejection: 200,
  /** Channels of a skill. */
  skillChannels: 32,
  /** Review rules of an organization. */
  reviewRules: 200,
  /** Decisions and comments about a version that waits for a review. */
  reviewEntries: 200,
  /** Characters of such a comment. */
  reviewComment: 2000,
  semverLength: 64,
  /** Comparators of a range of versions: `^1.2 || 3.x` has four. */
  rangeComparators: 32,
  textContentBytes: 512 * 1024,
  /** Content with its frontmatter, the fences and the blank lines around it. */
  textFileBytes: 521 * 1024,
  /** Findings about a version that are reported; errors come first. */
  findingsPerVersion: 100,
  /** Bytes of a version in which the service looks for secrets. */
  lintedBytes: 16 * MiB,
  /** Findings of a scan that are listed: of all rules, and of one. Beyond the last number, repeated ones count, too. */
  scanFindings: 200,
  scanFindingsPerRule: 20,
  scanCounted: 10_000,
  /** After which a scan ends without a result. */
  scanMs: 30_000,
  /** Findings of a skill that are marked as reviewed, and characters of the note of one. */
  reviewedFindings: 200,
  reviewNote: 500,
  packageCompressedBytes: 100 * MiB,
  packageUncompressedBytes: 100 * MiB,
  packageFiles: 500,
  /** Files and folders that a response lists as left out of a package. */
  listedLeftOut: 100,
  /** A single file's content or a diff side that is read into memory for an answer. */
  inlineFileBytes: 1 * MiB,
  /** Differences between two versions as a text. */
  patchBytes: 16 * MiB,
  /** Unchanged lines around a change. */
  diffContext: 10_000,
  jsonBodyBytes: 1 * MiB,
  /** Brackets, commas and colons of a JSON body, outside of its strings, and levels of its brackets. */
  jsonParts: 100_000,
  jsonDepth: 100,
  /** The body of a call of the MCP server: a package as text or base64. */
  mcpBodyBytes: 4 * MiB,
  /** The results of a batch of calls of the MCP server together, as JSON. */
  mcpBatchCharacters: 4 * MiB,
  /** Bytes of text in the result of a tool, unless the call asks for more, and at most. */
  mcpResultBytes: { default: 25_000, max: 500_000 },
  /** A file that is read as an MCP resource. */
  mcpFileBytes: 4 * MiB,
  /** All files of a skill whose files are listed as MCP resources. */
  mcpResourceBytes: 16 * MiB,
  formBodyBytes: 64 * 1024,
  /** Fields of a form: a choice of organizations has one for each. */
  formFields: 1000,
  /** Uncompressed request of a git client for one round of a fetch: the commits that it wants and has. */
  gitRequestBytes: 1 * MiB,
  pageSizeDefault: 50,
  pageSizeMax: 200,
  searchQuery: 1000,
  /** Related words of an organization: groups, words and phrases in one of them, and characters of each. */
  synonymGroups: 200,
  synonymsPerGroup: 12,
  synonymLength: 60,
  personalTokensPerUser: 25,
  tokenName: 100,
  tokenExpiryDaysMax: 3650,
  orgName: { min: 2, max: 50 },
  orgSlug: { min: 2, max: 39 },
  orgDescription: 500,
  /** That one person may create: every request reads all memberships of its caller. */
  organizationsPerUser: 100,
  /** 50,000 people, and those of a merger. */
  membersPerOrganization: 60_000,
  teamsPerOrganization: 1000,
  teamsPerMember: 100,
  rolesPerOrganization: 100,
  rolesPerTeam: 20,
  organizationTokens: 100,
  /** Issuers of one CI provider that the configuration may name. */
  oidcIssuers: 20,
  /** Trust policies for CI tokens. */
  oidcPolicies: 20,
  policyName: 100,
  ssoProviders: 10,
  ssoGroupMappings: 500,
  /** Characters of a group's name or id at an identity provider, and groups of one person that are read. */
  ssoGroup: 300,
  ssoGroupsRead: 2000,
  ssoCertificates: 10,
  ssoEntityId: 1024,
  ssoMetadataBytes: 256 * 1024,
  /** Form fields of the response of an identity provider. */
  ssoResponseBytes: 256 * 1024,
  /** Time for a sign-in at an identity provider. */
  ssoAttemptMs: 10 * minuteMs,
  /** Maximum difference between the clocks of an identity provider and the service. */
  ssoClockSkewMs: 2 * minuteMs,
  /** Age of a sign-in through a provider up to which it counts for a session and for personal tokens. */
  ssoSessionMs: 7 * dayMs,
  ssoTokenMs: 30 * dayMs,
  /** Time for which an owner can use a second factor instead of a required sign-in through a provider. */
  breakGlassMs: dayMs,
  ssoLogDays: 30,
  /** Characters of the repository of a trust policy: a GitLab project in nested groups. */
  policyRepository: 400,
  policyRef: 255,
  policyEnvironment: 255,
  policyWorkflow: 500,
  policyEvent: 100,
  eventsPerPolicy: 20,
  skillsPerPolicy: 100,
  /** Characters of an identity token of a CI provider. */
  identityTokenLength: 16 * 1024,
  /** Validity of an API token that an identity token was exchanged for. */
  ciTokenMs: 60 * minuteMs,
  /** Domains that an organization has claimed, and characters of the name of one or of its record. */
  ssoDomains: 20,
  domainName: 253,
  /** Users of an organization that its identity provider has provisioned, deactivated ones included. */
  scimUsers: 120_000,
  /** Values of an attribute of a provisioned user, and characters of a value. */
  scimValues: 50,
  scimText: 1000,
  /** Operations of one PATCH. */
  scimOperations: 1000,
  /** Members that one request names. */
  scimMembersPerRequest: 10_000,
  /** Characters of a filter, and levels of its parentheses. */
  scimFilter: 2048,
  scimFilterDepth: 20,
  /** Characters of all paths with a filter in one PATCH. */
  scimFilters: 64 * 1024,
  /** Comparisons with values of lists that one PATCH of a user makes. */
  scimComparisons: 20_000,
  /** Resources, and members of groups together, on one page of a list. */
  scimPage: 200,
  scimPageMembers: 20_000,
  /** Time for which the token before a rotation stays valid. */
  scimTokenOverlapMs: dayMs,
  /** Age and number of the entries of an organization's provisioning log. */
  scimLogDays: 7,
  scimLogEntries: 100_000,
  pendingInvitations: 1000,
  /** Addresses that one request invites. */
  invitationBatchSize: 100,
  invitationMs: 7 * dayMs,
  /** Pause between two mails of invitations to one address, even if the invitations were revoked. */
  invitationMailMs: 10 * minuteMs,
  /** Mails of invitations in 24 hours: to one address from all organizations, by one sender, by one organization. */
  invitationMails: { recipient: 5, inviter: 300, organization: 1000 },
  /** Previous slugs of a skill, which lead to it. */
  formerSkillSlugs: 20,
  /** Days for which the slug of a deleted skill stays reserved. */
  deletedSlugDays: 30,
  /** Previous slugs of an organization. They keep leading to it, and stay reserved when it is erased. */
  formerOrgSlugs: 20,
  organizationGraceMs: 7 * dayMs,
  avatarBytes: 5 * MiB,
  teamName: 50,
  teamDescription: 200,
  roleName: 50,
  /** A workspace for each member, and others. */
  foldersPerOrganization: 100_000,
  foldersPageSize: 2000,
  /** Folders inside one another. */
  folderDepth: 1000,
  folderName: 100,
  folderSlug: 64,
  /** Characters of a folder path that a call may name; deeper folders are named by id. */
  folderPath: 8192,
  /** On one folder: a team stands for any number of people. */
  grantsPerFolder: 1000,
  grantsPerOrganization: 200_000,
  foldersPerToken: 100,
  username: { min: 2, max: 39 },
  personName: 100,
  email: 254,
  password: { min: 12, max: 256 },
  /** Validity of the links in mails. */
  confirmEmailMs: dayMs,
  resetPasswordMs: 60 * minuteMs,
  /** Time for the second step of a sign-in. */
  signInTicketMs: 5 * minuteMs,
  /** Wrong codes of the second step after which the sign-in starts again. */
  ticketAttempts: 5,
  /** Time after a verification in which sensitive settings can be changed. */
  recentVerificationMs: 10 * minuteMs,
  /** Time in which the secret of a new authenticator app is to be confirmed. */
  totpSetupMs: 10 * minuteMs,
  recoveryCodes: 10,
  passkeysPerUser: 20,
  passkeyName: 64,
  /** Time for the browser to answer with a passkey. */
  passkeyChallengeMs: 5 * minuteMs,
  /** Days that an organization may give its members before it requires a second factor. */
  mfaGraceDays: 90,
  /** Versions of servers in the mirrored catalog. */
  mcpCatalogVersions: 200_000,
  /** One page of the registry that is mirrored, and the pages of one pass. */
  mcpCatalogPageBytes: 8 * MiB,
  mcpCatalogPages: 5000,
  mcpServersPerOrganization: 500,
  mcpServerName: 100,
  mcpServerDescription: 2000,
  mcpServerSlug: 64,
  mcpCommand: 500,
  mcpArguments: 100,
  mcpArgument: 2000,
  mcpUrl: 2048,
  /** Environment variables, headers or other values of one server, each. */
  mcpValues: 50,
  mcpValueName: 100,
  mcpFixedValue: 4000,
  mcpValueLabel: 100,
  mcpValueDescription: 500,
  /** One server's configuration as JSON. */
  mcpServerBytes: 64 * 1024,
  /** MCP servers that one skill requires. */
  mcpServersPerSkill: 20,
  /** Days for which the public registry's interface lists a deleted MCP server as such. */
  mcpTombstoneDays: 30,
  /** Hosted connectors of one user, in all organizations. */
  connectorsPerUser: 20,
  /** Calls at a time through one connector, and of one user through all; more are refused. */
  connectorCallConcurrency: 10,
  connectorCallsPerUser: 30,
  /** Requests of one user to the endpoint of hosted connectors, until their responses are read. */
  connectorRequestsPerUser: 40,
  /** Streams of one person, or of all tokens of an organization, with changes of lists of tools, in a process. */
  connectorStreamsPerUser: 10,
  /** Body of a call to the endpoint of hosted connectors. */
  connectorBodyBytes: MiB,
  /** A whole call of a remote MCP server. */
  connectorCallMs: 5 * minuteMs,
  /** Time that the lists of all connectors wait for a slow one. */
  connectorListMs: 4000,
  /** Tools, resources, templates and prompts of one connector that are listed, each, and their characters as JSON. */
  connectorEntries: 500,
  connectorListCharacters: 512 * 1024,
  /** Characters of a listed description, and of a listed schema as JSON. */
  connectorDescription: 4000,
  connectorSchemaCharacters: 32 * 1024,
  /** Days for which calls are listed. */
  connectorCallDays: 7,
  /** Time until the first byte of a remote MCP server's response. */
  connectorFirstByteMs: 30_000,
  /** One response of a remote MCP server. */
  connectorResponseBytes: 10 * MiB,
  /** Brackets, commas and colons of one response, outside of its strings: 10,000 tools have 200,000. */
  connectorJsonParts: 300_000,
  /** One stored credential of a connector, as JSON: tokens, the client, values of the user. */
  connectorSecretCharacters: 512 * 1024,
  /** Time to complete the authorization at the server's provider. */
  connectorFlowMs: 15 * minuteMs,
  sessionIdleMs: 14 * dayMs,
  sessionAbsoluteMs: 90 * dayMs,
  /** Browsers, and addresses, that an account remembers from its sign-ins; the latest are kept. */
  knownClients: 20,
  knownDeviceMs: 365 * dayMs,
  knownAddressMs: 90 * dayMs,
  /** Time after its last use at which a device's login expires. */
  deviceLoginMs: 90 * dayMs,
  deviceCodeMs: 10 * minuteMs,
  deviceIntervalSeconds: 5,
  /** Live grants of one account to OAuth clients. */
  oauthGrants: 100,
  /** Time in which a person decides about an OAuth client. */
  oauthRequestMs: 30 * minuteMs,
  oauthCodeMs: minuteMs,
  oauthAccessTokenMs: 60 * minuteMs,
  /** Time after the first renewal with a refresh token in which its client gets the tokens that replaced it again. */
  oauthRepeatedRenewalMs: minuteMs,
  /** Renewals of one grant within that time. */
  oauthRenewals: 60,
  /**
   * Time after its last renewal at which a grant expires, and after its last use when a registered client is removed.
   */
  oauthIdleMs: 30 * dayMs,
  oauthClientName: 100,
  redirectUris: 20,
  redirectUri: 1000,
  /** Metadata document of an OAuth client. */
  clientDocumentBytes: 16 * 1024,
  uploadMs: 60 * minuteMs,
  /** Time after which an upload that a publish uses is free again, if the process has ended. */
  uploadClaimMs: 2 * minuteMs,
  /** Staged uploads one actor may have open at a time. */
  openUploads: 10,
  idempotencyMs: dayMs,
  auditRetentionDays: 90,
  /** Age from which entries that wait to be forwarded are removed too. */
  auditForwardingDays: 180,
  /** Entries in one message to the receiver of a log. */
  auditForwardingBatch: 100,
  /** Entries of a log that are counted and paged through; an export has all of them. */
  auditPagedEntries: 10_000,
  webhooksPerOrganization: 20,
  webhookName: 100,
  webhookUrl: 2000,
  /** Age at which messages to the receivers of webhooks are removed, also those that could not be delivered. */
  webhookMessageDays: 30,
  /** Pending messages that are counted. */
  webhookCountedMessages: 10_000,
  /** Time for which messages are also signed by the secret before a rotation. */
  webhookSecretOverlapMs: dayMs,
  /** Syncs of a repository and their conflicts that are kept to look at. */
  syncHistoryDays: 90,
  syncRunsKept: 500,
  /** The body of a webhook. GitHub sends up to 25 MiB; a larger push than this one is found by the poll. */
  webhookBytes: 8 * MiB,
  profileName: 32,
  anonymousShares: 10,
  /** Staged uploads an anonymous identity may have open at a time. */
  anonymousUploads: 2,
  /** Maximum difference between the time of a signed call and the service's, in either direction. */
  signatureWindowMs: 5 * minuteMs,
  /** Time for which an anonymous identity without shares is kept. */
  idleIdentityMs: 30 * dayMs,
  /** Places of one member that are remembered per skill; the latest stay. */
  installsPerSkill: 50,
  machineId: 64,
  /** Characters of the text of a report, and of the reason of a takedown. */
  reportText: 2000,
  takedownReason: 1000,
  /** Open reports that are stored for one skill, and in total; further ones about one skill add nothing. */
  openReportsPerSkill: 100,
  openReports: 10_000,
  /** Age at which closed reports are removed. */
  closedReportDays: 365,
  /** Versions of a taken-down skill whose content can't be shared again. */
  refusedContents: 1000,
  /** Streams of changes in one process: of a person's browsers, a person's programs, or an organization's programs. */
  eventStreams: 10,
  /** Characters of the cursor of a list of jobs, which has a place in every queue. */
  jobCursor: 4000,
} as const;
