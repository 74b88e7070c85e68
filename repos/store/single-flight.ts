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
