/** Sizes of tests that repeat generated or interrupted runs: small ones, or those of `npm run test:long`. */

export const isLong = process.env["SVC_LONG"] !== undefined;

/** Number of runs, unless `SVC_RUNS` names another. */
export const runCount = (few: number, many: number): number =>
  Number(process.env["SVC_RUNS"] ?? (isLong ? many : few));
