/**
 * Items of many callers in the order in which they are served: first those of the caller who used the least time
 * lately, and of each caller the oldest.
 */

/** Time after which half of what a caller used is forgotten. */
const halfLifeMs = 10_000;
/** Callers with nothing in the queue whose use is remembered. */
const rememberedCallers = 1000;

interface Caller<T> {
  waiting: T[];
  running: number;
  usedMs: number;
  /** Time to which `usedMs` refers. */
  at: number;
}

export class CallerQueue<T extends { caller: string }> {
  readonly #callers = new Map<string, Caller<T>>();
  readonly #perCaller: number;
  readonly #limit: number;
  readonly #runningPerCaller: number;
  #size = 0;

  /** Limits count items that wait or run. `runningPerCaller`: items of one caller that run at a time. */
  constructor(perCaller: number, limit: number, runningPerCaller: number) {
    this.#perCaller = perCaller;
    this.#limit = limit;
    this.#runningPerCaller = runningPerCaller;
  }

  /**
   * Adds an item. Returns `caller` if its caller has too many. If there are too many in all, returns the one that is
   * removed: the newest of the caller with the most of them.
   */
  add(item: T): "caller" | T | undefined {
    const caller = this.#callers.get(item.caller) ?? { waiting: [], running: 0, usedMs: 0, at: 0 };
    if (caller.waiting.length + caller.running >= this.#perCaller) return "caller";
    this.#callers.set(item.caller, caller);
    caller.waiting.push(item);
    if (++this.#size <= this.#limit) return undefined;
    const most = [...this.#callers.values()].reduce(
      (a, b) => (b.waiting.length > a.waiting.length ? b : a),
      caller,
    );
    this.#size--;
    return most.waiting.pop();
  }

  /** Number of items that may run now. */
  runnable(): number {
    let count = 0;
    for (const { waiting, running } of this.#callers.values())
      count += Math.max(0, Math.min(waiting.length, this.#runningPerCaller - running));
    return count;
  }

  hasNext(): boolean {
    return this.#nextCaller() !== undefined;
  }

  /** The next item, which runs until `done`. */
  next(): T | undefined {
    const caller = this.#nextCaller();
    if (!caller) return undefined;
    caller.running++;
    return caller.waiting.shift();
  }

  /** An item of the caller has run for that time. */
  done(name: string, ms: number): void {
    const caller = this.#callers.get(name)!;
    caller.running--;
    this.#size--;
    caller.usedMs = usedLately(caller) + ms;
    caller.at = performance.now();
    if (this.#callers.size > rememberedCallers) this.#forget();
  }

  /** Removes all waiting items. */
  drain(): T[] {
    const waiting = [...this.#callers.values()].flatMap((caller) => caller.waiting.splice(0));
    this.#size -= waiting.length;
    return waiting;
  }

  #nextCaller(): Caller<T> | undefined {
    let first: Caller<T> | undefined;
    for (const caller of this.#callers.values()) {
      if (caller.waiting.length === 0 || caller.running >= this.#runningPerCaller) continue;
      if (!first || comesBefore(caller, first)) first = caller;
    }
    return first;
  }

  #forget(): void {
    for (const [name, { waiting, running }] of this.#callers)
      if (waiting.length === 0 && running === 0) this.#callers.delete(name);
  }
}

function comesBefore<T>(one: Caller<T>, other: Caller<T>): boolean {
  return one.running === other.running ? usedLately(one) < usedLately(other) : one.running < other.running;
}

function usedLately<T>({ usedMs, at }: Caller<T>): number {
  return usedMs * 0.5 ** ((performance.now() - at) / halfLifeMs);
}
