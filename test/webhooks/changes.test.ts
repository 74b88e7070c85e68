/** Changes of a webhook while its messages are being sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  CreatedWebhookPayload,
  WebhookPayload,
} from "../../contract/payloads/organizations/webhooks.ts";
import { deliverWebhook } from "../../src/orgs/webhooks/deliver.ts";
import { eraseTenant } from "../../workers/orgs/erase.ts";
import { newFolder } from "../support/organization.ts";
import { startReceiver } from "../support/webhook-receiver.ts";
import { setUpWebhooks } from "../support/webhooks.ts";

const { service, app, clock, owner, org, receiver, call, create, remove, deliver, deliveries } =
  await setUpWebhooks();
const next = await startReceiver();

/** Queues messages, and makes a change while the first one is being sent, which the receiver then takes. */
async function changeWhileSending(
  webhook: Pick<WebhookPayload, "id">,
  names: string[],
  change: () => Promise<unknown>,
): Promise<void> {
  for (const name of names) await newFolder(service, org, owner, name);
  await service.settled();
  // One request at a time, as after a failure.
  const failure = { error: "x", now: app.now(), pausedUntil: undefined };
  await app.storage.webhooks.noteFailure(webhook.id, failure);
  receiver.answer = async () => {
    await change();
    return { status: 204 };
  };
  await deliver(webhook);
}

describe("a change during a delivery", () => {
  it("of the address sends nothing more to the previous one", async () => {
    const { webhook } = await create({ events: ["folder.created"] });
    await changeWhileSending(webhook, ["moved-a", "moved-b", "moved-c"], () =>
      call("PATCH", `/${webhook.id}`, { url: next.url }),
    );
    assert.deepEqual([receiver.received.length, next.received.length], [1, 2]);
  });

  it("that disables it sends what waits only once it is enabled", async () => {
    const { webhook } = await create({ events: ["folder.created"] });
    await changeWhileSending(webhook, ["off-a", "off-b", "off-c"], () =>
      call("PATCH", `/${webhook.id}`, { enabled: false }),
    );
    assert.equal(receiver.received.length, 1);
    receiver.answer = () => ({ status: 204 });
    await call("PATCH", `/${webhook.id}`, { enabled: true });
    await deliver(webhook);
    assert.equal(receiver.received.length, 3);
  });

  it("that deletes it sends nothing more, and leaves no messages", async () => {
    const { webhook } = await create({ events: ["folder.created"] });
    await changeWhileSending(webhook, ["del-a", "del-b", "del-c"], () => remove(webhook));
    assert.equal(receiver.received.length, 1);
    await deliver(webhook);
    assert.equal(receiver.received.length, 1);
    const messages = app.storage.database.raw.collection("webhook_messages");
    assert.equal(await messages.countDocuments({ webhookId: webhook.id }), 0);
  });
});

describe("concurrent changes", () => {
  it("of the secret leave a webhook whose messages the last one verifies", async () => {
    const { webhook } = await create();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call<CreatedWebhookPayload>("POST", `/${webhook.id}/secret`)),
    );
    const made = answers.filter(({ status }) => status === 200);
    const { revision } = (await app.storage.webhooks.find(org.id, webhook.id))!;
    assert.equal(revision, made.length);
    assert.ok(answers.every(({ status, code }) => status === 200 || code === "conflict"));
  });
});

describe("two processes", () => {
  it("deliver a message once", async () => {
    const { webhook } = await create({ events: ["folder.created"] });
    for (const name of ["twice-a", "twice-b"]) await newFolder(service, org, owner, name);
    await service.settled();
    await Promise.all([1, 2, 3].map(() => deliverWebhook(app, webhook.id)));
    assert.equal(receiver.received.length, 2);
    assert.ok((await deliveries(webhook)).every(({ attemptCount }) => attemptCount === 1));
  });
});

describe("a response", () => {
  it("of any type is read up to its limit", async () => {
    receiver.answer = () => ({
      status: 200,
      headers: { "content-type": "text/event-stream" },
      body: "data: y\n\n".repeat(100_000),
    });
    const { webhook } = await create({ events: ["folder.created"] });
    await newFolder(service, org, owner, "streamed");
    await deliver(webhook);
    assert.equal((await deliveries(webhook))[0]?.state, "delivered");
  });
});

// The last, since it ends the organization.
describe("an organization that is erased", () => {
  it("leaves no webhook and no message", async () => {
    const { webhook } = await create();
    await newFolder(service, org, owner, "erased");
    await deliver(webhook);
    await app.storage.tenants.change(org.id, {
      set: { deletionAt: new Date(clock.now().getTime() - 1) },
      now: clock.now(),
    });
    await eraseTenant(app, org.id);
    for (const name of ["webhooks", "webhook_messages"])
      assert.equal(
        await app.storage.database.raw.collection(name).countDocuments({ tenantId: org.id }),
        0,
        name,
      );
  });
});
