/**
 * A limited number of slots. One caller holds at most some of them, by default half; further requests wait in a queue
 * with a timeout.
 */

export interface Slots {
  /**
   * Resolves to a function that releases the slot (repeated calls do nothing), or undefined if none became free in
   * time.
   */
  take(caller: string): Promise<(() => void) | undefined>;
}

export interface SlotOptions {
  /** Slots in use at a time. */
  count: number;
  /** Slots of one caller; default: half of them. */
  perCaller?: number;
  /** Requests that may wait; one caller has at most half of them. */
  waiting: number;
  waitMs: number;
}

interface Waiter {
  caller: string;
  grant(release: () => void): void;
}

export function openSlots({ count, perCaller, waiting, waitMs }: SlotOptions): Slots {
  const most = perCaller ?? Math.max(1, Math.floor(count / 2));
  const held = new Map<string, number>();
  const queue: Waiter[] = [];
  let free = count;

  const mayHold = (caller: string) => (held.get(caller) ?? 0) < most;

  function hold(caller: string): () => void {
    free--;
    held.set(caller, (held.get(caller) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free++;
      const left = held.get(caller)! - 1;
      if (left === 0) held.delete(caller);
      else held.set(caller, left);
      serveNext();
    };
  }

  /** Serves the first waiting request whose caller is below its limit; callers at their limit are overtaken. */
  function serveNext(): void {
    const at = queue.findIndex(({ caller }) => mayHold(caller));
    if (at === -1) return;
    const [next] = queue.splice(at, 1);
    next!.grant(hold(next!.caller));
  }

  return {
    async take(caller) {
      if (free > 0 && mayHold(caller)) return hold(caller);
      const own = queue.filter((waiter) => waiter.caller === caller).length;
      if (queue.length >= waiting || own >= waiting / 2) return undefined;
      return new Promise((resolve) => {
        const waiter: Waiter = {
          caller,
          grant(release) {
            clearTimeout(late);
            resolve(release);
          },
        };
        const late = setTimeout(() => {
          queue.splice(queue.indexOf(waiter), 1);
          resolve(undefined);
        }, waitMs);
        queue.push(waiter);
      });
    },
  };
}
