/**
 * Queue of skills that this process has still to project. Changes are projected together a moment later, so that a
 * publish pays for little of it. The reconcile job projects skills whose process crashed.
 */
import type { App } from "../app.ts";
import { projectRecords, projectTags } from "./projection.ts";

/** Time in which changes are collected before they are projected together. */
const collectMs = 30;
/** Tags and search terms are rewritten as a whole, so they wait for all versions of a burst. */
const tagsMs = 1000;
const retryMs = { first: 500, most: 60_000 };
const batchSkills = 100;

class ProjectionQueue {
  readonly #app: App;
  readonly #changed = new Set<string>();
  readonly #withOldTags = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #tagTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isRunning = false;

  constructor(app: App) {
    this.#app = app;
  }

  add(skillId: string): void {
    this.#changed.add(skillId);
    this.#schedule(collectMs);
  }

  #schedule(delayMs: number): void {
    if (this.#isRunning) return;
    this.#timer ??= setTimeout(() => this.#round(), delayMs).unref();
  }

  #round(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#changed].slice(0, batchSkills);
    if (this.#isRunning || ids.length === 0) return;
    for (const id of ids) this.#changed.delete(id);
    this.#isRunning = true;
    this.#app.background("project skills", async () => {
      let delayMs = 0;
      try {
        for (const id of await projectRecords(this.#app, ids)) this.#withOldTags.add(id);
        this.#failures = 0;
        this.#tagTimer ??= setTimeout(() => this.#projectTags(), tagsMs).unref();
      } catch (error) {
        for (const id of ids) this.#changed.add(id);
        delayMs = Math.min(retryMs.first * 2 ** this.#failures++, retryMs.most);
        throw error;
      } finally {
        this.#isRunning = false;
        if (this.#changed.size > 0) this.#schedule(delayMs);
      }
    });
  }

  #projectTags(): void {
    clearTimeout(this.#tagTimer);
    this.#tagTimer = undefined;
    const ids = [...this.#withOldTags];
    this.#withOldTags.clear();
    if (ids.length === 0) return;
    this.#app.background("project tags and search terms", () => projectTags(this.#app, ids));
  }

  /** Starts pending work at once; the caller waits for the background. Returns true while anything is left. */
  flush(): boolean {
    if (this.#failures === 0) this.#round();
    if (!this.#isRunning) this.#projectTags();
    return this.#isRunning || (this.#failures === 0 && this.#changed.size + this.#withOldTags.size > 0);
  }
}

const queues = new WeakMap<App, ProjectionQueue>();

/** Projects a skill soon, together with others that change in the meantime. */
export function scheduleProjection(app: App, skillId: string): void {
  let queue = queues.get(app);
  if (!queue) queues.set(app, (queue = new ProjectionQueue(app)));
  queue.add(skillId);
}

/** Starts pending work without delay, for the end of a process. Returns true while anything is left. */
export function flushProjections(app: App): boolean {
  return queues.get(app)?.flush() ?? false;
}
