/** Connections at GitHub and the deliveries of their webhooks: signed, forged, repeated, and unrelated. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import type { ConnectionPayload } from "../../contract/payloads/sync.ts";
import { proofTag } from "../../src/sync/connection/write-access-proof.ts";
import { pollConnections } from "../../src/sync/triggers/poll.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { delivery, type StubRepository } from "../support/host/github-stub.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { newCustomer, setUpGitHub } from "../support/sync/set-up-github.ts";

const secrets = ["the new secret of the App", "the old secret of the App"];
const { service, stub, clock } = await setUpGitHub({ proof: "tag", webhookSecrets: secrets });

interface Connected {
  owner: TestUser;
  org: TestOrg;
  repository: StubRepository;
  token: string;
  id: string;
  base: string;
}

let made = 0;
async function connectByToken(): Promise<Connected> {
  const customer = await newCustomer(service);
  const repository = await stub.newRepository(`acme/token-${made++}`);
  repository.repo.commit({ "a.txt": "1\n" });
  const token = stub.newToken([repository]);
  const body = { host: "github-token", repository: repository.fullName, token };
  const answer = await service.call<ConnectionPayload>("POST", customer.base, {
    token: customer.owner.token,
    body,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  assert.ok(!JSON.stringify(answer.body).includes(token));
  await service.settled();
  return { ...customer, repository, token, id: answer.data.id };
}

async function connectByApp(): Promise<Connected> {
  const customer = await newCustomer(service);
  const repository = await stub.newRepository(`acme/app-${made++}`, { installed: true });
  repository.repo.commit({ "a.txt": "1\n" });
  stub.tag(repository, proofTag(service.app, customer.org.id, repository.fullName));
  const body = { host: "github-app", repository: repository.fullName };
  const answer = await service.call<ConnectionPayload>("POST", customer.base, {
    token: customer.owner.token,
    body,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  await service.settled();
  return { ...customer, repository, token: "", id: answer.data.id };
}

const wantedOf = async ({ id }: { id: string }) => (await service.app.storage.connections.find(id))!.wanted;

interface Sending {
  to?: string;
  secret?: string;
  id?: string;
  ref?: string;
  after?: string;
  installationId?: number;
  change?: Record<string, string>;
  bytes?: Buffer;
}

async function send(connected: Connected, sending: Sending = {}): Promise<number> {
  const { repository } = connected;
  const { headers, bytes } = delivery(
    sending.secret ?? secrets[0]!,
    {
      repositoryId: repository.id,
      ref: sending.ref ?? "refs/heads/main",
      installationId: "installationId" in sending ? sending.installationId : repository.installationId,
      after: sending.after,
    },
    sending.id,
  );
  const answer = await service.raw("POST", `/api/webhooks/github${sending.to ?? ""}`, {
    bytes: sending.bytes ?? bytes,
    headers: { ...headers, ...sending.change },
  });
  await answer.text();
  return answer.status;
}

describe("a delivery of the App's webhook", () => {
  it("requests a sync of the connection, by either secret, and once", async () => {
    const app = await connectByApp();
    const first = await wantedOf(app);

    assert.equal(await send(app, { id: "one" }), 200);
    assert.equal(await send(app, { id: "two", secret: secrets[1]! }), 200);
    assert.equal(await wantedOf(app), first + 2);
    assert.equal(await send(app, { id: "one" }), 200);
    assert.equal(await wantedOf(app), first + 2, "a repeated delivery does nothing");
  });

  it("is rejected if it is forged, altered, or unsigned", async () => {
    const app = await connectByApp();
    const first = await wantedOf(app);
    const { headers } = delivery(secrets[0]!, { repositoryId: app.repository.id, ref: "refs/heads/main" });

    assert.equal(await send(app, { secret: "a guess at the secret" }), 401);
    assert.equal(await send(app, { change: { "x-hub-signature-256": "" } }), 401);
    assert.equal(await send(app, { change: { "x-hub-signature-256": "sha256=00" } }), 401);
    assert.equal(
      await send(app, { change: { "x-hub-signature-256": headers["x-hub-signature-256"]! } }),
      401,
    );
    assert.equal(await send(app, { bytes: Buffer.alloc(0) }), 401);
    assert.equal(
      await send(app, { to: `?connection=${app.id}` }),
      401,
      "the App's connection has no own hook",
    );
    assert.equal(await send(app, { to: "?connection=000000000000000000000000" }), 401);
    assert.equal(await send(app, { change: { "x-github-delivery": "a b" } }), 400);
    assert.equal(await wantedOf(app), first);
  });

  it("is accepted and ignored if it concerns no connection: other branches, installations, repositories, events", async () => {
    const app = await connectByApp();
    const other = await stub.newRepository("acme/unconnected", { installed: true });
    const first = await wantedOf(app);

    assert.equal(await send(app, { ref: "refs/heads/feature" }), 202);
    assert.equal(await send(app, { ref: "refs/tags/main" }), 202);
    assert.equal(await send(app, { installationId: 1 }), 202);
    assert.equal(await send(app, { installationId: undefined }), 202);
    assert.equal(await send({ ...app, repository: other }), 202);
    for (const event of ["ping", "", "__proto__", "error", "*"])
      assert.equal(await send(app, { change: { "x-github-event": event } }), 202, event);
    for (const text of ["{}", '{"ref":"x","repository":null}']) {
      const bytes = Buffer.from(text);
      const signature = `sha256=${createHmac("sha256", secrets[1]!).update(bytes).digest("hex")}`;
      assert.equal(await send(app, { bytes, change: { "x-hub-signature-256": signature } }), 202);
    }
    assert.equal(await wantedOf(app), first);
  });

  it("is ignored if it reports our own push", async () => {
    const app = await connectByApp();
    await runConnection(service.app, app.id);
    const { lastRemoteOid, status, problem } = (await service.app.storage.connections.find(app.id))!;
    assert.equal(status, "active", JSON.stringify(problem));
    const first = await wantedOf(app);

    assert.equal(await send(app, { after: lastRemoteOid! }), 202);
    assert.equal(await wantedOf(app), first);
  });

  it("requests a sync for the head of the last sync while another one runs, which may have seen a later one", async () => {
    const app = await connectByApp();
    await runConnection(service.app, app.id);
    const { lastRemoteOid } = (await service.app.storage.connections.find(app.id))!;
    const first = await wantedOf(app);
    const until = new Date(service.app.now().getTime() + 60_000);
    const held = (await service.app.storage.connections.takeLease(
      app.id,
      "another",
      until,
      service.app.now(),
    ))!;

    assert.equal(await send(app, { after: lastRemoteOid! }), 200);

    assert.equal(await wantedOf(app), first + 1);
    const end = { done: first, now: service.app.now(), status: "active" } as const;
    await service.app.storage.connections.finish(app.id, held.fence, end);
  });

  it("may arrive late, and after a later one: the import uses the current branch", async () => {
    const app = await connectByApp();
    await runConnection(service.app, app.id);
    const { repo } = app.repository;
    repo.pull();
    const [first, second] = ["one", "two"].map((words) =>
      repo.commit({ "skills/told/SKILL.md": `# Told\n\n${words}\n` }),
    );

    assert.equal(await send(app, { after: second! }), 200);
    await runConnection(service.app, app.id);
    assert.equal(await send(app, { after: first! }), 200);
    await runConnection(service.app, app.id);

    const told = `/api/skills/${app.org.slug}~told`;
    const { data } = await service.call<{ content: string }>("GET", `${told}/content`, {
      token: app.owner.token,
    });
    assert.match(data.content, /two/);
    const versions = await service.call<unknown[]>("GET", `${told}/versions`, { token: app.owner.token });
    assert.equal(versions.data.length, 1);
  });

  it("causes no request to the host while the organization awaits erasure", async () => {
    const app = await connectByApp();
    await runConnection(service.app, app.id);
    await service.call("DELETE", `/api/tenants/${app.org.slug}`, { token: app.owner.token });
    const asked = stub.asked.length;

    await send(app);
    await runConnection(service.app, app.id);

    assert.deepEqual(stub.asked.slice(asked), []);
  });
});

describe("a connection by a token", () => {
  it("has a webhook of its own, whose secret is valid nowhere else, until it is disconnected", async () => {
    const [one, other] = [await connectByToken(), await connectByToken()];
    const [hook] = one.repository.hooks;
    assert.equal(hook!.url, `${service.app.config.baseUrl}/api/webhooks/github?connection=${one.id}`);
    const first = await wantedOf(one);
    const to = `?connection=${one.id}`;

    assert.equal(await send(one, { to, secret: hook!.secret }), 200);
    assert.equal(await wantedOf(one), first + 1);
    assert.equal(await send(one, { to, secret: secrets[0]! }), 401);
    assert.equal(await send(one, { secret: hook!.secret }), 401);
    assert.equal(await send(other, { to: `?connection=${other.id}`, secret: hook!.secret }), 401);
    assert.equal(await send({ ...one, repository: other.repository }, { to, secret: hook!.secret }), 202);

    await service.call("DELETE", one.base, { token: one.owner.token });
    await service.settled();
    assert.deepEqual(one.repository.hooks, []);
    assert.equal(await service.app.storage.connections.find(one.id), null);
    assert.equal(await send(one, { to, secret: hook!.secret }), 401);
  });

  it("has its webhook created again after its removal, with the same secret", async () => {
    const customer = await connectByToken();
    const [hook] = customer.repository.hooks.splice(0);
    const look = async (ms: number) => {
      clock.aheadMs += ms;
      await pollConnections(service.app);
    };

    await look(2 * 3_600_000);
    assert.equal(customer.repository.hooks.length, 0);
    await look(24 * 3_600_000);

    const [again, ...others] = customer.repository.hooks;
    assert.deepEqual([again?.url, again?.secret, others], [hook!.url, hook!.secret, []]);
    assert.equal(await send(customer, { to: `?connection=${customer.id}`, secret: again!.secret }), 200);
    const asked = stub.asked.length;
    await look(3_600_000);
    assert.ok(stub.asked.slice(asked).every(({ path }) => !path.includes("/hooks")));
  });

  it("removes its webhook even if the response to its creation was lost", async () => {
    const customer = await connectByToken();
    await service.app.storage.database.raw
      .collection<{ _id: string }>("connections")
      .updateOne({ _id: customer.id }, { $unset: { webhook: true, webhookAt: true } });
    assert.equal(customer.repository.hooks.length, 1);

    await service.call("DELETE", customer.base, { token: customer.owner.token });
    await service.settled();

    assert.deepEqual(customer.repository.hooks, []);
    assert.equal(await service.app.storage.connections.find(customer.id), null);
  });

  it("ends if its host can't be asked to remove the webhook, and reports that it was left", async () => {
    const customer = await connectByToken();
    stub.trouble(...Array.from({ length: 3 }, () => ({ status: 503, body: "{}" })));
    const ended = await service.call("DELETE", customer.base, { token: customer.owner.token });
    const body = { host: "github-token", repository: customer.repository.fullName, token: customer.token };

    assert.deepEqual(ended.data, { webhook: "left" });
    assert.equal(customer.repository.hooks.length, 1);
    assert.equal(
      (await service.call("POST", customer.base, { token: customer.owner.token, body })).status,
      201,
    );
  });

  it("syncs over GitHub's git, and is blocked permanently when its token is revoked", async () => {
    const customer = await connectByToken();
    await service.call("POST", "/api/skills", {
      token: customer.owner.token,
      body: { tenantId: customer.org.id, name: "Hubbed", content: "text\n" },
    });
    await service.settled();
    await runConnection(service.app, customer.id);
    assert.ok(customer.repository.repo.paths().includes("skills/hubbed/SKILL.md"));

    stub.revoke(customer.token);
    clock.aheadMs += 10 * 60_000;
    await pollConnections(service.app);
    await service.call("POST", `${customer.base}/run`, { token: customer.owner.token });
    await runConnection(service.app, customer.id);

    const found = (await service.app.storage.connections.find(customer.id))!;
    assert.deepEqual([found.status, found.problem?.code], ["blocked", "auth_failed"]);
    // Ended even though the webhook can't be removed any more.
    await service.call("DELETE", customer.base, { token: customer.owner.token });
    await service.settled();
    assert.equal(await service.app.storage.connections.find(customer.id), null);
  });

  it("with a read-only token reports that at the first push, and continues with another token", async () => {
    const customer = await newCustomer(service);
    const repository = await stub.newRepository("acme/readable");
    repository.repo.commit({ "skills/there/SKILL.md": "# There\n\nbefore\n" });
    const connect = async (contents: "read" | "write") => {
      const token = stub.newToken([repository], { contents });
      const body = { host: "github-token", repository: repository.fullName, token };
      const answer = await service.call<ConnectionPayload>("POST", customer.base, {
        token: customer.owner.token,
        body,
      });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      await service.settled();
      await runConnection(service.app, answer.data.id);
      await service.settled();
      const found = (await service.app.storage.connections.find(answer.data.id))!;
      return [found.status, found.problem?.code];
    };

    assert.deepEqual(await connect("read"), ["blocked", "auth_failed"]);
    await service.call("DELETE", customer.base, { token: customer.owner.token });
    await service.settled();

    assert.deepEqual(await connect("write"), ["active", undefined]);
    const { data } = await service.call<{ slug: string }[]>(
      "GET",
      `/api/skills?tenant_id=${customer.org.id}&limit=10`,
      { token: customer.owner.token },
    );
    assert.deepEqual(
      data.map(({ slug }) => slug),
      ["there"],
    );
    assert.ok(repository.repo.paths().includes("skills/there/.svc.json"));
  });

  it("is not created with a missing branch, an invalid token, or an expired one", async () => {
    const customer = await newCustomer(service);
    const repository = await stub.newRepository("acme/picky");
    repository.repo.commit({ "a.txt": "1\n" });
    const token = stub.newToken([repository]);
    const connect = (body: object) =>
      service.call("POST", customer.base, {
        token: customer.owner.token,
        body: { host: "github-token", repository: "acme/picky", token, ...body },
      });

    for (const [body, reason] of [
      [{ branch: "nowhere" }, "branch_missing"],
      [{ token: "stub_wrong" }, "auth_failed"],
      [{ repository: "acme/absent" }, "remote_missing"],
    ] as const) {
      const answer = await connect(body);
      assert.deepEqual(
        [answer.code, answer.details?.["reason"], answer.details?.["branches"]],
        ["refused", reason, reason === "branch_missing" ? ["main"] : undefined],
        JSON.stringify(answer.body),
      );
    }
    stub.trouble({ status: 503, body: "{}" });
    assert.equal((await connect({})).code, "unavailable");
    assert.equal(await service.app.storage.connections.findOfTenant(customer.org.id), null);
    stub.trouble();
  });
});

describe("an App that was uninstalled", () => {
  it("blocks its connections, which continue once it is back", async () => {
    const app = await connectByApp();
    await runConnection(service.app, app.id);
    const { installationId } = app.repository;
    app.repository.installationId = undefined;
    app.repository.repo.pull();
    app.repository.repo.commit({ "skills/meanwhile/SKILL.md": "# Meanwhile\n\nwritten\n" });
    await service.call("POST", `${app.base}/run`, { token: app.owner.token });
    await runConnection(service.app, app.id);
    const blocked = (await service.app.storage.connections.find(app.id))!;
    assert.deepEqual([blocked.status, blocked.problem?.code], ["blocked", "remote_missing"]);

    app.repository.installationId = installationId;
    clock.aheadMs += 2 * 3_600_000;
    await pollConnections(service.app);
    await runConnection(service.app, app.id);

    const restored = (await service.app.storage.connections.find(app.id))!;
    assert.deepEqual([restored.status, restored.problem?.code], ["active", undefined]);
    const found = await service.call("GET", `/api/skills/${app.org.slug}~meanwhile`, {
      token: app.owner.token,
    });
    assert.equal(found.status, 200);
  });
});
