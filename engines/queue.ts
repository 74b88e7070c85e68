// The embedded queue engine (PGlite for BullMQ's PostgreSQL backend) as a supervised child process.
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { EmbeddedEngine } from "./embedded-engine.ts";
import type { EngineLog } from "./engine-error.ts";
import { SupervisedChild } from "./supervised-child.ts";

export interface EmbeddedQueueOptions {
  /** Created (mode 0700) when missing. Several processes may name the same folder: one owns the engine. */
  dataDir: string;
  log: EngineLog;
}

/**
 * Starts PGlite on `dataDir`, or attaches to the one another process runs there. Its `uri` is the path of the socket
 * that a QueuePool connects to. It never calls fsync, so a power cut may damage it: nothing in it may be the only copy.
 */
export function startEmbeddedQueue(options: EmbeddedQueueOptions): Promise<EmbeddedEngine> {
  return new SupervisedChild({
    name: "embedded queue engine",
    advice: "Set REDIS_URL to use a Redis server instead.",
    dataDir: path.resolve(options.dataDir),
    log: options.log,
    script: fileURLToPath(new URL("./queue/queue-child.mjs", import.meta.url)),
    uriOf: (socket) => socket,
    env: () => ({}),
  }).start();
}
