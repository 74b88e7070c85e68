/** Mails and webhook calls to administrators of the service about its state. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { watchConditions } from "../../src/operations/notices/watch-conditions.ts";
import { connectionDoc } from "../support/connection.ts";
import { deliverMails } from "../support/mailbox.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { closedAfter, setUpService } from "../support/set-up.ts";

const key = Buffer.alloc(32, 7);
const received: { headers: Record<string, unknown>; body: string }[] = [];
let status = 204;

const receiver = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    received.push({ headers: request.headers, body });
    response.writeHead(status).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
await closedAfter({ close: () => receiver.close() });

const { service, clock } = await setUpService({
  stoppedAt: new Date("2026-03-01T12:00:00Z"),
  reportsCommands: true,
  operatorWebhook: {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    secret: `whsec_${key.toString("base64")}`,
    privateNetwork: true,
  },
});
const { app } = service;
const admin = await service.newUser("chief");
await service.newUser("someone");
await deliverMails(app);

const hourMs = 3_600_000;

interface Told {
  mails: string[];
  webhooks: string[];
}

/** Mails and webhook calls of a run of the job. */
async function told(run: () => Promise<unknown> = () => watchConditions(app)): Promise<Told> {
  received.length = 0;
  await run();
  await service.settled();
  const mails = await deliverMails(app);
  for (const { to } of mails) assert.equal(to, "chief@example.com");
  return {
    mails: mails.map(({ subject }) => subject),
    webhooks: received.map(({ body }) => (JSON.parse(body) as { type: string }).type),
  };
}

const nothing: Told = { mails: [], webhooks: [] };
const setLate = async (isLate: boolean) => {
  const { raw } = app.storage.database;
  await raw.collection("connections").deleteMany({});
  const since = new Date(app.now().getTime() - 2 * hourMs);
  if (isLate)
    await raw
      .collection("connections")
      .insertOne(connectionDoc(1, { wantedSince: since, dueAt: since }) as never);
};

describe("a condition of the service", () => {
  it("is told when it begins, once a day while it lasts, and when it is over", async () => {
    assert.deepEqual(await told(), nothing);
    await setLate(true);

    assert.deepEqual(await told(), { mails: ["Attention: sync-lag"], webhooks: ["condition.begun"] });
    assert.deepEqual(await told(), nothing);
    clock.advance(23 * hourMs);
    assert.deepEqual(await told(), nothing);
    clock.advance(hourMs);
    assert.deepEqual(await told(), { mails: ["Still: sync-lag"], webhooks: ["condition.continues"] });
    await setLate(false);
    assert.deepEqual(await told(), { mails: ["Over: sync-lag"], webhooks: ["condition.ended"] });
    assert.deepEqual(await told(), nothing);
  });

  it("that begins again within a day is not told again", async () => {
    clock.advance(hourMs);
    await setLate(true);
    assert.deepEqual(await told(), nothing);
    await setLate(false);
    assert.deepEqual(await told(), nothing);
    clock.advance(24 * hourMs);
    await setLate(true);
    assert.deepEqual((await told()).mails, ["Attention: sync-lag"]);
    await setLate(false);
    await told();
  });

  it("is told once by several processes", async () => {
    clock.advance(25 * hourMs);
    await setLate(true);

    const found = await told(() => Promise.all(Array.from({ length: 6 }, () => watchConditions(app))));
    assert.deepEqual(found, { mails: ["Attention: sync-lag"], webhooks: ["condition.begun"] });
    await setLate(false);
    const over = await told(() => Promise.all(Array.from({ length: 6 }, () => watchConditions(app))));
    assert.deepEqual(over, { mails: ["Over: sync-lag"], webhooks: ["condition.ended"] });
  });

  it("may be a failed job or backup", async () => {
    const none = { completed: 0, failed: 1, retried: 0, durationMs: 1, maxMs: 1 };
    await app.storage.jobMetrics.add([{ at: app.now(), queue: "mail", name: "mail.account", ...none }]);
    await app.storage.serviceSettings.noteBackup(app.now(), "It has 2 faults.");

    assert.deepEqual((await told()).mails.toSorted(), [
      "Attention: backup",
      "Attention: job-failed mail.account",
    ]);
    clock.advance(2 * hourMs);
    await app.storage.serviceSettings.noteBackup(app.now(), undefined);
    assert.deepEqual((await told()).mails.toSorted(), ["Over: backup", "Over: job-failed mail.account"]);
  });

  it("does not end while the state can't be read", async () => {
    await setLate(true);
    clock.advance(25 * hourMs);
    await told();
    const { operationState } = app.storage;
    const { readSyncs } = operationState;
    operationState.readSyncs = () => Promise.reject(new Error("away"));
    await assert.rejects(watchConditions(app), /away/);
    operationState.readSyncs = readSyncs;
    assert.deepEqual(await told(), nothing);
  });

  it("is looked up by indexes", async () => {
    assertIndexed(await plansOf(service, () => watchConditions(app)), 5);
  });
});

describe("the webhook", () => {
  it("is signed, and repeated with the same id until it is accepted", async () => {
    await setLate(false);
    await told();
    clock.advance(25 * hourMs);
    await setLate(true);
    status = 503;
    assert.deepEqual(await told(), { mails: ["Attention: sync-lag"], webhooks: ["condition.begun"] });
    const [first] = received;
    assert.deepEqual(await told(), nothing, "another attempt waits for minutes");
    clock.advance(6 * 60_000);
    status = 204;
    assert.deepEqual(await told(), { mails: [], webhooks: ["condition.begun"] });
    const [second] = received;
    assert.equal(second!.headers["webhook-id"], first!.headers["webhook-id"]);

    for (const { headers, body } of [first!, second!]) {
      const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
      const signature = createHmac("sha256", key).update(signed).digest("base64");
      assert.equal(headers["webhook-signature"], `v1,${signature}`);
      assert.equal(headers["content-type"], "application/json");
    }
    assert.equal(Number(second!.headers["webhook-timestamp"]), Math.floor(app.now().getTime() / 1000));
    const { data } = JSON.parse(second!.body) as { data: Record<string, unknown> };
    assert.deepEqual(Object.keys(data), ["condition", "text", "since", "service"]);
  });

  it("does not reach a private address unless that is allowed", async () => {
    app.config.operatorWebhook!.privateNetwork = false;
    clock.advance(25 * hourMs);
    assert.deepEqual(await told(), { mails: ["Still: sync-lag"], webhooks: [] });
    app.config.operatorWebhook!.privateNetwork = true;
  });

  it("needs a secret", () => {
    const url = "https://hooks.example.com/svc";
    assert.throws(() => readConfig({ OPERATOR_WEBHOOK_URL: url }), /OPERATOR_WEBHOOK_SECRET/);
    assert.throws(
      () => readConfig({ OPERATOR_WEBHOOK_URL: url, OPERATOR_WEBHOOK_SECRET: "short" }),
      /whsec_/,
    );
    const secret = `whsec_${key.toString("base64")}`;
    const { operatorWebhook } = readConfig({ OPERATOR_WEBHOOK_URL: url, OPERATOR_WEBHOOK_SECRET: secret });
    assert.deepEqual(operatorWebhook, { url, secret, privateNetwork: false });
  });
});

describe("a disk of another machine", () => {
  it("is not over because this one has space, until it was not reported for a day", async () => {
    const { operatorConditions } = app.storage;
    const at = app.now();
    const id = "disk git elsewhere";
    await operatorConditions.apply(id, "Full.", { id: app.newId(), at }, at);
    assert.deepEqual((await told()).mails, [`Attention: ${id}`]);
    clock.advance(2 * hourMs);
    assert.ok(!(await told()).mails.includes(`Over: ${id}`));
    clock.advance(25 * hourMs);
    assert.ok((await told()).mails.includes(`Over: ${id}`));
  });
});

describe("an administrator", () => {
  it("who is suspended or not one any more gets no mail", async () => {
    const { raw } = app.storage.database;
    await raw.collection("users").updateOne({ _id: admin.id as never }, { $set: { isAdministrator: false } });
    clock.advance(25 * hourMs);
    assert.deepEqual(await told(), { mails: [], webhooks: ["condition.continues"] });
  });
});
