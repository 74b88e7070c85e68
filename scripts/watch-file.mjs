// The thread of run-files.mjs that ends the process if a test file takes too long. It receives each file that begins.
import fs from "node:fs";
import { parentPort, workerData as timeoutMs } from "node:worker_threads";

const KILL_AFTER_MS = 5000;
let timer;

parentPort.on("message", (file) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    fs.writeSync(2, `${file} did not end within ${timeoutMs / 1000} s and was stopped.\n`);
    // Heard by those that end children of their own, unless they hang in a loop.
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.kill(process.pid, "SIGKILL"), KILL_AFTER_MS);
  }, timeoutMs);
});
