import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { startWorkers } from "../../workers/start.ts";
import { setUpService } from "../support/set-up.ts";

const { service } = await setUpService({ ownQueue: "embedded" });

describe("starting workers", () => {
  it("queues the repairs once, however often it is repeated", async () => {
    const { inspector } = service.app.queue;
    await inspector.pause("maintenance");
    let lastStartAt = 0;
    for (let i = 0; i < 4; i++) {
      lastStartAt = Date.now();
      await (await startWorkers(service.app)).close();
    }

    const queued = async (state: "waiting" | "delayed") => {
      const jobs = await inspector.jobs(
        "maintenance",
        state,
        await inspector.ids("maintenance", state, 0, 100),
      );
      return jobs.filter(({ name, isScheduled }) => name === "maintenance.reconcile" && !isScheduled);
    };
    const [waiting, delayed] = await Promise.all([queued("waiting"), queued("delayed")]);
    assert.deepEqual([waiting.length, delayed.length], [1, 1]);
    // The later look is that of the last start.
    assert.ok(delayed[0]!.runsAt!.getTime() > lastStartAt + 10_000);
  });

  it("waits for a queue that does not answer in time, and sets its schedules up then", async () => {
    const engine = queueProcesses();
    assert.ok(engine.length > 0);
    for (const pid of engine) process.kill(pid, "SIGSTOP");
    const startedAt = performance.now();
    setTimeout(() => {
      for (const pid of engine) process.kill(pid, "SIGCONT");
    }, 4000);

    const consumers = await startWorkers(service.app);

    assert.ok(performance.now() - startedAt >= 3900);
    await consumers.close();
  });
});

/** Processes of the embedded queue that this one has started. */
function queueProcesses(): number[] {
  const read = (file: string) => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[1] === String(process.pid))
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes("queue"))
    .map(Number);
}
