/**
 * For work that writes the current state: runs of one key follow each other, and all callers that ask during a run
 * share one next run, which reads the state again. The latest state is therefore written after at most two runs.
 */
export class Coalescer<T> {
  readonly #runs = new Map<string, { current: Promise<T>; next: Promise<T> | undefined }>();

  run(key: string, work: () => Promise<T>): Promise<T> {
    const runs = this.#runs.get(key);
    if (runs === undefined) return this.#start(key, work);
    runs.next ??= runs.current.then(
      () => this.#start(key, work),
      () => this.#start(key, work),
    );
    return runs.next;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const current = work().finally(() => {
      if (runs.next === undefined) this.#runs.delete(key);
    });
    const runs: { current: Promise<T>; next: Promise<T> | undefined } = { current, next: undefined };
    this.#runs.set(key, runs);
    return current;
  }
}
