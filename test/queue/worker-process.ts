// A worker in a process of its own that never finishes a job: the queue's tests kill it. argv: place as JSON.
import { openLog } from "../../src/log.ts";
import { openQueue, type QueueLocation } from "../../src/queue/index.ts";
import { everyProcessor } from "../support/processors.ts";

const never = () => new Promise<void>(() => {});
const queue = await openQueue(JSON.parse(process.argv[2] ?? "") as QueueLocation, openLog("silent"));
queue.startConsumers(
  {
    ...everyProcessor(never),
    "maintenance.erase-skill"({ skillId }) {
      process.stdout.write(`${skillId}\n`);
      return never();
    },
  },
  { concurrency: 1, lockMs: 1000 },
);
