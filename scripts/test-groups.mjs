// Which test files share a process. Loading the sources takes longer than most files' tests, so many files run one after
// another in one process, each in a suite of its own (run-group.mjs).

/** At least so long that the sources are seldom loaded, and at most so that all processes end at about one time. */
const GROUP_SECONDS = { min: 15, max: 100 };

/** Changes or measures its process as a whole, so that no other file may run in it. An area, or area/file. */
export const alone = new Set([
  "archive/read-zip", // counts the process's open files
  "engines", // ends engines, and measures them
  "jobs/children", // children whose memory runs out
  "journeys", // children by the dozen, and kills
  "queue",
  "scripts",
  "store/crash",
]);

/** Seconds of the files that take long, about. Other files count for OTHERS_SECONDS. */
export const seconds = {
  "access/matrix": 60,
  "cli/interrupted": 25,
  "cli/lint": 21,
  "cli-projects/mixed-use": 7,
  "git/clone": 18,
  "jobs/children": 26,
  "journeys/device-login": 36,
  "journeys/engine-kill": 21,
  "journeys/failures": 35,
  "journeys/kill": 48,
  "journeys/local-state": 14,
  "journeys/manifest": 33,
  "journeys/package": 11,
  "journeys/packages": 40,
  "journeys/publish-install": 17,
  "journeys/share": 14,
  "journeys/start": 47,
  "journeys/terminal": 18,
  "queue/embedded": 48,
  "queue/redis": 25,
  "scripts/run-tests": 12,
  "store/large-packages": 16,
  "sync-content/unusual-repositories": 22,
  "sync-run/crash-recovery": 24,
  "sync-run/damaged-mirror": 27,
  "web/account": 14,
  "web/admin": 40,
  "web/ci": 25,
  "web/editor": 26,
  "web/organization": 22,
  "web/pages": 70,
  "web/pages-refused": 50,
  "web/sharing": 20,
  "web/skill": 20,
  "web/sync": 14,
};
const OTHERS_SECONDS = 3;

/** Sizes of `npm run test:long`, by file. */
export const longRuns = {
  "cli-mcp/edits": { SVC_CONFIG_EDITS: "20000" },
  "cli-mcp/killed": { SVC_MCP_KILLS: "all" },
  "cli-projects/mixed-use": { SVC_CLIENT_RUNS: "30", SVC_CLIENT_STEPS: "100" },
  "http/route-fuzz": { SVC_FUZZ_REQUESTS: "100000" },
  "journeys/engine-kill": { SVC_ENGINE_KILLS: "100" },
  "journeys/kill": { SVC_KILLS: "500" },
  "mcp/endpoint": { SVC_MCP_CALLS: "10000" },
  "parsers/hostile-input": { SVC_HOSTILE_INPUTS: "10000" },
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
 * Each file in exactly one group, in the order in which the groups are to be started: the longest first, so that all
 * processes are busy to the end.
 *
 * @param {string[]} files test/<area>/<subject>.test.ts, sorted
 * @param {number} concurrency how many groups run at once
 * @returns {string[][]}
 */
export function groupTests(files, concurrency) {
  const most = Math.max(GROUP_SECONDS.min, Math.min(GROUP_SECONDS.max, secondsOf(files) / concurrency));
  const groups = files.filter(isAlone).map((file) => [file]);
  let open;
  for (const file of files.filter((each) => !isAlone(each))) {
    if (open && secondsOf([...open, file]) <= most) open.push(file);
    else groups.push((open = [file]));
  }
  return groups.toSorted((a, b) => secondsOf(b) - secondsOf(a));
}
