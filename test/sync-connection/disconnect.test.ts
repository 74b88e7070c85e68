/** Disconnecting during requests to the host: at each request of a sync, of a poll and of a plan. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionPayload } from "../../contract/payloads/sync.ts";
import { pollConnections } from "../../src/sync/triggers/poll.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { newOrganization } from "../support/set-up.ts";
import { edited } from "../support/sync/hosted.ts";
import { setUpGitHub } from "../support/sync/set-up-github.ts";

/** Longer than the pause between two polls of a connection. */
const quietMs = 700;
const { service, stub, clock } = await setUpGitHub({});

type Customer = Awaited<ReturnType<typeof connected>>;
let made = 0;

/** A connection with something to import and something to export. */
async function connected() {
  const { owner, org } = await newOrganization(service);
  const base = `/api/tenants/${org.id}/repo-sync`;
  const repository = await stub.newRepository(`acme/ended-${made++}`);
  repository.repo.commit({ "skills/theirs/SKILL.md": edited("theirs", "one") });
  const body = {
    host: "github-token",
    repository: repository.fullName,
    token: stub.newToken([repository]),
  };
  const as = { token: owner.token };
  await service.call("POST", "/api/skills", {
    ...as,
    body: { tenantId: org.id, name: "Ours", content: "text\n" },
  });
  const connect = () => service.call<ConnectionPayload>("POST", base, { ...as, body });
  const answer = await connect();
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  await service.settled();
  return { as, org, base, repository, connect, id: answer.data.id };
}

const skillsOf = async ({ as, org }: Customer) =>
  (await service.call<unknown[]>("GET", `/api/skills?tenant_id=${org.id}`, as)).data.length;

/**
 * Disconnects at the n-th request of an operation, to which the host does not respond. Returns false if there are fewer
 * requests.
 */
async function disconnectAt(
  number: number,
  work: (customer: Customer) => Promise<unknown>,
): Promise<boolean> {
  const customer = await connected();
  const first = stub.requests.length;
  const met: { ending?: ReturnType<typeof disconnect> } = {};
  const disconnect = () => service.call<{ webhook: string }>("DELETE", customer.base, customer.as);
  stub.onRequest(async (count, closed) => {
    if (count !== first + number) return;
    met.ending = disconnect();
    await closed;
  });
  const over = new AbortController();
  const working = work(customer)
    .catch(() => undefined)
    .finally(() => over.abort());
  while (!over.signal.aborted && met.ending === undefined) await sleep(20);
  if (met.ending === undefined) {
    stub.onRequest(undefined);
    await disconnect();
    return false;
  }
  const ended = await met.ending;
  const [requests, skills] = [stub.requests.length, await skillsOf(customer)];
  stub.onRequest(undefined);
  await working;
  await sleep(quietMs);
  await service.settled();

  assert.deepEqual([ended.status, ended.data], [200, { webhook: "removed" }], JSON.stringify(ended.body));
  assert.deepEqual(stub.requests.slice(requests), [], `requests after the response, at request ${number}`);
  assert.equal(await skillsOf(customer), skills, "imported after the response");
  assert.deepEqual(customer.repository.hooks, []);
  assert.equal(await service.app.storage.connections.find(customer.id), null);
  assert.equal((await customer.connect()).status, 201, "connected again at once");
  await disconnect();
  return true;
}

/** Disconnects at each request of the operation; returns their number. */
async function disconnectAtEach(work: (customer: Customer) => Promise<unknown>): Promise<number> {
  for (let number = 1; ; number++) if (!(await disconnectAt(number, work))) return number - 1;
}

describe("a disconnect whose response was sent", () => {
  it("stops all later requests of a sync to the host", async () => {
    const requests = await disconnectAtEach((customer) => runConnection(service.app, customer.id));

    assert.ok(requests >= 5, `${requests} requests`);
  });

  it("stops all later requests of a poll to the host, including the renewal of its webhook", async () => {
    const poll = () => {
      clock.aheadMs += 25 * 3_600_000;
      return pollConnections(service.app);
    };

    assert.ok(await disconnectAt(1, poll));
    assert.ok(await disconnectAt(4, poll));
  });

  it("stops all later requests of a plan to the host", async () => {
    const plan = (customer: Customer) => service.call("GET", `${customer.base}/plan`, customer.as);

    assert.ok(await disconnectAt(1, plan));
    assert.ok(await disconnectAt(3, plan));
  });

  it("stops all later requests when two run concurrently, and the second finds no connection", async () => {
    const customer = await connected();
    const answers = await Promise.all([1, 2].map(() => service.call("DELETE", customer.base, customer.as)));

    const codes = answers.map(({ status, code }) => code ?? `${status}`).toSorted();
    assert.deepEqual(codes, ["200", "not_found"]);
  });
});

describe("a disconnect whose process was killed", () => {
  it("is in the audit log once another request has completed it", async () => {
    const { as, org, base, id } = await connected();
    const { connections, auditEvents } = service.app.storage;
    const event: EventRow = {
      _id: service.app.newId(),
      name: "repohost_sync.disconnect",
      tenantId: org.id,
      actor: { type: "user", id: null, name: "killed" },
      resourceType: "repository",
      resourceId: id,
      metadata: {},
      createdAt: service.app.now(),
    };
    await connections.disconnect(org.id, service.app.now(), [event]);

    assert.equal((await service.call("DELETE", base, as)).status, 200);

    assert.equal(await connections.find(id), null);
    const logged = await auditEvents.list({ log: { tenantId: org.id }, from: new Date(0) }, 0, 100);
    assert.ok(logged.some(({ _id }) => _id === event._id));
  });
});

describe("an operation that does not end", () => {
  it("makes the disconnect unavailable with the reason, until it ends", async () => {
    const customer = await connected();
    const { connections } = service.app.storage;
    const inAMinute = () => new Date(service.app.now().getTime() + 60_000);
    assert.ok(
      await connections.takeLease(customer.id, "a process that hangs", inAMinute(), service.app.now()),
    );

    const waiting = await service.call("DELETE", customer.base, customer.as);
    assert.deepEqual([waiting.status, waiting.code], [503, "unavailable"]);
    assert.match(waiting.error!, /has not ended yet: disconnect again in a minute\.$/);
    const refused = await customer.connect();
    assert.match(refused.error!, /still being disconnected, since work on it has not ended yet/);
    clock.aheadMs += 61_000;
    assert.equal((await service.call("DELETE", customer.base, customer.as)).status, 200);
    assert.equal((await customer.connect()).status, 201);
  });
});
