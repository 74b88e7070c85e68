/** Audit logs that are sent to a receiver, as signed webhooks. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { limits } from "../../contract/limits.ts";
import type { AttentionPayload } from "../../contract/payloads/organizations/attention.ts";
import type {
  AuditEntryPayload,
  AuditForwardingSettingPayload,
} from "../../contract/payloads/organizations/audit.ts";
import { forwardAuditLog, queueForwarding } from "../../src/audit/forwarding/forward.ts";
import { findConditions } from "../../src/operations/notices/find-conditions.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { newFolder, newMember, publishSkill } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { closedAfter, setUpOrganization } from "../support/set-up.ts";

/** Verifies a message as at its own time: the clock of the service is ahead. */
function verify({ headers, body }: Message, secret: string): void {
  const { now } = Date;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    new Webhook(secret).verify(body, headers);
  } finally {
    Date.now = now;
  }
}

/** The owner's session, with a recent verification. */
async function verified(): Promise<TestUser> {
  const answer = await service.call("POST", "/api/auth/reauthenticate", {
    cookie: owner.cookie,
    body: { password: "correct horse battery" },
  });
  assert.equal(answer.status, 200, answer.error);
  const [renewed] = answer.headers.getSetCookie();
  if (renewed !== undefined) owner.cookie = renewed.split(";")[0]!;
  return owner;
}

interface Message {
  headers: Record<string, string>;
  body: string;
}

const received: Message[] = [];
let status = 204;
let hold: Promise<void> | undefined;
const receiver = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    received.push({ headers: request.headers as Record<string, string>, body });
    void Promise.resolve(hold).then(() =>
      response.writeHead(status, { location: "/elsewhere" }).end("secret"),
    );
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
await closedAfter({ close: () => receiver.close() });
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/audit`;

const { service, clock, owner, org } = await setUpOrganization({
  reportsCommands: true,
  webhookPrivateNetwork: true,
});
const { app } = service;
const path = `/api/tenants/${org.slug}/audit-log/forwarding`;
const set = (user: TestUser, body: object, at = path) =>
  service.call<AuditForwardingSettingPayload>("PUT", at, { cookie: user.cookie, body });
const read = async () =>
  (await service.call<AuditForwardingSettingPayload>("GET", path, { cookie: owner.cookie })).data.forwarding!;
const entriesOf = ({ body }: Message) =>
  (JSON.parse(body) as { data: { entries: AuditEntryPayload[] } }).data.entries;
const actionsSent = () =>
  received.flatMap(entriesOf).map(({ action, resourceId }) => `${action} ${resourceId}`);

/** Delivers what waits, at the time at which the next attempt is due. */
async function forward(): Promise<void> {
  await service.settled();
  await forwardAuditLog(app, org.id);
}

async function addFolder(name: string): Promise<string> {
  const { id } = await newFolder(service, org, owner, name);
  await service.settled();
  return `folder.created ${id}`;
}

/** The items about receivers in the list of what needs a user. */
async function needed({ token }: TestUser): Promise<AttentionPayload["items"]> {
  const answer = await service.call<AttentionPayload>("GET", `/api/tenants/${org.slug}/attention`, { token });
  return answer.data.items.filter(({ kind }) => kind === "audit_forwarding");
}

describe("the receiver of an audit log", () => {
  let secret: string;

  it("gets what is recorded from then on, signed, in order and once", async () => {
    await addFolder("before");
    const answer = await set(owner, { url });
    assert.equal(answer.status, 200, answer.error);
    secret = answer.data.secret!;
    assert.equal(answer.data.forwarding?.state, "working");
    const added = [await addFolder("a"), await addFolder("b"), await addFolder("c")];
    await forward();
    await forward();

    assert.deepEqual(actionsSent(), [`organization.audit_forwarding_changed ${org.id}`, ...added]);
    for (const message of received) verify(message, secret);
    assert.throws(() => verify({ ...received[0]!, body: `${received[0]!.body} ` }, secret));
    assert.equal((await read()).waiting, 0);
  });

  it("gets what is done with skills", async () => {
    received.length = 0;
    const { id } = await publishSkill(service, org, owner, { name: "forwarded" });
    await forward();
    assert.ok(actionsSent().includes(`skill.created ${id}`), actionsSent().join());
  });

  it("gets everything after an outage, in order, and the failure is shown without its text", async () => {
    received.length = 0;
    for (const refusal of [500, 302]) {
      status = refusal;
      await addFolder(`during-${refusal}`);
      await forward();
      const { state, error, waiting, oldestAt } = await read();
      assert.deepEqual([state, error], ["failing", `The receiver responded with status ${refusal}.`]);
      assert.ok(waiting > 0 && oldestAt !== null);
      const attempts = received.length;
      await forward();
      assert.equal(received.length, attempts, "the next attempt is not due");
      assert.equal((await needed(owner)).length, refusal === 302 ? 1 : 0);
      clock.advance(3_600_000);
    }
    const [item] = await needed(owner);
    assert.match(item!.message, /fails: The receiver responded with status 302\.$/);
    assert.deepEqual(await needed(await newMember(service, org, "admin")), [item]);
    assert.deepEqual(await needed(await newMember(service, org, "member")), []);
    const texts = (await findConditions(app)).map(({ text }) => text);
    assert.ok(texts.includes("1 receiver of an audit log has failed for an hour."), texts.join());
    status = 204;
    received.length = 0;
    await forward();
    assert.equal(actionsSent().length, 2);
    assert.deepEqual([(await read()).state, (await read()).error], ["working", null]);
    assert.deepEqual(await needed(owner), []);
  });

  it("gets no message twice at a time from concurrent deliveries", async () => {
    received.length = 0;
    let release = () => {};
    hold = new Promise((resolve) => (release = resolve));
    const added = await addFolder("held");
    const running = Promise.all([1, 2, 3].map(() => forwardAuditLog(app, org.id)));
    await new Promise((resolve) => setTimeout(resolve, 200));
    release();
    hold = undefined;
    await running;
    assert.deepEqual(actionsSent(), [added]);
  });

  it("gets many entries in messages of at most a hundred", async () => {
    received.length = 0;
    const { raw } = app.storage.database;
    const rows = await raw.collection("audit_events").find({ tenantId: org.id }).limit(1).toArray();
    const copies = Array.from({ length: 250 }, () => ({ ...rows[0], _id: app.newId(), forwarding: true }));
    await raw.collection<{ _id: string }>("audit_events").insertMany(copies);
    await forward();
    assert.deepEqual(
      received.map((one) => entriesOf(one).length),
      [100, 100, 50],
    );
    assert.equal(limits.auditForwardingBatch, 100);
  });

  it("is found again when the queue has lost its job", async () => {
    received.length = 0;
    const added = await addFolder("lost");
    received.length = 0;
    await app.storage.database.raw
      .collection("audit_events")
      .updateMany({ tenantId: org.id, name: "folder.created" }, { $set: { forwarding: true } });
    await queueForwarding(app);
    await forward();
    assert.ok(actionsSent().includes(added));
  });

  it("is set by those who manage the security, after a recent verification", async () => {
    const member = await newMember(service, org, "member");
    assert.equal((await set(member, { url })).code, "forbidden");
    assert.equal((await set(await service.newUser(), { url })).code, "not_found");
    clock.advance(limits.recentVerificationMs + 1000);
    assert.equal((await set(owner, { url: `${url}2` })).code, "reauthentication_required");
    assert.equal(
      (await service.call("DELETE", path, { cookie: owner.cookie })).code,
      "reauthentication_required",
    );
    const byToken = await service.call("PUT", path, { token: member.token, body: { url } });
    assert.equal(byToken.code, "forbidden");
  });

  it("must be an address without credentials, of a protocol that is known", async () => {
    await verified();
    for (const wrong of [
      "syslog+tls://siem.example.com?query",
      "ftp://siem.example.com/",
      "https://user:password@siem.example.com/",
      "syslog+tls://siem.example.com/path",
      "syslog+tls://user@siem.example.com",
      "syslog://siem.example.com",
      "https://siem.example.com/#part",
      "/audit",
      "",
    ])
      assert.equal((await set(owner, { url: wrong })).code, "invalid_request", wrong);
  });

  it("is stored without the white space and upper case that parsers ignore", async () => {
    const answer = await set(owner, { url: ` HTTP${url.slice("http".length)}\n` });
    assert.equal(answer.data.forwarding?.url, url);
  });

  it("keeps its secret until a new one is asked for, and shows it once", async () => {
    assert.equal((await set(owner, { url })).data.secret, null);
    const renewed = await set(owner, { url, newSecret: true });
    assert.ok(renewed.data.secret !== null && renewed.data.secret !== secret);
    const stored = await app.storage.tenants.find(org.id);
    assert.ok(!JSON.stringify(stored).includes(renewed.data.secret));
    received.length = 0;
    const tested = await service.call("POST", `${path}/test`, { cookie: owner.cookie });
    assert.equal(tested.status, 200, tested.error);
    assert.deepEqual(entriesOf(received[0]!), []);
    verify(received[0]!, renewed.data.secret);
    status = 410;
    const failed = await service.call("POST", `${path}/test`, { cookie: owner.cookie });
    assert.deepEqual([failed.code, /410/.test(failed.error ?? "")], ["refused", true]);
    status = 204;
  });

  it("gets what is older than the retention, as long as it waits", async () => {
    const { raw } = app.storage.database;
    const events = raw.collection<{ _id: string }>("audit_events");
    const [template] = await events
      .find({ tenantId: org.id }, { projection: { forwarding: 0 } })
      .limit(1)
      .toArray();
    const old = (days: number, forwarding: object) => ({
      ...template,
      ...forwarding,
      _id: app.newId(),
      createdAt: new Date(app.now().getTime() - days * 86_400_000),
    });
    const rows = [old(91, { forwarding: true }), old(91, {}), old(181, { forwarding: true })];
    await events.insertMany(rows);
    await purge(app);
    const ids = rows.map(({ _id }) => _id);
    assert.deepEqual(
      (await events.find({ _id: { $in: ids } }).toArray()).map(({ _id }) => _id),
      ids.slice(0, 1),
    );
    received.length = 0;
    await forward();
    const sent = received.flatMap(entriesOf).map(({ id }) => id);
    assert.deepEqual(
      ids.map((id) => sent.includes(id)),
      [true, false, false],
    );
    await purge(app);
    assert.equal(await events.countDocuments({ _id: { $in: ids } }), 0);
  });

  it("reads by an index", async () => {
    await addFolder("indexed");
    const plans = await plansOf(service, async () => {
      await forward();
      await queueForwarding(app);
      await read();
    });
    assertIndexed(plans, 300);
  });

  it("gets nothing after its end, also not what waited", async () => {
    const again = await verified();
    await addFolder("unsent");
    received.length = 0;
    const ended = await service.call<AuditForwardingSettingPayload>("DELETE", path, { cookie: again.cookie });
    assert.deepEqual([ended.status, ended.data.forwarding], [200, null]);
    await addFolder("later");
    await forward();
    assert.deepEqual(actionsSent(), []);
    const { raw } = app.storage.database;
    assert.equal(await raw.collection("audit_events").countDocuments({ forwarding: true }), 0);
  });
});

describe("a receiver that does not end", () => {
  it("has 15 seconds, also if it sends its response byte by byte", async () => {
    const sockets = new Set<Socket>();
    const drip = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const timer = setInterval(() => response.write("."), 200);
      response.once("close", () => clearInterval(timer));
    }).on("connection", (socket) => sockets.add(socket));
    const silent = createTcpServer((socket) => void sockets.add(socket.on("error", () => {})));
    const ports = await Promise.all(
      [drip, silent].map(async (server) => {
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        return (server.address() as AddressInfo).port;
      }),
    );
    const again = await verified();
    const started = performance.now();
    const answers = await Promise.all(
      [`http://127.0.0.1:${ports[0]}/`, `syslog+tls://127.0.0.1:${ports[1]}`].map(async (target) => {
        const slow = await service.newOrg(again);
        const at = `/api/tenants/${slow.slug}/audit-log/forwarding`;
        assert.equal((await set(again, { url: target }, at)).status, 200);
        return service.call("POST", `${at}/test`, { cookie: again.cookie });
      }),
    );
    for (const socket of sockets) socket.destroy();
    for (const server of [drip, silent]) server.close();
    for (const { code, error } of answers)
      assert.deepEqual([code, error], ["refused", "The receiver took longer than 15 seconds."]);
    assert.ok(performance.now() - started < 20_000);
  });
});

describe("a receiver on a private network", () => {
  it("is refused unless the operator allows it", async () => {
    app.config.webhookPrivateNetwork = false;
    const again = await verified();
    assert.equal((await set(again, { url })).code, "invalid_request");
    for (const receiverUrl of ["https://127.0.0.1/audit", "https://[::1]/", "syslog+tls://10.0.0.1:6514"]) {
      assert.equal((await set(again, { url: receiverUrl })).status, 200);
      const tested = await service.call("POST", `${path}/test`, { cookie: again.cookie });
      assert.equal(tested.code, "refused", receiverUrl);
    }
  });
});
