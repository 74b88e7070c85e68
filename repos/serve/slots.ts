/** So many at a time, of which one caller holds half at most; the rest wait in line, for a while. */

export interface Slots {
  /** Resolves to what gives the slot back, which may be called again; to undefined where none was free in time. */
  take(caller: string): Promise<(() => void) | undefined>;
}

export interface SlotOptions {
  /** At a time. */
  count: number;
  /** Callers in line; those of one caller are half of them at most. */
  waiting: number;
  waitMs: number;
}

interface Waiter {
  caller: string;
  grant(release: () => void): void;
}

export function openSlots({ count, waiting, waitMs }: SlotOptions): Slots {
  const most = Math.max(1, Math.floor(count / 2));
  const held = new Map<string, number>();
  const line: Waiter[] = [];
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

  /** The first in line who may hold one more: whoever holds their half lets the others go ahead. */
  function serveNext(): void {
    const at = line.findIndex(({ caller }) => mayHold(caller));
    if (at === -1) return;
    const [next] = line.splice(at, 1);
    next!.grant(hold(next!.caller));
  }

  return {
    async take(caller) {
      if (free > 0 && mayHold(caller)) return hold(caller);
      const own = line.filter((waiter) => waiter.caller === caller).length;
      if (line.length >= waiting || own >= waiting / 2) return undefined;
      return new Promise((resolve) => {
        const waiter: Waiter = {
          caller,
          grant(release) {
            clearTimeout(late);
            resolve(release);
          },
        };
        const late = setTimeout(() => {
          line.splice(line.indexOf(waiter), 1);
          resolve(undefined);
        }, waitMs);
        line.push(waiter);
      });
    },
  };
}
