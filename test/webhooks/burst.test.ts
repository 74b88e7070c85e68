/**
 * A burst of events to several webhooks while two workers deliver: nothing is lost, and each receiver gets a limited
 * number of requests at a time. `npm run test:long` sends 10,000 events.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { CreatedWebhookPayload } from "../../contract/payloads/organizations/webhooks.ts";
import { makeSystemEvent } from "../../src/audit/events.ts";
import { writeEvents } from "../../src/audit/write-events.ts";
import { maxRequests } from "../../src/orgs/webhooks/deliver.ts";
import { processors } from "../../workers/processors.ts";
import { runCount } from "../support/run-count.ts";
import { closedAfter, newOrganization, setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { startReceiver, type ReceivedMessage, type TestReceiver } from "../support/webhook-receiver.ts";

const { service } = await setUpService({ ownQueue: true, webhookPrivateNetwork: true });
const { app } = service;
for (let worker = 0; worker < 2; worker++)
  await closedAfter(app.queue.startConsumers(processors(app), { concurrency: 8, closeDeadlineMs: 500 }));

async function listen(receiver: TestReceiver): Promise<{ tenantId: string }> {
  const { owner, org } = await newOrganization(service);
  const created = await service.call<CreatedWebhookPayload>("POST", `/api/tenants/${org.slug}/webhooks`, {
    cookie: owner.cookie,
    body: { name: "burst", url: receiver.url, events: ["folder.updated"] },
  });
  assert.equal(created.status, 201, created.error);
  return { tenantId: org.id };
}

/** Records events as the flush of an outbox does; returns the ids of their messages. */
async function record(tenantId: string, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, () => {
    const resourceId = app.newId();
    return makeSystemEvent(app, "folder.updated", { tenantId, resourceType: "folder", resourceId });
  });
  await writeEvents(app, rows);
  return rows.map(({ _id }) => `msg_${_id}`);
}

const idOf = ({ headers }: ReceivedMessage) => headers["webhook-id"]!;
const idsOf = ({ received }: TestReceiver) => new Set(received.map(idOf));

describe("a burst of events", () => {
  it("reaches a slow receiver completely, with few requests at a time, and delays no other", async (t) => {
    const [slow, fast, dead] = [await startReceiver(), await startReceiver(), await startReceiver()];
    slow.answer = async () => {
      await sleep(50);
      return { status: 200 };
    };
    dead.answer = () => new Promise(() => {});
    const [slowly, quickly, never] = [await listen(slow), await listen(fast), await listen(dead)];
    const count = runCount(200, 10_000);
    await record(never.tenantId, 40);
    const started = performance.now();
    const expected: string[] = [];
    for (let left = count; left > 0; left -= 100)
      expected.push(...(await record(slowly.tenantId, Math.min(100, left))));
    await until("requests of the burst", () => slow.received.length > 0);

    const latencies: number[] = [];
    while (slow.received.length < count) {
      const at = performance.now();
      const [id] = await record(quickly.tenantId, 1);
      await until("a message to the fast receiver", () =>
        fast.received.some((message) => idOf(message) === id),
      );
      latencies.push(performance.now() - at);
      await sleep(100);
    }
    const seconds = (performance.now() - started) / 1000;
    await until("the end of the burst", () => idsOf(slow).size === count);
    t.diagnostic(
      `${count} events in ${seconds.toFixed(1)} s, others ${Math.round(Math.max(...latencies))} ms at most`,
    );
    assert.deepEqual([...idsOf(slow)].sort(), expected.sort());
    assert.equal(slow.received.length, count, "no message is repeated without a reason");
    assert.ok(slow.maxOpen > 1 && slow.maxOpen <= maxRequests, `${slow.maxOpen} requests at a time`);
    assert.ok(dead.maxOpen <= maxRequests);
    assert.ok(Math.max(...latencies) < 5000);
    const pending = app.storage.database.raw.collection("webhook_messages");
    await until("the record of the last delivery", async () => {
      const left = await pending.countDocuments({ tenantId: slowly.tenantId, state: { $ne: "delivered" } });
      return left === 0;
    });
  });
});
