// Ends a process whose main thread hangs. PostgreSQL as WebAssembly computes on the JavaScript thread: if it waits
// there for a lock that no one releases, no timer or signal handler of that thread runs any more. The supervisor starts
// the engine again, as after a crash.
import { Worker } from "node:worker_threads";

const TICK_MS = 5000;
/** Two minutes: the longest statements take seconds, and a machine may be busy. */
const SILENT_TICKS = 24;

/**
 * Starts a thread that ends the process with SIGKILL once the main thread has been busy for `silentTicks` ticks, or,
 * while it is busy, once the parent has ended. Counts ticks instead of time, so that a stopped or suspended process is
 * not ended.
 *
 * @param {{ tickMs?: number, silentTicks?: number }} [options]
 */
export function startWatchdog({ tickMs = TICK_MS, silentTicks = SILENT_TICKS } = {}) {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setInterval(() => Atomics.add(beats, 0, 1), tickMs / 2).unref();
  const thread = new Worker(new URL("./watchdog-thread.mjs", import.meta.url), {
    execArgv: [],
    workerData: { beats, tickMs, silentTicks, parent: process.ppid },
  });
  thread.unref();
}
