/** Runs at most one piece of work per key, shared by all who ask for it meanwhile, and at most `atOnce` in all. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #waiting: (() => void)[] = [];
  readonly #atOnce: number;
  #active = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  run(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const flight = this.#start(work).finally(() => this.#running.delete(key));
    this.#running.set(key, flight);
    return flight;
  }

  async #start(work: () => Promise<T>): Promise<T> {
    if (this.#active >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#active++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#active--;
      else next();
    }
  }
}

/**
 * For work that writes "what is true now": runs of one key follow each other, and whoever comes while one is under
 * way joins a single next run, which looks again. So the last truth is always written, in two runs at most.
 */
export class LastWord<T> {
  readonly #slots = new Map<string, { current: Promise<T>; next: Promise<T> | undefined }>();

  run(key: string, work: () => Promise<T>): Promise<T> {
    const slot = this.#slots.get(key);
    if (slot === undefined) return this.#start(key, work);
    slot.next ??= slot.current.then(
      () => this.#start(key, work),
      () => this.#start(key, work),
    );
    return slot.next;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const current = work().finally(() => {
      if (slot.next === undefined) this.#slots.delete(key);
    });
    const slot: { current: Promise<T>; next: Promise<T> | undefined } = { current, next: undefined };
    this.#slots.set(key, slot);
    return current;
  }
}
