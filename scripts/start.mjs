// npm start: installs and builds what is stale, then runs the service in this very process, so that signals, the
// exit code and the arguments are its own.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { buildIfStale } from "./build.mjs";
import { builds, root } from "./sources.mjs";

await buildIfStale();
if (process.env.npm_lifecycle_event !== undefined) {
  dropDoubledSignals();
  endWithNpm();
}
await import(pathToFileURL(path.join(root, builds.server.output)).href);

/**
 * npm passes Ctrl-C on to a process that has it from the terminal already, and a second one means to the service:
 * stop at once. So of two within half a second only the first counts. Has to run before any listener is added.
 */
function dropDoubledSignals() {
  const emit = process.emit;
  const lastAt = new Map();
  process.emit = function (event, ...args) {
    if (event === "SIGINT" || event === "SIGTERM") {
      const isDouble = Date.now() - (lastAt.get(event) ?? 0) < 500;
      if (isDouble) return true;
      lastAt.set(event, Date.now());
    }
    return emit.call(this, event, ...args);
  };
}

/** After a kill -9 of npm, the service would continue without a parent to stop it. */
function endWithNpm() {
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 1000);
  timer.unref();
}
