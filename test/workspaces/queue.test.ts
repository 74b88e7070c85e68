import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startWorkers } from "../../workers/start.ts";
import type { Consumers } from "../../src/queue/index.ts";
import { makeWorld as makeOrganization } from "../orgs/world.ts";
import { startService, type TestService, type TestUser } from "../support/service.ts";
import type { WorkspacePayload } from "../../contract/payloads-workspaces.ts";

let service: TestService;
let workers: Consumers;
before(async () => {
  service = await startService();
  workers = await startWorkers(service.app);
});
after(async () => {
  await workers.close();
  await service.close();
});

async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; await sleep(50)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`${what} did not come to be`);
}

describe("workspaces, by the queue alone", () => {
  it("are made on enabling and on joining, kept on leaving, and deleted when asked to", async () => {
    const world = await makeOrganization(service);
    const base = `/api/tenants/${world.org.id}/personal-workspaces`;
    const send = (user: TestUser, method: string, target: string, body?: object) =>
      service.call(method, target, { token: user.token, ...(body ? { body } : {}) });
    const stateOf = async (user: TestUser) => {
      const list = await service.call<WorkspacePayload[]>("GET", `${base}/members`, {
        token: world.owner.token,
      });
      return list.data.find((one) => one.userId === user.id)?.state;
    };
    assert.equal((await send(world.owner, "POST", `${base}/enable`, {})).status, 200);
    await until("the owner's workspace", async () => (await stateOf(world.owner)) === "provisioned");

    const alice = await service.newUser();
    const { token } = await world.invite(world.owner, `${alice.username}@example.com`);
    const accepted = await send(alice, "POST", `/api/invitations/${token}/accept`);
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    await until("the new member's workspace", async () => (await stateOf(alice)) === "provisioned");

    await send(alice, "DELETE", `/api/tenants/${world.org.id}/members/${alice.id}`);
    await until("the left workspace", async () => (await stateOf(alice)) === "left");

    assert.equal((await send(world.owner, "DELETE", `${base}/members/${alice.id}`)).status, 200);
    await until("its end", async () => (await stateOf(alice)) === undefined);
  });
});
