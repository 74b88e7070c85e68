/** Lower bounds of the ranges by which people are counted whose tools load so many tokens of skills. */
export const contextSteps = [0, 250, 500, 1000, 2000, 5000, 10_000] as const;
