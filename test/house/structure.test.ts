import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { everything, functionsOf, linesOf, product, texts } from "./sources.ts";

/** The goal is a median of 40 to 80 lines and 90 % below 200; these figures may only improve. */
const medianAtMost = 82;
const shareBelow200AtLeast = 0.95;

/** Folders with 30 files or more, with the number that they may not exceed. */
const fullFolders: Record<string, number> = {
  // One file per collection.
  storage: 53,
  // One file per subject, and what they share.
  "contract/payloads": 41,
  "src/http": 30,
  // One file per subject and per command.
  "test/cli": 36,
  "test/support": 46,
};

/**
 * Functions longer than 60 lines: factories and route lists, which are tables of short functions, and protocols. Add a
 * name only with its reason in the commit message.
 */
const longFunctions: Record<string, readonly string[]> = {
  "collections, whose methods are short": [
    "storage/anonymous-identities.ts openAnonymousIdentities",
    "storage/connections.ts openConnections",
    "storage/connections/leases.ts leaseOperations",
    "storage/connections/requests.ts requestOperations",
    "storage/device-codes.ts openDeviceCodes",
    "storage/download-counts.ts openDownloadCounts",
    "storage/downloads.ts openDownloads",
    "storage/folders.ts openFolders",
    "storage/folders/tree.ts treeOperations",
    "storage/index.ts openStorage",
    "storage/invitations.ts openInvitations",
    "storage/mcp-central/connectors.ts openConnectors",
    "storage/memberships.ts openMemberships",
    "storage/path-reservations.ts openPathReservations",
    "storage/index.ts openCollections",
    "storage/mcp/servers.ts openMcpServers",
    "storage/scim/groups.ts openScimGroups",
    "storage/scim/providers.ts openScimProviders",
    "storage/scim/users.ts openScimUsers",
    "storage/sessions.ts openSessions",
    "storage/skill-locations.ts openSkillLocations",
    "storage/skills.ts openSkills",
    "storage/skills/changes.ts changeOperations",
    "storage/skills/projection.ts projectionOperations",
    "storage/takedowns.ts openTakedowns",
    "storage/tenant-skills.ts openTenantSkills",
    "storage/tenants.ts openTenants",
    "storage/tokens.ts openTokens",
    "storage/users/addresses.ts addressOperations",
    "storage/users/credentials.ts credentialOperations",
    "storage/users/deletion.ts deletionOperations",
    "storage/workspaces.ts openWorkspaces",
  ],
  "objects of short methods": [
    "repos/hosts/github-pulls.ts gitHubPulls",
    "repos/hosts/github.ts openGitHubAppHost",
    "repos/serve/upload-pack.ts openUploadPack",
    "repos/store/posix-refs.ts openPosixRefs",
    "repos/store/store.ts openSkillStore",
    "src/mcp-central/upstream/pool.ts openPool",
    "src/open.ts openApp",
    "src/queue/inspect.ts inspectorOf",
    "cli/api/client.ts openClient",
    "cli/output.ts openOutput",
  ],
  "lists of routes": [
    "src/auth/routes.ts authRoutes",
    "src/jobs/routes.ts readingRoutes",
    "src/orgs/invitations/routes.ts invitationRoutes",
    "src/orgs/routes.ts tenantRoutes",
    "src/orgs/team-routes.ts teamRoutes",
    "src/skills/clone-routes.ts cloneRoutes",
    "src/skills/content-routes.ts contentRoutes",
    "src/skills/routes.ts itemRoutes",
    "src/skills/routes.ts publishRoutes",
    "src/sync/routes.ts syncRoutes",
  ],
  "formats and protocols, read from start to end": [
    "contract/package-rules.ts collectPaths",
    "repos/archive/read-zip.ts fileEntry",
    "repos/store/artifacts.ts makeArtifact",
    "web/src/pages/admin/live.ts listen",
  ],
};

/** Private vocabulary that the code once used, with its replacement. */
const retiredNames: [name: RegExp, write: string][] = [
  [/\binLanes\b|\beachOf\b/, "mapLimit"],
  [/\bLastWord\b/, "Coalescer"],
  [/\btend[A-Z]\w*|\bmendEach\b/, "reconcile…, repairEach"],
  [
    /\b(settleSkill|settleForReaders|scheduleSettling)\b/,
    "projectSkill, projectForReaders, scheduleProjection",
  ],
  [/\bcarryEvents\b/, "flushOutbox"],
  [
    /\b(onlyFollows|fetchBeside|lookAtCommit)\b/,
    "containsOnlyUpstreamChanges, fetchSecondBranch, readCommit",
  ],
  [/\b(requireWelcome|requireHeld|lookInVain)\b/, "requireInvitation, requirePermissions, equalizeTiming"],
  [/\b\w*(Queue|GitHub|Pack|Pull)Place\b/, "the exact thing, such as PackLocation"],
];

/** Phrases of the glossary's left column that are gone from code, tests and messages. */
const retiredPhrases = [
  /\btries anew\b/,
  /\bThat which\b/,
  /skills-search\.ts/,
  /^\s*(\/\*\*|\*|\/\/) (What|Of|Whoever|Nobody|Somebody)\b/m,
];

describe("product files", () => {
  const lengths = product.map(linesOf).toSorted((a, b) => a - b);

  it("have a small median length, and few have 200 lines or more", () => {
    const median = lengths[Math.floor(lengths.length / 2)]!;
    const share = lengths.filter((lines) => lines < 200).length / lengths.length;

    assert.ok(median <= medianAtMost, `median ${median} lines`);
    assert.ok(share >= shareBelow200AtLeast, `${(share * 100).toFixed(1)} % below 200 lines`);
  });

  it("have functions of at most 60 lines, except for those listed", () => {
    const allowed = new Set(Object.values(longFunctions).flat());
    const long = product.flatMap((file) =>
      functionsOf(file)
        .filter(({ lines }) => lines > 60)
        .map(({ name, lines }) => ({ id: `${file} ${name}`, lines })),
    );

    assert.ok(long.length > 20, "the functions were not found");
    assert.deepEqual(
      long.filter(({ id }) => !allowed.has(id)),
      [],
    );
  });
});

describe("comments", () => {
  it("have lines of at most 120 columns, which the formatter does not wrap", () => {
    const long = everything.flatMap((file) =>
      texts
        .get(file)!
        .split("\n")
        .flatMap((line, at) =>
          line.length > 120 && /^ *(\*|\/\/|\/\*)/.test(line) ? [`${file}:${at + 1}`] : [],
        ),
    );

    assert.deepEqual(long, []);
  });
});

describe("a folder", () => {
  it("contains fewer than 30 files, except for those listed", () => {
    const counts = new Map<string, number>();
    for (const folder of everything.map((file) => path.posix.dirname(file)))
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    const full = [...counts].filter(([folder, count]) => count > (fullFolders[folder] ?? 29));

    assert.deepEqual(full, []);
  });
});

describe("the glossary", () => {
  const read = everything.filter((file) => file !== "test/house/structure.test.ts");

  it("keeps retired names out", () => {
    const found = read.flatMap((file) =>
      retiredNames
        .filter(([name]) => name.test(texts.get(file)!))
        .map(([name, write]) => `${file}: ${name.exec(texts.get(file)!)![0]}; write ${write}`),
    );

    assert.deepEqual(found, []);
  });

  it("keeps retired phrases out", () => {
    const found = read.flatMap((file) =>
      retiredPhrases.filter((phrase) => phrase.test(texts.get(file)!)).map((phrase) => `${file}: ${phrase}`),
    );

    assert.deepEqual(found, []);
  });
});
