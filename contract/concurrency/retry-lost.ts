export interface Retries {
  attempts: number;
  /** Pause after a lost attempt; default: none. The first attempt has number 0. */
  pauseMs?: (attempt: number) => number;
  /** The error after the last attempt. */
  exhausted: () => Error;
}

/**
 * Repeats work that a concurrent writer can prevent, such as a compare-and-set. An attempt that was prevented returns
 * nothing, and the next one starts from the current state.
 */
export async function retryLost<T>(
  { attempts, pauseMs, exhausted }: Retries,
  work: (attempt: number) => Promise<T | undefined | null | false>,
): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0 && pauseMs) await pause(pauseMs(attempt - 1));
    const result = await work(attempt);
    if (result !== undefined && result !== null && result !== false) return result;
  }
  throw exhausted();
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
