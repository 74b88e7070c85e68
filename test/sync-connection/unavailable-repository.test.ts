/**
 * Connections whose repository, or what the service needs to reach it, is removed: on this machine, or by its operator.
 */
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { describe, it } from "node:test";
import type { Config } from "../../src/config.ts";
import { pollConnections } from "../../src/sync/triggers/poll.ts";
import type { ConnectionHost } from "../../storage/connections/connections.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, startCustomers, type Customer } from "../support/sync/customers.ts";
import { hourMs } from "../support/sync/hosted.ts";

const customers = await closedAfter(startCustomers());

async function connected(): Promise<Customer & { id: string; bare: string }> {
  const customer = await customers.newCustomer();
  const bare = customers.newRepository(customer, "skills.git", { "notes.txt": "theirs\n" });
  const made = await customers.connect(customer, { host: "local", url: "skills.git" });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await customers.service.settled();
  await runConnection(customers.service.app, made.data.id);
  return { ...customer, bare, id: made.data.id };
}

/**
 * An hour or two later: a poll of the connections, and the syncs that it requests. Returns the errors that were logged.
 */
async function look(id: string, config: Partial<Config> = {}): Promise<unknown[]> {
  customers.wait(2 * hourMs);
  const { app } = customers.service;
  const errors: unknown[] = [];
  const log = Object.assign(Object.create(app.log) as typeof app.log, {
    error: (...args: unknown[]) => void errors.push(args),
  });
  const configured = { ...app, log, config: { ...app.config, ...config } };
  await pollConnections(configured);
  await customers.service.settled();
  const { wanted, done } = (await app.storage.connections.find(id))!;
  if (wanted > done) await runConnection(configured, id);
  return errors;
}

describe("a bare repository that is moved away", () => {
  it("is reported as missing without any change, and continues once it is back", async () => {
    const customer = await connected();
    renameSync(customer.bare, `${customer.bare}.away`);

    for (let i = 0; i < 2; i++) assert.deepEqual(await look(customer.id), []);

    const { status, problem } = (await customers.state(customer)).connection!;
    assert.deepEqual([status, problem?.code], ["blocked", "remote_missing"]);
    assert.match(problem!.message, /^There is no bare repository ".*" on the service's machine\. Restore it/);
    renameSync(`${customer.bare}.away`, customer.bare);
    assert.deepEqual(await look(customer.id), []);
    assert.equal((await customers.state(customer)).connection!.status, "active");
  });
});

describe("a setting that the operator removes", () => {
  const local = { kind: "local", fullName: "x", url: "x" } as const;
  const cases: [what: string, code: string, config: Partial<Config>, host?: ConnectionHost][] = [
    ["the folder of local repositories", "host_not_offered", { localRepositories: undefined }],
    ["the App", "host_not_offered", {}, { ...local, kind: "github-app", repositoryId: "1" }],
    ["private networks", "remote_forbidden", {}, { ...local, repositoryId: "http://10.0.0.1/x.git" }],
  ];
  for (const [what, code, config, host] of cases)
    it(`blocks connections with a remedy: ${what}`, async () => {
      const customer = await connected();
      if (host)
        await customers.service.app.storage.database.raw
          .collection<{ _id: string }>("connections")
          .updateOne({ _id: customer.id }, { $set: { host } });

      assert.deepEqual(await look(customer.id, config), []);

      const { status, problem } = (await customers.state(customer)).connection!;
      assert.deepEqual([status, problem?.code], ["blocked", code]);
      assert.match(problem!.message, /operator .* or disconnect and connect/);
      assert.equal((await customers.service.call("DELETE", customer.base, as(customer))).status, 200);
      await customers.service.settled();
      assert.equal((await customers.state(customer)).connection, null);
    });
});
