/**
 * Age of an API token, which an organization can limit. Renewing an expiry by use does not make a token younger, and a
 * token that was made by another one is as old as that one.
 */

const dayMs = 24 * 60 * 60_000;

export interface Aged {
  createdAt: Date;
  /** Set if it was created with another token: the time from which the age of that one counts. */
  ageFrom?: Date;
}

export const ageFromOf = ({ createdAt, ageFrom }: Aged): Date => ageFrom ?? createdAt;

export function isTooOld(token: Aged, maxTokenDays: number | undefined, now: Date): boolean {
  return maxTokenDays !== undefined && now.getTime() - ageFromOf(token).getTime() >= maxTokenDays * dayMs;
}
