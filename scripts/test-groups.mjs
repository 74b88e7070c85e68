// Which test files share a process. Loading the sources takes longer than most files' tests, so files of one area run one
// after another in one process, each in a suite of its own (run-group.mjs).
const MOST_FILES = 12;

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

/** Takes so long that sharing gains nothing. Longest first: they begin the run, so that the lanes end together. */
export const long = [
  "journeys/kill",
  "journeys/admin-workers",
  "access/matrix",
  "journeys/manifest",
  "journeys/packages",
  "journeys/device-login",
  "journeys/start",
  "queue/embedded",
  "journeys/failures",
  "jobs/children",
  "journeys/publish-install",
  "scripts/run-tests",
  "journeys/targets",
  "cli/interrupted",
];

const nameOf = (file) => file.slice("test/".length, -".test.ts".length);
const areaOf = (file) => nameOf(file).split("/")[0];
const isAlone = (file) => alone.has(areaOf(file)) || alone.has(nameOf(file));

/**
 * Each file in exactly one group, in the order in which the groups are to be started.
 *
 * @param {string[]} files test/<area>/<subject>.test.ts, sorted
 * @returns {string[][]}
 */
export function groupTests(files) {
  const rank = (file) => long.indexOf(nameOf(file));
  const first = files.filter((file) => rank(file) !== -1).toSorted((a, b) => rank(a) - rank(b));
  const others = files.filter((file) => rank(file) === -1);
  const shared = others.filter((file) => !isAlone(file));
  return [
    ...first.map((file) => [file]),
    ...shareOut(shared),
    // The smallest pieces last.
    ...others.filter(isAlone).map((file) => [file]),
  ];
}

/** Small areas share a process, large ones are split evenly. */
function shareOut(files) {
  const groups = [];
  for (const area of new Set(files.map(areaOf))) {
    const members = files.filter((file) => areaOf(file) === area);
    const last = groups.at(-1);
    if (last && last.length + members.length <= MOST_FILES) {
      last.push(...members);
      continue;
    }
    const size = Math.ceil(members.length / Math.ceil(members.length / MOST_FILES));
    for (let at = 0; at < members.length; at += size) groups.push(members.slice(at, at + size));
  }
  return groups;
}
