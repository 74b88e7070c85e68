// Hangs its main thread under a watchdog, once it has started; with `parent`, in a process of its own, whose id it
// writes.
import { fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const [mode, watchdog] = process.argv.slice(2);
if (mode === "parent") {
  const child = fork(fileURLToPath(import.meta.url), ["orphan", watchdog], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.once("message", () => process.stdout.write(`${child.pid}\n`));
} else {
  const { startWatchdog } = await import(watchdog);
  startWatchdog({ tickMs: 50, silentTicks: mode === "orphan" ? 10_000 : 40 });
  await sleep(1000);
  process.send?.("running");
  if (mode === "idle") await sleep(4000);
  else for (;;);
}
