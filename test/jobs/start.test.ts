import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startWorkers } from "../../workers/start.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
before(async () => {
  service = await startService({ ownQueue: true });
});
after(() => service.close());

describe("starting workers", () => {
  it("again and again queues what the last end left to mend once", async () => {
    const { inspector } = service.app.queue;
    await inspector.pause("upkeep");
    for (let i = 0; i < 4; i++) await (await startWorkers(service.app)).close();

    const queued = async (state: "waiting" | "delayed") => {
      const jobs = await inspector.jobs("upkeep", state, await inspector.ids("upkeep", state, 0, 100));
      return jobs.filter(({ name, isScheduled }) => name === "upkeep.reconcile" && !isScheduled);
    };
    const [waiting, delayed] = await Promise.all([queued("waiting"), queued("delayed")]);
    assert.deepEqual([waiting.length, delayed.length], [1, 1]);
    // The later look is that of the last start.
    assert.ok(delayed[0]!.runsAt!.getTime() > Date.now() + 10_000);
  });
});
