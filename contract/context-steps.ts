/** Lower bounds of the ranges of tokens by which people are counted. */
export const contextSteps = [0, 250, 500, 1000, 2000, 5000, 10_000] as const;
