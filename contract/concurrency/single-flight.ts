/** Runs at most one call per key, shared by all callers that ask during the run, and at most `limit` calls in all. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #waiting: (() => void)[] = [];
  readonly #limit: number;
  #active = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  run(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const flight = this.#start(work).finally(() => this.#running.delete(key));
    this.#running.set(key, flight);
    return flight;
  }

  async #start(work: () => Promise<T>): Promise<T> {
    if (this.#active >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
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
