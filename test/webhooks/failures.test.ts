/** Receivers that fail: retries, pauses, and webhooks that the service disables. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AttentionPayload } from "../../contract/payloads/organizations/attention.ts";
import type { WebhookPayload } from "../../contract/payloads/organizations/webhooks.ts";
import { maxFailingMs, pausesMs } from "../../src/orgs/webhooks/attempt.ts";
import { flushOutboxes } from "../../workers/maintenance/flush-outboxes.ts";
import { newFolder } from "../support/organization.ts";
import { setUpWebhooks } from "../support/webhooks.ts";

const {
  service,
  app,
  clock,
  owner,
  org,
  receiver,
  call,
  create,
  read,
  deliver,
  deliveries,
  detail,
  reauthenticate,
} = await setUpWebhooks();

describe("a webhook whose receiver fails", () => {
  it("repeats a message with the same id after the pauses of the schedule, and then gives it up", async () => {
    receiver.answer = () => ({ status: 500, body: "out of order" });
    const { webhook } = await create({ events: ["folder.created"] });
    await newFolder(service, org, owner, "repeated");
    for (const [at, pauseMs] of pausesMs.entries()) {
      await deliver(webhook);
      assert.equal(receiver.received.length, at + 1);
      const [waiting] = await deliveries(webhook);
      const waitMs = Date.parse(waiting!.nextAttemptAt!) - app.now().getTime();
      assert.ok(waitMs > pauseMs - 60_000 && waitMs <= pauseMs * 1.2, `${waitMs} of ${pauseMs}`);
      await deliver(webhook);
      assert.equal(receiver.received.length, at + 1, "the next attempt is not due");
      clock.advance(waitMs + 1);
    }
    const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    assert.equal(ids.size, 1);
    assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
    await deliver(webhook);
    const [failed] = await deliveries(webhook, "?state=failed");
    assert.equal(failed?.attemptCount, pausesMs.length + 1);
    const { response, attempts } = await detail(webhook, failed);
    assert.deepEqual([response, attempts.length], ["out of order", pausesMs.length + 1]);
    assert.equal(attempts[0]?.error, "The receiver responded with status 500.");
  });

  it("is disabled after days of failures, of which owners are told, and sends what waits once enabled", async () => {
    receiver.answer = () => ({ status: 503 });
    const { webhook } = await create({ events: ["folder.created"] });
    await newFolder(service, org, owner, "outage");
    await deliver(webhook);
    assert.equal((await read(webhook)).state, "failing");
    clock.advance(maxFailingMs + 3_600_000);
    await deliver(webhook);
    const disabled = await read(webhook);
    assert.deepEqual(
      [disabled.state, disabled.disabled?.reason, disabled.waiting],
      ["disabled", "failing", 1],
    );
    const attempts = receiver.received.length;
    await newFolder(service, org, owner, "unreported");
    await deliver(webhook);
    assert.equal(receiver.received.length, attempts, "a disabled webhook sends nothing");

    const { data } = await service.call<AttentionPayload>("GET", "/api/user/attention", {
      cookie: owner.cookie,
    });
    const item = data.items.find(({ kind }) => kind === "webhook_disabled");
    assert.match(item?.message ?? "", /was disabled: its receiver has accepted no message for three days/);
    const mails = await app.storage.database.raw
      .collection<{ _id: string; mailsDue?: { kind: string; organization: { text: string } }[] }>("users")
      .findOne({ _id: owner.id });
    const mail = mails?.mailsDue?.filter(
      ({ kind, organization }) =>
        kind === "webhook-disabled" && organization.text.includes(`"${webhook.name}"`),
    );
    assert.equal(mail?.length, 1);
    const log = await service.call<{ entries: { action: string; actor: { name: string } }[] }>(
      "GET",
      `/api/tenants/${org.slug}/audit-log?action=organization.webhook_disabled`,
      { cookie: owner.cookie },
    );
    assert.equal(log.data.entries[0]?.actor.name, "service");

    receiver.received.length = 0;
    receiver.answer = () => ({ status: 204 });
    await reauthenticate();
    const enabled = await call<WebhookPayload>("PATCH", `/${webhook.id}`, { enabled: true });
    assert.deepEqual(
      [enabled.data.state, enabled.data.disabled, enabled.data.error],
      ["working", null, null],
    );
    await deliver(webhook);
    assert.equal(receiver.received.length, 1);
    assert.equal((await read(webhook)).waiting, 0);
  });

  it("is disabled at once by status 410", async () => {
    receiver.answer = () => ({ status: 410 });
    const { webhook } = await create({ events: ["folder.created"] });
    for (const name of ["gone-a", "gone-b"]) await newFolder(service, org, owner, name);
    await deliver(webhook);
    assert.equal((await read(webhook)).disabled?.reason, "gone");
    const requests = receiver.received.length;
    await deliver(webhook);
    assert.equal(receiver.received.length, requests);
  });

  it("sends the mail to owners after a crash before it", async () => {
    const { webhook } = await create();
    await service.settled();
    await app.storage.webhooks.change(webhook.id, {
      set: { enabled: false, noticeDue: true, disabled: { reason: "gone", at: app.now() } },
      events: [],
    });
    clock.advance(3_600_000);
    await flushOutboxes(app, app.now());
    assert.equal((await app.storage.webhooks.find(org.id, webhook.id))?.noticeDue, undefined);
  });

  it("waits as long as a receiver asks for, for all messages", async () => {
    receiver.answer = () => ({ status: 429, headers: { "retry-after": "120" } });
    const { webhook } = await create({ events: ["folder.created"] });
    for (const name of ["slow-a", "slow-b", "slow-c"]) await newFolder(service, org, owner, name);
    await service.settled();
    // One request at a time, as after a failure: the others see the pause.
    await app.storage.webhooks.noteFailure(webhook.id, {
      error: "x",
      now: app.now(),
      pausedUntil: undefined,
    });
    await deliver(webhook);
    assert.equal(receiver.received.length, 1);
    clock.advance(100_000);
    await deliver(webhook);
    assert.equal(receiver.received.length, 1);
    receiver.answer = () => ({ status: 200 });
    clock.advance(60_000);
    await deliver(webhook);
    assert.equal(receiver.received.length, 4);
  });
});
