// A slow walk over 200 numbers, for walk.test.ts to kill: prints each one that it visits.
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../../src/app.ts";
import { openLog } from "../../src/log.ts";
import { openStorage } from "../../storage/index.ts";
import { walk } from "../../workers/maintenance/walk.ts";

const { mongodbUrl, database, name } = JSON.parse(process.argv[2]!) as Record<string, string>;
const storage = await openStorage({ url: mongodbUrl!, database: database! });
const app = { storage, log: openLog("silent"), now: () => new Date() } as App;
const items = Array.from({ length: 200 }, (_, n) => String(n).padStart(4, "0"));
await walk<string>(app, {
  name: name!,
  limit: 1000,
  batch: 10,
  list: async (after, limit) => items.filter((item) => item > (after ?? "")).slice(0, limit),
  positionOf: (item) => item,
  async visit(slice) {
    for (const item of slice) {
      process.stdout.write(`${item}\n`);
      await sleep(2);
    }
  },
});
