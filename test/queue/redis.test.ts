import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { openLog } from "../../src/log.ts";
import { openQueue } from "../../src/queue/index.ts";
import { startTestRedis, whyNoRedis } from "../support/redis.ts";
import { describeInspection } from "./inspect-suite.ts";
import { describeRenamedJobs } from "./renamed-suite.ts";
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
  describe("a start on a Redis that can't be used", () => {
    const patience = { noticeMs: 10_000, unreachableMs: 500 };
    const log = openLog("silent");

    it("fails with the reason where nothing accepts connections", async () => {
      for (const redisUrl of ["redis://127.0.0.1:1", "redis://redis.invalid", "/nowhere/redis.sock"])
        await assert.rejects(openQueue({ redisUrl }, log, patience), {
          name: "QueueUnreachableError",
          message:
            /^The job queue can't be opened: .*(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT).* Check REDIS_URL\.$/,
        });
    });

    it("fails at once where the credentials are refused, and names no password", async () => {
      const server = net.createServer((socket) =>
        socket.on("data", () => socket.write("-WRONGPASS invalid username-password pair\r\n".repeat(4))),
      );
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as net.AddressInfo;
      try {
        const redisUrl = `redis://svc:hunter2@127.0.0.1:${port}`;
        await assert.rejects(openQueue({ redisUrl }, log), (error: Error) => {
          assert.match(error.message, /WRONGPASS/);
          assert.doesNotMatch(error.message, /hunter2/);
          return true;
        });
      } finally {
        server.close();
      }
    });
  });

  describeQueue("Redis", start);
  describeInspection("Redis", start);
  describeRetiming("Redis", start);
  describeRenamedJobs("Redis", start);
}
