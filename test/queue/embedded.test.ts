import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { openLog } from "../../src/log.ts";
import { describeQueue } from "./suite.ts";

describeQueue("the embedded engine", async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "svc-queue-"));
  const pids: number[] = [];
  const log = openLog("info", {
    write(line) {
      const { engine, pid, openMs } = JSON.parse(line) as { engine?: string; pid?: number; openMs?: number };
      if (engine && pid !== undefined && openMs !== undefined) pids.push(pid);
    },
  });
  return {
    place: { dataDir: path.join(dir, "queue") },
    log,
    pid: () => pids.at(-1),
    revive: async () => {}, // its supervisor does
    stop: async () => fs.rmSync(dir, { recursive: true, force: true }),
  };
});
