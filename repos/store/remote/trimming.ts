/** When the copies of packs are trimmed: at intervals, and earlier once much has been written or the disk is full. */

/** Share of the limit that this process may write before the copies are counted again. */
const writtenShare = 0.1;
const intervalMs = 10 * 60_000;
const startMs = 30_000;

export interface TrimmingOptions {
  maxBytes: number;
  dropErased: (isFirst: boolean) => Promise<void>;
  trim: (isFull: boolean) => Promise<unknown>;
  onFailed: (error: unknown) => void;
}

export function openTrimming({ maxBytes, dropErased, trim, onFailed }: TrimmingOptions) {
  let written = 0;
  let isFirst = true;
  let isClosed = false;
  let isFull = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Both parts, as far as they succeed: an object store that fails must not let the disk fill up. */
  async function runOnce(): Promise<void> {
    const wasFull = isFull;
    isFull = false;
    written = 0;
    const results = await Promise.allSettled([dropErased(isFirst), trim(wasFull)]);
    // Erasures are listed for some hours: after a failure, all of them are compared again.
    isFirst = results[0].status === "rejected";
    for (const result of results) if (result.status === "rejected") onFailed(result.reason);
  }

  function run(): Promise<void> {
    running ??= runOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    run,
    /** Trims in the background. `isDiskFull`: whether the limit is more than the disk has. */
    start(isDiskFull = false): void {
      isFull ||= isDiskFull;
      if (!isClosed) void run();
    },
    /** Adds to the bytes that were written. */
    count(bytes: number): void {
      written += bytes;
      if (written > maxBytes * writtenShare) this.start();
    },
    /** Trims at intervals, for a process that stays. */
    schedule(): void {
      const repeat = () => {
        this.start();
        timer = setTimeout(repeat, intervalMs).unref();
      };
      timer = setTimeout(repeat, startMs).unref();
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
