import { setTimeout as sleep } from "node:timers/promises";

export interface UntilOptions {
  timeoutMs?: number;
  intervalMs?: number;
  /** Printed with the failure. */
  details?: () => Promise<unknown>;
}

/**
 * Polls until the check returns a value other than undefined or false, and returns that value. Fails after `timeoutMs`.
 */
export async function until<T>(
  description: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 120_000, intervalMs = 20, details }: UntilOptions = {},
): Promise<T> {
  for (const deadline = performance.now() + timeoutMs; ; await sleep(intervalMs)) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) {
      const more = details === undefined ? "" : `: ${JSON.stringify(await details())}`;
      throw new Error(`waited ${timeoutMs / 1000} s for ${description}${more}`);
    }
  }
}
