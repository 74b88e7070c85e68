/** A connection whose member leaves the organization, or loses the permission to connect. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { pollConnections } from "../../src/sync/triggers/poll.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { runGit } from "../support/host/git-host.ts";
import { takeMails } from "../support/mailbox.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, startCustomers, type Customer } from "../support/sync/customers.ts";
import { edited } from "../support/sync/hosted.ts";

const customers = await closedAfter(startCustomers());
const { service } = customers;

interface Connected {
  customer: Customer;
  connector: TestUser;
  bare: string;
  run(): Promise<void>;
}

/** A repository that an administrator, who is not an owner, connected, with one skill. */
async function connectedByAdmin(): Promise<Connected> {
  const customer = await customers.newCustomer();
  const connector = await newMember(service, customer.org, "admin");
  const bare = customers.newRepository(customer, "r.git", {
    "skills/theirs/SKILL.md": edited("theirs", "one"),
  });
  const answer = await service.call<{ id: string }>("POST", customer.base, {
    token: connector.token,
    body: { host: "local", url: "r.git" },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const run = async () => {
    await service.settled();
    await service.call("POST", `${customer.base}/run`, as(customer));
    await service.settled();
    await runConnection(service.app, answer.data.id);
  };
  await run();
  takeMails(service.app);
  return { customer, connector, bare, run };
}

const versionsOf = async (customer: Customer) =>
  (
    await service.call<VersionPayload[]>(
      "GET",
      `/api/skills/${customer.org.slug}~theirs/versions`,
      as(customer),
    )
  ).data;

describe("a connection whose member has left", () => {
  it("pauses imports, keeps pushing, notifies the owners once, and is taken over in one call", async () => {
    const { customer, connector, bare, run } = await connectedByAdmin();
    const viewer = await newMember(service, customer.org, "viewer");
    const narrowed = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      ...as(customer),
      body: { name: "sync", scopes: { githubSync: ["manage"] } },
    });
    const left = await service.call(
      "DELETE",
      `/api/tenants/${customer.org.id}/members/${connector.id}`,
      as(customer),
    );
    assert.equal(left.status, 200, JSON.stringify(left.body));
    customers.commitTo(bare, "skills/theirs/SKILL.md", edited("theirs", "two"));
    customers.commitTo(bare, "skills/fresh/SKILL.md", edited("fresh", "new"));
    await customers.publish(customer, "Ours");

    await run();
    const waiting = await customers.state(customer);
    assert.deepEqual(
      [waiting.connection!.status, waiting.connection!.problem?.code],
      ["blocked", "connector_gone"],
    );
    assert.match(waiting.connection!.problem!.message, new RegExp(`^@${connector.username}, who connected`));
    assert.deepEqual(
      waiting.skillProblems
        .map(({ path, problem }) => `${path} ${problem.code}`)
        .toSorted((a, b) => (a < b ? -1 : 1)),
      ["skills/fresh connector_gone", "skills/theirs connector_gone"],
    );
    assert.equal((await versionsOf(customer)).length, 1);
    assert.match(runGit(bare, "ls-tree", "-r", "--name-only", "main"), /skills\/ours\/SKILL\.md/);
    assert.match(runGit(bare, "show", "main:skills/theirs/SKILL.md"), /two/);
    assert.deepEqual(
      takeMails(service.app).map(({ to, subject }) => [
        to,
        /^The repository of .* needs another member$/.test(subject),
      ]),
      [[`${customer.owner.username}@example.com`, true]],
    );
    await run();
    customers.wait(10 * 60_000);
    await pollConnections(service.app);
    assert.deepEqual(takeMails(service.app), [], "mailed again");

    const takeOver = (token: string) => service.call("POST", `${customer.base}/takeover`, { token });
    for (const token of [viewer.token, narrowed.data.token])
      assert.equal((await takeOver(token)).code, "forbidden");
    assert.equal((await takeOver(customer.owner.token)).status, 200);
    assert.equal((await takeOver(customer.owner.token)).status, 200, "again changes nothing");
    await run();
    const { connection, skillProblems } = await customers.state(customer);
    assert.deepEqual(
      [connection!.status, connection!.problem, connection!.connectedBy.username, skillProblems],
      ["active", null, customer.owner.username, []],
    );
    const [newest, ...others] = await versionsOf(customer);
    assert.deepEqual([newest!.author?.username, others.length], [customer.owner.username, 1]);
    const log = await service.call<{ entries: { metadata: Record<string, unknown> }[] }>(
      "GET",
      `/api/tenants/${customer.org.id}/audit-log?action=repohost_sync.update`,
      as(customer),
    );
    assert.deepEqual(
      log.data.entries.map(({ metadata }) => metadata["changes"]),
      [{ connectedBy: { from: connector.username, to: customer.owner.username } }],
    );
  });
});

describe("a connection whose member has a different role", () => {
  it("is paused by the next poll of its branch, and continues once the member may connect again", async () => {
    const { customer, connector, run } = await connectedByAdmin();
    const member = `/api/tenants/${customer.org.id}/members/${connector.id}`;
    const setRole = (role: string) => service.call("PATCH", member, { ...as(customer), body: { role } });
    const look = async () => {
      customers.wait(10 * 60_000);
      await pollConnections(service.app);
      await service.settled();
      const found = (await service.app.storage.connections.findOfTenant(customer.org.id))!;
      if (found.wanted > found.done) await runConnection(service.app, found._id);
      return (await customers.state(customer)).connection!;
    };
    assert.equal((await look()).status, "active");

    assert.equal((await setRole("member")).status, 200);
    assert.equal((await look()).problem?.code, "connector_gone");
    assert.equal((await setRole("admin")).status, 200);
    assert.equal((await look()).status, "active");
    await run();
    assert.equal((await customers.state(customer)).connection!.problem, null);
  });
});

describe("a connection whose member is suspended", () => {
  it("imports nothing, although the membership goes on", async () => {
    const { customer, connector, bare, run } = await connectedByAdmin();
    const suspended = { at: service.app.now(), by: { userId: "x", username: "chief" }, reason: "spam" };
    assert.notEqual(await service.app.storage.users.suspend(connector.id, suspended, []), null);
    customers.commitTo(bare, "skills/theirs/SKILL.md", edited("theirs", "two"));

    await run();

    const { connection } = await customers.state(customer);
    assert.equal(connection!.problem?.code, "connector_gone");
    assert.equal((await versionsOf(customer)).length, 1);
  });
});
