/** Changes at GitHub to a connected repository: names, owners, the default branch, and a token's permissions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConnectionPayload, RepositorySyncPayload } from "../../contract/payloads/sync.ts";
import { pollConnections } from "../../src/sync/triggers/poll.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { runGit } from "../support/host/git-host.ts";
import { delivery, type StubRepository } from "../support/host/github-stub.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { newOrganization } from "../support/set-up.ts";
import { setUpGitHub } from "../support/sync/set-up-github.ts";

const { service, stub, clock } = await setUpGitHub({ proof: "none" });

interface Connected {
  owner: TestUser;
  org: TestOrg;
  repository: StubRepository;
  token: string;
  id: string;
  base: string;
}

async function connected(name: string, by: "token" | "app", webhooks = true): Promise<Connected> {
  const { owner, org } = await newOrganization(service);
  const repository = await stub.newRepository(name, { installed: by === "app" });
  repository.repo.commit({ "a.txt": "1\n" });
  const token = stub.newToken([repository], { webhooks });
  const how = by === "app" ? { host: "github-app" } : { host: "github-token", token };
  const base = `/api/tenants/${org.id}/repo-sync`;
  const answer = await service.call<ConnectionPayload>("POST", base, {
    token: owner.token,
    body: { ...how, repository: name },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  await service.settled();
  await runConnection(service.app, answer.data.id);
  return { owner, org, repository, token, id: answer.data.id, base };
}

async function stateOf({ base, owner }: Connected): Promise<ConnectionPayload> {
  const { data } = await service.call<RepositorySyncPayload>("GET", base, { token: owner.token });
  return data.connection!;
}

async function publishAndRun(customer: Connected, name: string): Promise<void> {
  const { status } = await service.call("POST", "/api/skills", {
    token: customer.owner.token,
    body: { tenantId: customer.org.id, name, content: `# ${name}\n` },
  });
  assert.equal(status, 201);
  await service.settled();
  await runConnection(service.app, customer.id);
}

describe("a connected repository at GitHub", () => {
  for (const by of ["token", "app"] as const)
    it(`that is renamed continues under its new name, and a new repository of the old name gets nothing (${by})`, async () => {
      const customer = await connected(`acme/before-${by}`, by);
      stub.rename(customer.repository, `globex/after-${by}`);
      const thief = await stub.newRepository(`acme/before-${by}`, { installed: true });
      thief.repo.commit({ "mine.txt": "mine\n" });

      await publishAndRun(customer, "Kept");

      const state = await stateOf(customer);
      assert.deepEqual([state.status, state.problem], ["active", null]);
      assert.equal(state.repository, `globex/after-${by}`);
      assert.equal(state.url, `${stub.url}/globex/after-${by}`);
      assert.ok(customer.repository.repo.paths().includes("skills/kept/SKILL.md"));
      assert.deepEqual(thief.repo.paths(), ["mine.txt"]);
    });

  it("that an App loses to another owner is blocked, with the reason", async () => {
    const customer = await connected("acme/given-away", "app");
    stub.rename(customer.repository, "globex/given-away");
    customer.repository.installationId = 1;

    await publishAndRun(customer, "Held");

    const state = await stateOf(customer);
    assert.deepEqual([state.status, state.problem?.code], ["blocked", "remote_missing"]);
    assert.deepEqual(customer.repository.repo.paths(), ["a.txt", "skills/README.md"]);
  });

  it("whose default branch is renamed is reported with the new name", async () => {
    const customer = await connected("acme/branches", "token");
    runGit(customer.repository.repo.directory, "branch", "-m", "main", "trunk");
    customer.repository.defaultBranch = "trunk";

    await publishAndRun(customer, "Waits");

    const state = await stateOf(customer);
    assert.deepEqual([state.status, state.problem?.code], ["blocked", "branch_missing"]);
    assert.equal(
      state.problem?.message,
      "The repository has no branch main (its default branch is trunk): create it, or disconnect and connect another one.",
    );
  });
});

describe("a webhook that GitHub did not let the service create", () => {
  it("is created later, and then reports pushes", async () => {
    const customer = await connected("acme/untold", "token", false);
    const asks = () => stub.asked.filter(({ method, path }) => method !== "PATCH" && path.endsWith("/hooks"));
    assert.equal((await stateOf(customer)).notified, false);
    stub.allowWebhooks(customer.token);
    const asked = asks().length;
    clock.aheadMs += 20 * 60_000;
    await pollConnections(service.app);
    assert.equal(asks().length, asked, "not before its time");

    clock.aheadMs += 60 * 60_000;
    await pollConnections(service.app);

    assert.equal((await stateOf(customer)).notified, true);
    const [hook, ...others] = customer.repository.hooks;
    assert.deepEqual(others, []);
    const { wanted } = (await service.app.storage.connections.find(customer.id))!;
    const { headers, bytes } = delivery(hook!.secret, {
      repositoryId: customer.repository.id,
      ref: "refs/heads/main",
    });
    const answer = await service.raw("POST", new URL(hook!.url).pathname + new URL(hook!.url).search, {
      bytes,
      headers,
    });
    assert.equal(answer.status, 200);
    assert.equal((await service.app.storage.connections.find(customer.id))!.wanted, wanted + 1);
    clock.aheadMs += 2 * 60 * 60_000;
    const made = asks().length;
    await pollConnections(service.app);
    assert.equal(asks().length, made, "made once");
  });
});
