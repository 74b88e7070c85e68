/**
 * The end by a signal: Ctrl-C, or whoever runs us says stop. What is changed under the lock is brought to its end
 * first, what lies around is cleared, and the exit code is the shell's for that signal. A second signal ends at once;
 * that leaves no more behind than a kill does, which the next run clears.
 */
import { writeSync } from "node:fs";
import { constants } from "node:os";

/** Package managers pass on a Ctrl-C that the terminal sends as well: the same one, a moment later. */
const sameSignalMs = 400;
const showCursor = "\u001B[?25h";

const cleanups = new Set<() => void | Promise<void>>();
let guarded = 0;
let received: { signal: NodeJS.Signals; at: number } | undefined;

/** Registers what a signal has to clear; answers how to take that back. The latest is cleared first. */
export function onInterrupt(cleanup: () => void | Promise<void>): () => void {
  cleanups.add(cleanup);
  return () => void cleanups.delete(cleanup);
}

/** Runs `work` to its end though a signal comes meanwhile; the process ends right after it, then. */
export async function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
  guarded++;
  try {
    return await work();
  } finally {
    guarded--;
    if (guarded === 0 && received !== undefined) await end(received.signal);
  }
}

/** For the process's entry alone. */
export function watchSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      const now = performance.now();
      if (received !== undefined) {
        if (now - received.at > sameSignalMs) exit(signal);
        return;
      }
      received = { signal, at: now };
      if (guarded === 0) void end(signal);
    });
}

async function end(signal: NodeJS.Signals): Promise<never> {
  for (const cleanup of [...cleanups].toReversed()) {
    try {
      await cleanup();
    } catch {
      // What cannot be cleared now is cleared by a later run.
    }
  }
  return exit(signal);
}

function exit(signal: NodeJS.Signals): never {
  // A question that stood there had hidden it. Node itself takes the terminal out of raw mode.
  if (process.stdout.isTTY) writeTerminal(1, showCursor);
  process.exit(128 + constants.signals[signal]);
}

/** At once, also where the process is about to end. */
export function writeTerminal(fd: 1 | 2, text: string): void {
  try {
    writeSync(fd, text);
  } catch {
    // The terminal is gone: nothing to restore.
  }
}
