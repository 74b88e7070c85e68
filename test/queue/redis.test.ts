import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";

import { openLog } from "../../src/log.ts";
import { startTestRedis, whyNoRedis } from "../support/redis.ts";
import { describeInspection } from "./inspect-suite.ts";
import { describeRetiming } from "./retime-suite.ts";
import { describeQueue, type EngineUnderTest } from "./suite.ts";

const reason = whyNoRedis();

if (reason) {
  describe("job queue on Redis", () => {
    it("keeps the promises of the suite", { skip: reason }, () => {});
  });
} else {
  const start = async (): Promise<EngineUnderTest> => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "svc-redis-"));
    const redis = await startTestRedis(dir);
    return {
      place: { redisUrl: redis.redisUrl },
      log: openLog("silent"),
      pid: () => redis.pid(),
      revive: () => redis.restart(),
      async stop() {
        await redis.stop();
        fs.rmSync(dir, { recursive: true, force: true });
      },
    };
  };
  describeQueue("Redis", start);
  describeInspection("Redis", start);
  describeRetiming("Redis", start);
}
