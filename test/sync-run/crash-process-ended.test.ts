/** The process of a sync that ends too early: how it is reported, and who completes its work. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { requestSyncAfterLease } from "../../src/sync/run/abandoned-lease.ts";
import { closeChildren } from "../../workers/children.ts";
import { runConnectionInChild } from "../../workers/sync/run-in-child.ts";
import { jobProcesses } from "../support/job-processes.ts";
import { closedAfter } from "../support/set-up.ts";
import { hourMs, startHosted, type Connected } from "../support/sync/hosted.ts";
import { until } from "../support/until.ts";

const limits = { maxOldSpaceMb: 256, timeoutMs: 60_000 };

let customer: Connected;

const hosted = await closedAfter(startHosted());

beforeEach(async () => {
  await hosted.host.calm();
  customer = await hosted.connected();
});
afterEach(() => closeChildren(hosted.service.app));

const connection = async () => (await hosted.service.app.storage.connections.find(customer.id))!;

/** A sync in its process, which waits for the host while it holds the lease. */
async function begin(): Promise<{ running: Promise<void>; rejected(code: string): Promise<void> }> {
  await hosted.host.trouble({ on: "fetch-refs", silent: true });
  const asked = hosted.host.asked.length;
  const running = runConnectionInChild(hosted.service.app, { connectionId: customer.id }, limits);
  running.catch(() => undefined);
  await until("the request of the sync", () => hosted.host.asked.length > asked);
  return { running, rejected: (code) => assert.rejects(running, { code }) };
}

async function outcomes(): Promise<string[]> {
  const { data } = await hosted.service.call<{ outcome: string }[]>("GET", `${customer.base}/history`, {
    token: customer.owner.token,
  });
  return data.map(({ outcome }) => outcome);
}

describe("the process of a sync", () => {
  // This test is first, since others advance the service's clock, but not the process's, whose lease would be expired.
  it("that hangs is killed when the repository is disconnected, before the response", async () => {
    const { running } = await begin();
    for (const pid of jobProcesses()) process.kill(pid, "SIGSTOP");

    const ended = await hosted.service.call("DELETE", customer.base, { token: customer.owner.token });

    assert.equal(ended.status, 200, JSON.stringify(ended.body));
    assert.deepEqual(jobProcesses(), []);
    await running;
  });

  it("makes way for others that wait, and its rest is queued behind them", async () => {
    const { app } = hosted.service;
    const { inspector } = app.queue;
    const restOf = async () => {
      const delayed = await inspector.jobs("sync", "delayed", await inspector.ids("sync", "delayed", 0, 50));
      return delayed.filter(({ payload }) => payload["connectionId"] === customer.id);
    };
    await hosted.host.trouble({ on: "fetch-refs", silent: true });
    const counts = app.queue.counts.bind(app.queue);
    let waiting = 0;
    app.queue.counts = async () => {
      const found = await counts();
      return { ...found, sync: { ...found.sync, waiting } };
    };
    const running = runConnectionInChild(app, { connectionId: customer.id }, limits, 300);
    await until("the lease", async () => (await connection()).lease !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 700));
    assert.ok((await connection()).lease, "no other one waits");

    waiting = 1;
    await running;
    app.queue.counts = counts;

    const { lease, slices, wanted, done, failures } = await connection();
    assert.deepEqual([lease, slices, wanted > done, failures], [undefined, 1, true, 0]);
    assert.equal((await restOf()).length, 1);
  });

  it("that dies is a failure of the sync, retried with increasing delay", async () => {
    const waits: number[] = [];
    for (const failures of [1, 2, 3]) {
      const { rejected } = await begin();
      for (const pid of jobProcesses()) process.kill(pid, "SIGKILL");
      await rejected("child_ended");

      await hosted.assertReported(customer, "failing", "process_ended");
      const now = await connection();
      assert.deepEqual([now.failures, now.lease], [failures, undefined]);
      waits.push(now.dueAt!.getTime() - now.updatedAt.getTime());
    }
    assert.ok(waits[0]! >= 15_000 && waits[1]! >= 30_000 && waits[2]! >= 60_000, waits.join(", "));
    assert.deepEqual(await outcomes(), ["failed", "failed", "failed"]);

    await hosted.host.calm();
    await hosted.wait(customer, hourMs);
    await hosted.assertInStep(customer);
    assert.equal((await connection()).failures, 0);
  });

  it("that dies causes no retry of its job; the connection's own retry runs later", async () => {
    const error = await runConnectionInChild(
      hosted.service.app,
      { connectionId: customer.id },
      { ...limits, maxResidentMb: 20 },
    ).catch((thrown: unknown) => thrown as { code: string; retryable: boolean });

    assert.deepEqual([error?.code, error?.retryable], ["child_out_of_memory", false]);
    await hosted.assertReported(customer, "failing", "process_ended");
    assert.match((await connection()).problem!.message, /memory limit/);
  });

  it("fails the sync that it never began", async () => {
    const dying = runConnectionInChild(
      hosted.service.app,
      { connectionId: customer.id },
      { ...limits, timeoutMs: 20 },
    );
    await assert.rejects(dying, { code: "child_timeout" });

    await hosted.assertReported(customer, "failing", "process_ended");
    const { failures, lease } = await connection();
    assert.deepEqual([failures, lease], [1, undefined]);
  });

  it("that dies when nothing is left to do has failed nothing", async () => {
    await hosted.run(customer);
    const dying = runConnectionInChild(
      hosted.service.app,
      { connectionId: customer.id },
      { ...limits, timeoutMs: 20 },
    );
    await assert.rejects(dying, { code: "child_timeout" });

    await hosted.assertInStep(customer);
    assert.equal((await connection()).lease, undefined);
  });

  it("that ends with its worker leaves the sync to the next one at once", async () => {
    const { rejected } = await begin();
    await closeChildren(hosted.service.app);

    const { lease, status, failures, dueAt } = await connection();
    assert.deepEqual([lease, status, failures], [undefined, "active", 0]);
    assert.ok(dueAt! <= hosted.service.app.now());
    await rejected("child_cancelled");
    await hosted.host.calm();
    await hosted.run(customer);
    await hosted.assertInStep(customer);
    // Ids of one second and several processes are in no order.
    assert.ok((await outcomes()).includes("stopped"));
  });
});

describe("a sync of a connection that is leased", () => {
  const waiting = async () => {
    const { inspector } = hosted.service.app.queue;
    const jobs = await inspector.jobs("sync", "delayed", await inspector.ids("sync", "delayed", 0, 1000));
    return jobs.filter(({ payload }) => payload["connectionId"] === customer.id);
  };

  it("is queued once for the end of that lease", async () => {
    const { app } = hosted.service;
    const leasedUntil = new Date(app.now().getTime() + 40_000);
    await app.storage.connections.takeLease(customer.id, "somebody", leasedUntil, app.now());
    await hosted.run(customer);
    await hosted.run(customer);

    const jobs = await waiting();
    assert.equal(jobs.length, 1);
    // By the queue's clock.
    const inMs = jobs[0]!.runsAt!.getTime() - Date.now();
    assert.ok(inMs > 0 && inMs < 42_000, `in ${inMs} ms`);
  });

  it("is not queued if nothing is left to do", async () => {
    const { app } = hosted.service;
    await hosted.run(customer);
    await app.storage.connections.takeLease(
      customer.id,
      "somebody",
      new Date(app.now().getTime() + 40_000),
      app.now(),
    );
    await requestSyncAfterLease(app, customer.id);

    assert.deepEqual(await waiting(), []);
  });
});
