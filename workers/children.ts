/**
 * Runs jobs in child processes: a job that takes too much memory or time ends its process and not the service. A
 * process runs one job at a time and is kept for reuse, since starting one takes longer than most jobs; it opens the
 * database and the repositories itself, and queues jobs through its parent.
 */
import { once } from "node:events";
import type { App } from "../src/app.ts";
import { perApp } from "../src/per-app.ts";
import { ChildProcessError, cancelled } from "./child-error.ts";
import type { ChildJobName, ChildPayloads, ChildResults } from "./child-jobs.ts";
import { type Child, isAlive, kill, send, startChild } from "./child-process.ts";
import { type ChildLimits, runOn } from "./run-on-child.ts";

/**
 * A process ends after this idle time, or after this number of jobs. Authors publish again within minutes and should
 * not wait for a start each time.
 */
const idleMs = 5 * 60_000;
const maxRuns = 200;
const closeMs = 3000;

const poolOf = perApp(() => new Set<Child>());

/**
 * Runs a job of `child-jobs.ts` in a child process and resolves to its result. Throws the job's own error, with `code`,
 * `retryable` and `retryAfterMs`, or a ChildProcessError. `onDeath` cleans up after a process that died: it is called
 * once the process has exited, and `closeChildren` waits for it.
 */
export async function runInChild<K extends ChildJobName>(
  app: App,
  name: K,
  payload: ChildPayloads[K],
  limits: ChildLimits,
  onDeath?: (error: ChildProcessError) => Promise<void>,
): Promise<ChildResults[K]> {
  if (limits.signal?.aborted) throw cancelled(name);
  const child = takeChild(app, limits.maxOldSpaceMb);
  const work = (async () => {
    try {
      return await runOn(app, child, name, payload, limits);
    } catch (error) {
      if (error instanceof ChildProcessError) await onDeath?.(error);
      throw error;
    } finally {
      giveBack(app, child);
    }
  })();
  child.work = work.catch(() => undefined);
  return work;
}

/** Ends every process of the app: idle ones gracefully, busy ones at once. Waits for their `onDeath`. */
export async function closeChildren(app: App): Promise<void> {
  await Promise.all(
    [...poolOf(app)].map(async (child) => {
      await end(child);
      await child.work;
    }),
  );
}

function takeChild(app: App, maxOldSpaceMb: number): Child {
  for (const child of poolOf(app)) {
    if (child.isBusy || child.ending || child.maxOldSpaceMb !== maxOldSpaceMb || !isAlive(child)) continue;
    child.isBusy = true;
    clearTimeout(child.idle);
    child.process.ref();
    child.process.channel?.ref();
    return child;
  }
  const child = startChild(app, maxOldSpaceMb);
  poolOf(app).add(child);
  child.process.once("exit", () => {
    clearTimeout(child.idle);
    poolOf(app).delete(child);
  });
  return child;
}

function giveBack(app: App, child: Child): void {
  child.isBusy = false;
  child.runs++;
  if (child.ending || !isAlive(child)) return;
  if (child.runs >= maxRuns || child.isSwollen) return app.background("end a job process", () => end(child));
  child.idle = setTimeout(() => app.background("end a job process", () => end(child)), idleMs).unref();
  // An idle child must not keep the parent alive.
  child.process.unref();
  child.process.channel?.unref();
}

/** Takes no further job from now on, so that none starts in a process that is about to close. */
function end(child: Child): Promise<void> {
  return (child.ending ??= endNow(child));
}

async function endNow(child: Child): Promise<void> {
  clearTimeout(child.idle);
  if (!isAlive(child)) return;
  const gone = once(child.process, "exit");
  child.process.ref();
  if (child.isBusy) kill(child, cancelled("a job"));
  else send(child, { kind: "close" });
  const timer = setTimeout(() => child.process.kill("SIGKILL"), closeMs);
  await gone;
  clearTimeout(timer);
}
