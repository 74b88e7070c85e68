/**
 * Queue of skills that this process has still to project. Changes are projected together a moment later, so that a
 * publish pays for little of it. The reconcile job projects skills whose process crashed.
 */
import type { App } from "../app.ts";
import { perApp } from "../per-app.ts";
import { projectRecords, projectRefs } from "./projection.ts";

/**
 * A change after a pause is projected once `collectMs` have passed; while changes continue, a round starts every
 * `intervalMs`.
 */
const recordTimes = { collectMs: 30, intervalMs: 400 };
/** Refs, tags and search terms are rewritten as a whole, so they wait for all versions of a burst. */
const refTimes = { collectMs: 1000, intervalMs: 3000 };
const retryMs = { first: 500, most: 60_000 };
const batchSkills = 100;

/** Runs work for collected ids in the background, one round at a time, and again if it fails. */
class Rounds {
  readonly #times: typeof recordTimes;
  readonly #inBackground: (work: () => Promise<void>) => void;
  readonly #run: (ids: string[]) => Promise<void>;
  readonly #ids = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #startedAt = -Infinity;
  #failures = 0;
  #isRunning = false;

  constructor(app: App, name: string, times: typeof recordTimes, run: (ids: string[]) => Promise<void>) {
    this.#times = times;
    this.#inBackground = (work) => app.background(name, work);
    this.#run = run;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  add(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isRunning || this.#timer || this.#ids.size === 0) return;
    const { collectMs, intervalMs } = this.#times;
    const pauseMs =
      this.#failures > 0
        ? Math.min(retryMs.first * 2 ** (this.#failures - 1), retryMs.most)
        : this.#ids.size >= batchSkills
          ? 0
          : Math.max(collectMs, this.#startedAt + intervalMs - performance.now());
    this.#timer = setTimeout(() => this.#round(), pauseMs).unref();
  }

  #round(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#ids].slice(0, batchSkills);
    if (this.#isRunning || ids.length === 0) return;
    for (const id of ids) this.#ids.delete(id);
    this.#isRunning = true;
    this.#startedAt = performance.now();
    this.#inBackground(async () => {
      try {
        await this.#run(ids);
        this.#failures = 0;
      } catch (error) {
        for (const id of ids) this.#ids.add(id);
        this.#failures++;
        throw error;
      } finally {
        this.#isRunning = false;
        this.#schedule();
      }
    });
  }

  /** Starts a round at once. Returns true while anything is left, except what waits for another attempt. */
  flush(): boolean {
    if (this.#failures === 0) this.#round();
    return this.#isRunning || (this.#failures === 0 && this.#ids.size > 0);
  }
}

interface ProjectionQueue {
  records: Rounds;
  refs: Rounds;
}

const queueOf = perApp<ProjectionQueue>((app) => {
  const refs = new Rounds(app, "project refs and search terms", refTimes, (ids) => projectRefs(app, ids));
  const records = new Rounds(app, "project skills", recordTimes, async (ids) =>
    refs.add(await projectRecords(app, ids)),
  );
  return { records, refs };
});

/** Projects a skill soon, together with others that change in the meantime. */
export function scheduleProjection(app: App, skillId: string): void {
  queueOf(app).records.add([skillId]);
}

/** Starts pending work without delay, for the end of a process. Returns true while anything is left. */
export function flushProjections(app: App): boolean {
  const { records, refs } = queueOf(app);
  const hasRecords = records.flush();
  const hasRefs = records.isRunning ? false : refs.flush();
  return hasRecords || hasRefs;
}
