/**
 * Handling of SIGINT, SIGTERM and SIGHUP. A change under the lock is completed
 * first, temporary files are removed, and the exit code is that of the signal. A second signal ends the process at
 * once; the next run removes what it left behind.
 */
import { writeSync } from "node:fs";
import { constants } from "node:os";

/** Package managers forward a Ctrl-C that the terminal sends as well, so it arrives twice. */
const sameSignalMs = 400;
const showCursor = "\u001B[?25h";

const cleanups = new Set<() => void | Promise<void>>();
let guarded = 0;
let received: { signal: NodeJS.Signals; at: number } | undefined;

/** Registers a clean-up for signals and returns a function that unregisters it. The latest one runs first. */
export function onInterrupt(cleanup: () => void | Promise<void>): () => void {
  cleanups.add(cleanup);
  return () => void cleanups.delete(cleanup);
}

/** Completes `work` even if a signal arrives; the process ends right after it. */
export async function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
  guarded++;
  try {
    return await work();
  } finally {
    guarded--;
    if (guarded === 0 && received !== undefined) await end(received.signal);
  }
}

/** For the process entry only. */
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
      // A later run removes what can't be removed now.
    }
  }
  return exit(signal);
}

function exit(signal: NodeJS.Signals): never {
  // A prompt had hidden the cursor. Node itself leaves raw mode.
  if (process.stdout.isTTY) writeTerminal(1, showCursor);
  process.exit(128 + constants.signals[signal]);
}

/** Writes synchronously, since the process is about to end. */
export function writeTerminal(fd: 1 | 2, text: string): void {
  try {
    writeSync(fd, text);
  } catch {
    // The terminal is gone: nothing to restore.
  }
}
