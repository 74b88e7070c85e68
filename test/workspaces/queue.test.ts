import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { WorkspacePayload } from "../../contract/payloads/organizations/workspaces.ts";
import { startWorkers } from "../../workers/start.ts";
import { makeFixture as makeOrganization } from "../orgs/fixture.ts";
import { startService, type TestUser } from "../support/service.ts";
import { until } from "../support/until.ts";

const service = await startService({ ownQueue: true });
const workers = await startWorkers(service.app);

after(async () => {
  await workers.close();
  await service.close();
});

describe("workspaces, managed by the queue alone", () => {
  it("are created on enabling and on joining, kept on leaving, and deleted on request", async () => {
    const fixture = await makeOrganization(service);
    const base = `/api/tenants/${fixture.org.id}/personal-workspaces`;
    const send = (user: TestUser, method: string, target: string, body?: object) =>
      service.call(method, target, { token: user.token, body });
    const stateOf = async (user: TestUser) => {
      const list = await service.call<WorkspacePayload[]>("GET", `${base}/members`, {
        token: fixture.owner.token,
      });
      return list.data.find((one) => one.userId === user.id)?.state;
    };
    assert.equal((await send(fixture.owner, "POST", `${base}/enable`, {})).status, 200);
    await until("the owner's workspace", async () => (await stateOf(fixture.owner)) === "provisioned");

    const alice = await service.newUser();
    const { token } = await fixture.invite(fixture.owner, `${alice.username}@example.com`);
    const accepted = await send(alice, "POST", `/api/invitations/${token}/accept`);
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    await until("the new member's workspace", async () => (await stateOf(alice)) === "provisioned");

    await send(alice, "DELETE", `/api/tenants/${fixture.org.id}/members/${alice.id}`);
    await until("the left workspace", async () => (await stateOf(alice)) === "left");

    assert.equal((await send(fixture.owner, "DELETE", `${base}/members/${alice.id}`)).status, 200);
    await until("its end", async () => (await stateOf(alice)) === undefined);
  });
});
