// npm run test:mutants: breaks each rule of the sync, which a test must notice.
//   npm run test:mutants                all of them
//   npm run test:mutants -- conflict    those whose names contain the word
const FILE_TIMEOUT_MS = 6 * 3_600_000;

process.env.SVC_SYNC_MUTANTS ??= process.argv[2] ?? "all";
process.env.SVC_TEST_FILE_TIMEOUT_MS ??= String(FILE_TIMEOUT_MS);
process.argv.splice(2, process.argv.length, "sync-run/mutants");
await import("./test.mjs");
