import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openLog } from "../../src/log.ts";
import { describeInspection } from "./inspect-suite.ts";
import { describeRenamedJobs } from "./renamed-suite.ts";
import { describeRetiming } from "./retime-suite.ts";
import { describeQueue, type EngineUnderTest } from "./suite.ts";

async function start(): Promise<EngineUnderTest> {
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
}

describeQueue("the embedded engine", start);
describeInspection("the embedded engine", start);
describeRetiming("the embedded engine", start);
describeRenamedJobs("the embedded engine", start);
