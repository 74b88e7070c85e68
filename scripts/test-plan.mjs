// Which test files share a process. Loading the sources takes longer than most files' tests, so a few processes run
// nearly all files: each takes the next one when it has ended one, as a suite of its own (run-files.mjs).

/** A process is worth its start for work of this time. */
const PROCESS_SECONDS = 15;
/** Processes that run at once with those that share all other files. */
const BESIDE_SHARING = 2;

/** Changes or measures its process as a whole, so that no other file may run in it. An area, or area/file. */
export const alone = new Set([
  "archive/read-zip", // counts the process's open files
  "engines", // ends engines, and measures them
  "jobs/children", // children whose memory runs out
  "queue",
  "scripts",
  "store/crash",
]);

/**
 * Areas with processes of their own, and how many. Each process with files of `web` has a browser, whose pages are used
 * again. Files of `journeys` start children by the dozen, which takes longer from a process that has loaded the
 * sources.
 */
const ownProcesses = { web: 2, journeys: 2, guides: 1 };

/**
 * Areas whose services start git. They come first, as long as a process is small: starting a child copies the page
 * tables of the process, which takes milliseconds for one of a few hundred megabytes.
 */
const startGit = new Set([
  "git",
  "mirror",
  "sync-connection",
  "sync-content",
  "sync-preview",
  "sync-report",
  "sync-run",
  "sync-triggers",
  "transport",
]);

/** Seconds of the files that take long, about. Other files count for OTHERS_SECONDS. */
export const seconds = {
  "access/isolation": 14,
  "access/matrix": 86,
  "accounts/email": 8,
  "accounts/first-account": 9,
  "analytics/counting": 13,
  "ci/issuer-keys": 9,
  "cli-mcp/killed": 8,
  "cli-operations/sync": 8,
  "cli-projects/mixed-use": 10,
  "cli/interrupted": 18,
  "cli/lint": 16,
  "dashboard/descriptions": 8,
  "engines/mongo": 24,
  "engines/queue": 12,
  "engines/watchdog": 13,
  "events/changes": 12,
  "folders/tree": 11,
  "git/clone": 16,
  "guides/commands": 60,
  "http/bad-bodies": 7,
  "http/hostile-packages": 9,
  "http/route-fuzz": 10,
  "http/service": 9,
  "jobs/administration": 7,
  "jobs/children": 16,
  "jobs/start": 7,
  "journeys/ci": 7,
  "journeys/device-login": 34,
  "journeys/engine-kill": 11,
  "journeys/failures": 22,
  "journeys/installation": 60,
  "journeys/kill": 50,
  "journeys/local-state": 6,
  "journeys/manifest": 18,
  "journeys/mcp-servers": 11,
  "journeys/operator": 40,
  "journeys/organization": 7,
  "journeys/organize": 14,
  "journeys/outbound": 12,
  "journeys/package": 20,
  "journeys/packages": 59,
  "journeys/pickers": 10,
  "journeys/publish-install": 11,
  "journeys/share": 10,
  "journeys/start": 66,
  "journeys/sync": 17,
  "journeys/targets": 18,
  "journeys/terminal": 13,
  "mcp-central/hostile": 13,
  "mcp-central/sse": 23,
  "mcp-central/tokens": 10,
  "mfa/ticket": 8,
  "mirror/history": 12,
  "operations/backup": 20,
  "operations/older-database": 8,
  "orgs/invitation-mails": 13,
  "orgs/invitations": 8,
  "orgs/members": 9,
  "orgs/teams-and-roles": 7,
  "parsers/hostile-input": 13,
  "queue/embedded": 58,
  "queue/redis": 35,
  "scim/hostile": 11,
  "scripts/changed-tests": 11,
  "scripts/run-tests": 12,
  "skills/search": 9,
  "skills/share-slots": 9,
  "skills/takedown": 10,
  "skills/visibility": 9,
  "sso/admission": 10,
  "sso/oidc": 16,
  "sso/saml": 18,
  "storage/plans": 7,
  "store/large-packages": 16,
  "sync-connection/disconnect": 31,
  "sync-connection/host-errors": 12,
  "sync-connection/routes": 7,
  "sync-content/export": 16,
  "sync-content/imported-settings": 8,
  "sync-content/unusual-repositories": 18,
  "sync-preview/plan": 11,
  "sync-preview/plan-in-child": 11,
  "sync-run/after-import": 13,
  "sync-run/crash-every-step": 21,
  "sync-run/crash-process-ended": 19,
  "sync-run/crash-process-killed": 11,
  "sync-run/crash-pull-request": 10,
  "sync-run/crash-recovery": 17,
  "sync-run/damaged-mirror": 22,
  "sync-run/large": 19,
  "sync-run/pull-request": 47,
  "sync-run/pull-request-branch": 7,
  "sync-run/pull-request-edits": 27,
  "sync-run/run-sync": 38,
  "sync-run/scenarios": 20,
  "sync-run/scenarios-unusual-edits": 21,
  "sync-triggers/poll": 20,
  "sync-triggers/webhook": 22,
  "sync-triggers/webhook-bodies": 12,
  "tokens/lifetimes": 13,
  "tokens/narrowing": 20,
  "transport/hosts": 12,
  "transport/troubles": 14,
  "web/account": 14,
  "web/admin": 66,
  "web/agents": 19,
  "web/ci": 37,
  "web/connectors": 30,
  "web/editor": 48,
  "web/explore": 9,
  "web/live": 12,
  "web/mcp-servers": 34,
  "web/organization": 37,
  "web/pages": 75,
  "web/pages-refused": 70,
  "web/scim": 31,
  "web/second-factors": 23,
  "web/sharing": 28,
  "web/skill": 53,
  "web/sso": 17,
  "web/sso-origins": 20,
  "web/sso-story": 36,
  "web/sync": 32,
  "web/upload": 13,
  "workspaces/crashes": 19,
  "workspaces/plans": 7,
  "workspaces/races": 8,
  "workspaces/repair": 10,
};
const OTHERS_SECONDS = 2.5;

/** Sizes of `npm run test:long`, by file. */
export const longRuns = {
  "cli-mcp/edits": { SVC_CONFIG_EDITS: "20000" },
  "cli-mcp/killed": { SVC_MCP_KILLS: "all" },
  "cli-projects/mixed-use": { SVC_CLIENT_RUNS: "30", SVC_CLIENT_STEPS: "100" },
  "cli/lint": { SVC_LINTED_TEXTS: "300" },
  "http/route-fuzz": { SVC_FUZZ_REQUESTS: "100000" },
  "journeys/engine-kill": { SVC_ENGINE_KILLS: "100" },
  "journeys/kill": { SVC_KILLS: "500" },
  "mcp/endpoint": { SVC_MCP_CALLS: "10000" },
  "operations/backup": { SVC_BACKUP_WRITES: "20000" },
  "parsers/hostile-input": { SVC_HOSTILE_INPUTS: "10000" },
  "queue/embedded": { SVC_QUEUE_FLOOD: "60" },
  "queue/redis": { SVC_QUEUE_FLOOD: "60" },
  "skills/edit-frontmatter": { SVC_TEXT_RUNS: "20000" },
  "skills/next-semver": { SVC_SEMVER_RUNS: "100000" },
  "skills/publish": { SVC_PUBLISHED_TEXTS: "300" },
  "sync-content/imported-settings": { SVC_SYNCED_TEXTS: "300" },
  "sync-run/crash-every-step": { SVC_SYNC_STOPS: "all" },
  "sync-run/crash-process-killed": { SVC_SYNC_KILLS: "60" },
  "sync-run/crash-pull-request": { SVC_SYNC_STOPS: "all" },
  "sync-run/large": { SVC_SYNC_LARGE: "5000" },
  "sync-run/scenarios": { SVC_SYNC_WORLDS: "30" },
  "sync-run/scenarios-unusual-edits": { SVC_SYNC_WORLDS: "30" },
};

const nameOf = (file) => file.slice("test/".length, -".test.ts".length);
const areaOf = (file) => nameOf(file).split("/")[0];
const isAlone = (file) => alone.has(areaOf(file)) || alone.has(nameOf(file));

const secondsOf = (files) => files.reduce((sum, file) => sum + (seconds[nameOf(file)] ?? OTHERS_SECONDS), 0);

/**
 * The files of each process, in the order in which the processes are to be started. Those that need not be alone are
 * shared by some processes: those that start git, then others, each the longest first, so that these processes end at
 * about one time.
 *
 * @param {string[]} files test/<area>/<subject>.test.ts, sorted
 * @param {number} concurrency how many processes run at once
 * @returns {string[][]}
 */
export function planTests(files, concurrency) {
  const longestFirst = files.toSorted((a, b) => secondsOf([b]) - secondsOf([a]));
  const isApart = (file) => Object.hasOwn(ownProcesses, areaOf(file));
  const apart = [
    ...Object.entries(ownProcesses).flatMap(([area, count]) =>
      shareFiles(
        longestFirst.filter((file) => areaOf(file) === area),
        count,
      ),
    ),
    ...longestFirst.filter(isAlone).map((file) => [file]),
  ];
  const shared = longestFirst.filter((file) => !isAlone(file) && !isApart(file));
  const sharing = shareFiles(
    shared.toSorted((a, b) => Number(startGit.has(areaOf(b))) - Number(startGit.has(areaOf(a)))),
    apart.length === 0 ? concurrency : Math.max(1, concurrency - BESIDE_SHARING),
  );
  return [...sharing, ...apart];
}

/**
 * Processes that share files. Each begins with a file of its own, since node:test counts a process without tests as a
 * test.
 */
function shareFiles(files, atMost) {
  const count = Math.min(atMost, files.length, Math.ceil(secondsOf(files) / PROCESS_SECONDS));
  const shared = files.slice(0, files.length - count);
  return files.slice(shared.length).map((own) => [own, ...shared]);
}
