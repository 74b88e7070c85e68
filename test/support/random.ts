/** Pseudo-random numbers that depend on a seed only, so that a failure can be reproduced. */

export interface Random {
  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
  /** True with this probability, from 0 to 1. */
  chance(share: number): boolean;
  /** True once in `times`. */
  once(times: number): boolean;
  /** An integer from 1 to `limit`, as often between 1 and 10 as between 100 and 1000. */
  size(limit: number): number;
}

export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  /** mulberry32 */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (values) => values[below(values.length)]!,
    chance: (share) => next() < share,
    once: (times) => below(times) === 0,
    size: (limit) => Math.max(1, Math.floor(limit ** next())),
  };
}
