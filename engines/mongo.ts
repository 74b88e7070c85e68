// The embedded MongoDB engine as a supervised child process; clients use the ordinary driver on its URI.
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { EmbeddedEngine } from "./embedded-engine.ts";
import type { EngineLog } from "./engine-error.ts";
import { engineBinaryEnv } from "./mongo/engine-binary.ts";
import { SupervisedChild } from "./supervised-child.ts";

const NAME = "embedded MongoDB engine";
const ADVICE = "Set MONGODB_URL to a MongoDB server (6.0 or newer) to run without the embedded engine.";

export interface EmbeddedMongoOptions {
  /** Created (mode 0700) when missing. Several processes may name the same folder: one owns the engine. */
  dataDir: string;
  /** Folder of the relaxed copy of the binary (glibc 2.36 and 2.37 only, 36 MB); default `<dataDir>/.cache`. */
  cacheDir?: string;
  log: EngineLog;
}

/**
 * Starts MongoDB's own engine on `dataDir`, or attaches to the one another process runs there. Its `uri` carries the
 * write concern. Throws an EngineError whose message names the remedy.
 */
export function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedEngine> {
  const dataDir = path.resolve(options.dataDir);
  const cacheDir = path.resolve(options.cacheDir ?? path.join(dataDir, ".cache"));
  const subject = { name: NAME, advice: ADVICE };
  return new SupervisedChild({
    ...subject,
    dataDir,
    log: options.log,
    script: fileURLToPath(new URL("./mongo/mongo-child.mjs", import.meta.url)),
    // w=1 with journal=true is the only write concern with which this engine never lost an acknowledged write on
    // kill -9. Plain w=1 loses the last 100 ms, and so does w=majority, even with journal=true.
    uriOf: (socket) =>
      `mongodb://${encodeURIComponent(socket)}/?directConnection=true&w=1&journal=true&retryWrites=false`,
    // Two malloc arenas instead of 8 per core: a third less resident memory, same speed.
    env: () => ({ MALLOC_ARENA_MAX: "2", ...engineBinaryEnv({ ...subject, dataDir }, cacheDir) }),
  }).start();
}
