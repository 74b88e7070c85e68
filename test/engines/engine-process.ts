// A process of its own that runs or attaches to an engine, for tests that kill it. argv: mongo|queue, folder, cache.
// Says { uri, pid, attached } as a line of JSON when it is ready and at every restart.
import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { startEmbeddedQueue } from "../../engines/queue.ts";
import { openLog } from "../../src/log.ts";

const [kind, dataDir = "", cacheDir = ""] = process.argv.slice(2);
const log = openLog("silent");
const engine =
  kind === "mongo"
    ? await startEmbeddedMongo({ dataDir, cacheDir, log })
    : await startEmbeddedQueue({ dataDir, log });
const say = () => {
  const { uri, pid, attached } = engine;
  process.stdout.write(`${JSON.stringify({ uri, pid, attached })}\n`);
};
engine.on("restarted", say);
say();
setInterval(() => {}, 1000);
