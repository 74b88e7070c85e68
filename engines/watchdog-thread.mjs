// The thread of watchdog.mjs.
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

const STDERR = 2;
const { beats, tickMs, silentTicks, parent } = workerData;
let seen = -1;
let silent = 0;

setInterval(() => {
  const beat = Atomics.load(beats, 0);
  silent = beat === seen ? silent + 1 : 0;
  seen = beat;
  const isOrphan = silent > 1 && process.ppid !== parent;
  if (silent < silentTicks && !isOrphan) return;
  try {
    // console.error would need the main thread.
    writeSync(STDERR, `the main thread has not responded for ${(silent * tickMs) / 1000} s\n`);
  } catch {
    // The parent, which reads it, has ended.
  }
  process.kill(process.pid, "SIGKILL");
}, tickMs);
