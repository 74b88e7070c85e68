import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { Queue, Worker } from "bullmq";
import { startEmbeddedQueue } from "../../engines/queue.ts";
import { QueuePool } from "../../engines/queue/queue-pool.ts";
import { openLog } from "../../src/log.ts";
import { createBackend, embeddedBackend } from "../../src/queue/backend.ts";
import { startPatience } from "../../src/queue/wait.ts";
import { until } from "../support/until.ts";

const waitMs = 60_000;

/** A server in front of the engine, which loses the first connections as soon as a statement arrives. */
async function startLossyProxy(socketPath: string, engine: string, lost: number) {
  let connections = 0;
  const server = net.createServer((client) => {
    connections += 1;
    if (connections <= lost) {
      client.once("data", () => client.destroy());
      return;
    }
    const upstream = net.connect(engine);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(socketPath), "listening");
  return { server, connections: () => connections };
}

describe("the first connection of a worker", () => {
  it("is made again if it was lost, without a loop of failures", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "svc-queue-"));
    const dataDir = path.join(folder, "queue");
    const log = openLog("silent");
    const backend = await embeddedBackend(dataDir, log, startPatience);
    const engine = await startEmbeddedQueue({ dataDir, log });
    const proxy = await startLossyProxy(path.join(folder, "proxy.sock"), engine.uri, 2);
    const pools = [proxy, proxy].map(() => new QueuePool(path.join(folder, "proxy.sock"), { waitMs }));
    const [consumer, producer] = pools as [QueuePool, QueuePool];
    const failures: string[] = [];
    const done: unknown[] = [];

    const worker = new Worker(
      "lossy",
      async (job) => void done.push(job.data),
      { connection: consumer },
      createBackend,
    );
    worker.on("error", (error) => failures.push(error.message));
    await until("the worker to lose its first connections", () => proxy.connections() > 2);
    const queue = new Queue("lossy", { connection: producer }, createBackend);
    await queue.add("one", { n: 1 });
    await until("the job", () => done.length === 1);

    assert.deepEqual(done, [{ n: 1 }]);
    assert.ok(failures.length > 0 && failures.length < 20, `${failures.length} failures`);
    await worker.close();
    await queue.close();
    await Promise.all(pools.map((pool) => pool.end()));
    proxy.server.close();
    await engine.stop();
    await backend.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });
});
