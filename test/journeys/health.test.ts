/** Health as load balancers see it: draining on SIGTERM, workers, and a service whose queue is away. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { after, describe, it } from "node:test";
import { freePort } from "../support/free-port.ts";
import { callApi } from "../support/http-client.ts";
import { startTestRedis, whyNoRedis } from "../support/redis.ts";
import { removeFolder, runServer, startServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

const quiet = { LOG_LEVEL: "warn" };

const statusOf = (url: string) =>
  fetch(url, { headers: { connection: "close" } }).then(
    ({ status }) => status,
    () => undefined,
  );

describe("a process that is asked to end", () => {
  const dataDir = temporaryFolder("drain");
  after(() => removeFolder(dataDir));

  it("is not ready, and serves for the time of the drain", async () => {
    const server = await startServer({ dataDir, env: { ...quiet, DRAIN_SECONDS: "4" } });
    const startedAt = performance.now();
    const ended = server.kill("SIGTERM");
    await until("it is not ready", async () => (await statusOf(`${server.url}/readyz`)) === 503);
    assert.equal(await statusOf(`${server.url}/api/explore`), 200);
    assert.equal(await statusOf(`${server.url}/healthz`), 200);
    assert.deepEqual(await ended, { code: 0, signal: null });
    assert.ok(performance.now() - startedAt >= 4000);
  });

  it("ends at once on Ctrl-C", async () => {
    const server = await startServer({ dataDir, env: { ...quiet, DRAIN_SECONDS: "300" } });
    assert.deepEqual(await server.kill("SIGINT"), { code: 0, signal: null });
  });
});

describe("a service on Redis", { skip: whyNoRedis() ?? false }, () => {
  const dataDir = temporaryFolder("degraded");
  after(() => removeFolder(dataDir));

  it("is refused on a server that evicts keys", async () => {
    const socket = path.join(dataDir, "evicting.sock");
    const settings = ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", dataDir];
    const redis = spawn("redis-server", [...settings, "--maxmemory-policy", "allkeys-lru"], {
      stdio: "ignore",
    });
    try {
      const { code, output } = await runServer({
        dataDir,
        env: { ...quiet, REDIS_URL: socket, MONGODB_URL: "mongodb://127.0.0.1:1" },
      });
      assert.equal(code, 1);
      assert.match(output, /evicts keys .*allkeys-lru.* noeviction/);
      assert.doesNotMatch(output, /\n\s+at /);
    } finally {
      redis.kill("SIGKILL");
      await once(redis, "exit");
    }
  });

  it("is ready but degraded while Redis is away, also by the worker's own listener", async () => {
    const redis = await startTestRedis(dataDir);
    const metrics = await freePort();
    const env = { ...quiet, REDIS_URL: redis.redisUrl, METRICS_PORT: metrics };
    const server = await startServer({ dataDir, env });
    try {
      const states = async () => {
        const api = await callApi<{ status: string }>(server.url, "GET", "/readyz");
        const probe = await fetch(`http://127.0.0.1:${metrics}/readyz`);
        const { data } = (await probe.json()) as { data: { status: string } };
        return [api.status, api.data.status, probe.status, data.status];
      };
      assert.deepEqual(await states(), [200, "ready", 200, "ready"]);
      await redis.stop();
      assert.deepEqual(await states(), [200, "degraded", 200, "degraded"]);
      assert.equal(await statusOf(`${server.url}/api/explore`), 200);
      await redis.restart();
      await until("Redis is back", async () => (await states())[1] === "ready");
    } finally {
      await server.stop();
      await redis.stop();
    }
  });
});
