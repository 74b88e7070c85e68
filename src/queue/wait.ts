/**
 * Waiting for the queue while the service starts. A queue that accepts connections and responds slowly delays the
 * start, however long it takes; one that can't be reached, or that refuses the credentials, ends the start with the
 * reason.
 */
import type { Log } from "../log.ts";
import { QueueUnreachableError } from "./errors.ts";

/** Time limits of a start: until it logs that it waits, and until it gives up connecting. */
export interface Patience {
  noticeMs: number;
  unreachableMs: number;
}

export const startPatience: Patience = { noticeMs: 10_000, unreachableMs: 10_000 };

/** Longest time from one failed attempt to connect to the next: the attempt's own timeout and the pause before it. */
const betweenAttemptsMs = 6000;
const refusedCredentials = /^(NOAUTH|WRONGPASS|NOPERM)\b/;

/** Resolves with the result of `work`, however late; a log line every `noticeMs` names what is waited for. */
export async function waitFor<T>(
  what: string,
  work: Promise<T>,
  log: Log,
  { noticeMs }: Patience,
): Promise<T> {
  const startedAt = performance.now();
  const notice = setInterval(() => {
    const waitedMs = Math.round(performance.now() - startedAt);
    log.warn({ waitedMs }, `waiting for ${what}, which is slow to respond: the start goes on once it does`);
  }, noticeMs);
  try {
    return await work;
  } finally {
    clearInterval(notice);
  }
}

/** Errors of connections, from which it is decided that a queue can't be reached. */
export interface ConnectionErrors {
  add(error: Error): void;
  /**
   * Rejects with QueueUnreachableError once attempts have failed for `unreachableMs`, or the credentials are refused.
   */
  readonly unreachable: Promise<never>;
}

export function collectConnectionErrors({ unreachableMs }: Patience): ConnectionErrors {
  let reject: (error: Error) => void = () => {};
  const unreachable = new Promise<never>((_, fail) => (reject = fail));
  // Errors that come after the start are handled where they occur.
  unreachable.catch(() => undefined);
  let first = 0;
  let last = -Infinity;
  return {
    add(error) {
      const now = performance.now();
      if (now - last > betweenAttemptsMs) first = now;
      last = now;
      if (refusedCredentials.test(error.message) || now - first >= unreachableMs)
        reject(new QueueUnreachableError(error));
    },
    unreachable,
  };
}
