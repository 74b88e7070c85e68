/**
 * A limited number of slots. One caller holds at most some of them, by default half, and the last ones are kept for
 * callers that hold none. Further requests wait in a queue with a timeout.
 */

export interface Slots {
  /**
   * Resolves to a function that releases the slot (repeated calls do nothing), or undefined if none became free in
   * time. The request also counts for the names in `also`.
   */
  take(caller: string, also?: SlotNames): Promise<(() => void) | undefined>;
}

export interface SlotNames {
  /** Name of a group of callers, limited as one caller is. */
  group?: string;
  /** Name of what is requested, of which several callers may want the same. */
  subject?: string;
}

export interface SlotOptions {
  /** Slots in use at a time. */
  count: number;
  /** Slots of one caller, and of one group; default: half of them. */
  perCaller?: number;
  /** Slots of one subject; default: all. More than those of a caller, who could keep others from it otherwise. */
  perSubject?: number;
  /** Number of the last free slots, for callers that hold none, of groups that hold none; default: none. */
  kept?: number;
  /** Requests that may wait; one caller or group has at most half of them. */
  waiting: number;
  waitMs: number;
}

interface Waiter {
  names: SlotHolders;
  grant(release: () => void): void;
}

export function openSlots(options: SlotOptions): Slots {
  const { count, kept = 0, perSubject = count, waiting, waitMs } = options;
  const perCaller = options.perCaller ?? Math.max(1, Math.floor(count / 2));
  const held = new Map<string, number>();
  const queue: Waiter[] = [];
  let free = count;

  const heldBy = (name: string) => held.get(name) ?? 0;
  const mayHold = ({ holders, subject }: SlotHolders) => {
    if (free <= 0 || holders.some((name) => heldBy(name) >= perCaller)) return false;
    if (subject !== undefined && heldBy(subject) >= perSubject) return false;
    return free > kept || holders.every((name) => heldBy(name) === 0);
  };

  function hold({ holders, subject }: SlotHolders): () => void {
    free--;
    const names = subject === undefined ? holders : [...holders, subject];
    for (const name of names) held.set(name, heldBy(name) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free++;
      for (const name of names)
        if (heldBy(name) === 1) held.delete(name);
        else held.set(name, heldBy(name) - 1);
      serveNext();
    };
  }

  /** Serves the first waiting request whose caller is below its limit; callers at their limit are overtaken. */
  function serveNext(): void {
    const at = queue.findIndex(({ names }) => mayHold(names));
    if (at === -1) return;
    const [next] = queue.splice(at, 1);
    next!.grant(hold(next!.names));
  }

  return {
    async take(caller, also = {}) {
      const names = holdersOf(caller, also);
      if (mayHold(names)) return hold(names);
      const waitingFor = (name: string) =>
        queue.filter((waiter) => waiter.names.holders.includes(name)).length;
      if (queue.length >= waiting || names.holders.some((name) => waitingFor(name) >= waiting / 2))
        return undefined;
      return waitIn(queue, names, waitMs);
    },
  };
}

function waitIn(queue: Waiter[], names: SlotHolders, waitMs: number): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    const waiter: Waiter = {
      names,
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
}

interface SlotHolders {
  /** The caller and its group. */
  holders: string[];
  subject: string | undefined;
}

/** Names of different kinds never meet. */
function holdersOf(caller: string, { group, subject }: SlotNames): SlotHolders {
  return {
    holders: group === undefined ? [`caller ${caller}`] : [`caller ${caller}`, `group ${group}`],
    subject: subject === undefined ? undefined : `subject ${subject}`,
  };
}
