// npm run test:long: the tests that repeat a generated or interrupted run, in sizes for a night. A size that is set in
// the environment stays.
//   npm run test:long                     all of them
//   npm run test:long -- journeys/kill    one file
import { longRuns } from "./test-plan.mjs";

const FILE_TIMEOUT_MS = 6 * 3_600_000;

if (process.argv.length === 2) process.argv.push(...Object.keys(longRuns));
process.env.SVC_TEST_FILE_TIMEOUT_MS ??= String(FILE_TIMEOUT_MS);
for (const sizes of Object.values(longRuns))
  for (const [name, size] of Object.entries(sizes)) process.env[name] ??= size;
await import("./test.mjs");
