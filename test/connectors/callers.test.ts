/** Who may call `/mcp/central`, and what ends their use. */
import assert from "node:assert/strict";
import { beforeEach, describe, it, mock } from "node:test";
import { hashSecret } from "../../src/secrets.ts";
import { openModernClient } from "../support/mcp/client.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { closedAfter, newOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { setUpConnectors, type Posted } from "./fixture.ts";
import { startUpstream } from "./upstream.ts";

let user: TestUser;

const central = await setUpConnectors();
const upstream = await closedAfter(startUpstream());
await central.register("notes", upstream.url);

beforeEach(async () => {
  user = await newMember(central.service, central.org, "member");
  await central.connected("notes", {}, user);
});

const echo = (token?: string) =>
  central.post("tools/call", { name: "notes__echo", arguments: { text: "hi" } }, token);
const isForwarded = ({ body }: Posted) => body.result?.content?.[0]?.text === "echo hi";

/** An access token of an OAuth client, as `src/oauth` stores one. */
async function accessToken(resource: string, tenantIds: string[]): Promise<string> {
  const { app } = central.service;
  const secret = `lsko_${app
    .newId()
    .padEnd(64, "0")
    .slice(0, 64)
    .replace(/[^0-9a-f]/g, "a")}`;
  const now = app.now();
  const later = new Date(now.getTime() + 3_600_000);
  await app.storage.oauthGrants.insert({
    _id: app.newId(),
    userId: user.id,
    clientId: "client",
    clientName: "Agent",
    redirectUri: "http://127.0.0.1:1/callback",
    access: "write",
    tenantIds,
    resource,
    epochs: { session: 0, token: 0 },
    codeHash: app.newId(),
    codeChallenge: "x",
    codeExpiresAt: now,
    codeUsedAt: now,
    secretHash: hashSecret(secret),
    refreshHash: app.newId(),
    accessExpiresAt: later,
    createdAt: now,
    expiresAt: later,
  });
  return secret;
}

interface Stream {
  text: string;
  isEnded: boolean;
}

/** A stream of changes in the protocol version with `initialize`. */
async function openStream(token: string): Promise<Stream> {
  const response = await fetch(`${central.service.url}/mcp/central`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
  });
  assert.equal(response.status, 200);
  const read = { text: "", isEnded: false };
  const reading = (async () => {
    for await (const piece of response.body!) read.text += Buffer.from(piece).toString();
    read.isEnded = true;
  })();
  reading.catch(() => undefined);
  return read;
}

describe("the endpoint of hosted connectors", () => {
  it("leads anonymous callers to the metadata of its own resource", async () => {
    const refused = await echo();
    const url = /resource_metadata="([^"]+)"/.exec(refused.challenge ?? "")?.[1] ?? "";
    const metadata = (await (await fetch(url)).json()) as { resource: string; scopes_supported: string[] };

    assert.equal(refused.status, 401);
    assert.equal(metadata.resource, `${central.service.url}/mcp/central`);
    assert.deepEqual(metadata.scopes_supported, ["write"]);
  });

  it("takes access tokens for itself, in the chosen organizations, and no others", async () => {
    const { url } = central.service;
    const own = await accessToken(`${url}/mcp/central`, [central.org.id]);
    const elsewhere = await accessToken(`${url}/mcp/central`, []);
    const ofSkills = await accessToken(`${url}/mcp`, [central.org.id]);

    assert.ok(isForwarded(await echo(own)));
    assert.match((await echo(elsewhere)).body.result!.content[0]!.text, /no longer have access/);
    assert.equal((await echo(ofSkills)).status, 401);
    const skills = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${own}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });
    assert.equal(skills.status, 401);
    const rest = await central.service.call("GET", "/api/user/connectors", { token: own });
    assert.equal(rest.status, 401);
  });

  it("refuses restricted tokens, tokens of organizations and sessions", async () => {
    const { service, org, owner } = central;
    const restricted = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: user.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });
    const ofOrg = await service.call<{ token: string }>("POST", `/api/tenants/${org.slug}/tokens`, {
      cookie: owner.cookie,
      body: { name: "organization" },
    });
    assert.ok(restricted.data?.token && ofOrg.data?.token, JSON.stringify([restricted.body, ofOrg.body]));

    assert.equal((await echo(restricted.data.token)).status, 403);
    assert.equal((await echo(ofOrg.data.token)).status, 403);
    const bySession = await service.raw("POST", "/mcp/central", {
      headers: { cookie: user.cookie, "content-type": "application/json" },
    });
    assert.equal(bySession.status, 401);
  });

  it("offers no one the connectors of another", async () => {
    const other = await newMember(central.service, central.org, "member");

    const refused = await echo(other.token);
    const { body } = await central.post("tools/list", {}, other.token);

    assert.equal(refused.body.result?.isError, true);
    assert.deepEqual(
      body.result!.tools!.map(({ name }) => name),
      ["central__status"],
    );
  });

  it("ends with the next call once the user leaves, or disconnects", async () => {
    const leaving = await newMember(central.service, central.org, "member");
    const made = await central.connected("notes", {}, leaving);
    assert.ok(isForwarded(await echo(leaving.token)));
    assert.ok(isForwarded(await echo(user.token)));

    const removed = await central.service.call(
      "DELETE",
      `/api/tenants/${central.org.slug}/members/${leaving.id}`,
      { token: central.owner.token },
    );
    assert.equal(removed.status, 200, removed.error);
    const [own] = await central.list(user);
    await central.service.call("DELETE", `/api/user/connectors/${own!.id}`, { token: user.token });
    upstream.requests.length = 0;

    for (const { token } of [leaving, user]) assert.equal((await echo(token)).body.result?.isError, true);
    assert.deepEqual(upstream.requests, []);
    assert.ok(made.id);
  });

  it("ends with the switch of the organization, also for a running call, and comes back with it", async () => {
    const put = (enabled: boolean) =>
      central.service.call("PUT", `/api/tenants/${central.org.slug}/mcp-central`, {
        token: central.owner.token,
        body: { enabled },
      });
    const client = await openModernClient(central.service, user.token, "/mcp/central");
    upstream.requests.length = 0;
    const cancelled = upstream.cancelled;
    const running = client.callTool({ name: "notes__wait", arguments: {} });
    await until("the call to arrive", () => upstream.requests.some(({ body }) => body.includes('"wait"')));

    await put(false);
    const ended = await running;
    upstream.requests.length = 0;
    const refused = await echo(user.token);
    const requests = upstream.requests.length;
    await put(true);
    const again = await echo(user.token);
    await client.close();

    assert.equal(ended.isError, true);
    assert.match(JSON.stringify(ended.content), /turned hosted connectors off/);
    await until("the server to hear of it", () => upstream.cancelled === cancelled + 1);
    assert.match(refused.body.result!.content[0]!.text, /turned hosted connectors off/);
    assert.equal(requests, 0);
    assert.ok(isForwarded(again));
  });

  it("authenticates streams again every ten seconds, which end with their tokens, and reports lost access", async () => {
    const { service, org, owner } = central;
    const others = await newMember(service, org, "member");
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const access = await accessToken(`${service.url}/mcp/central`, [org.id]);
      const made = await service.call<{ token: string; id: string }>("POST", "/api/user/tokens", {
        cookie: user.cookie,
        body: { name: "agent" },
      });
      const [byAccess, byToken, remaining, ofOther] = (await Promise.all(
        [access, made.data.token, user.token, others.token].map(openStream),
      )) as [Stream, Stream, Stream, Stream];
      const open = [byAccess, byToken, remaining, ofOther];
      await until("the lists to be known", () => open.every(({ text }) => text.includes("id: ")));

      // Nothing else wakes these streams: all that they hear of is found by the sweep.
      const granted = await service.call<{ id: string }[]>("GET", "/api/user/grants", {
        cookie: user.cookie,
      });
      for (const path of [`/api/user/grants/${granted.data[0]!.id}`, `/api/user/tokens/${made.data.id}`])
        assert.equal((await service.call("DELETE", path, { cookie: user.cookie })).status, 200, path);
      mock.timers.tick(10_000 - 1);
      // The end of a stream would have arrived by the end of another request.
      await central.list(user);
      assert.ok(open.every(({ isEnded }) => !isEnded));
      mock.timers.tick(1);
      await until("the ends", () => byAccess.isEnded && byToken.isEnded);
      assert.ok(!remaining.isEnded && !remaining.text.includes("list_changed"));

      const path = `/api/tenants/${org.slug}/members/${user.id}`;
      assert.equal((await service.call("DELETE", path, { token: owner.token })).status, 200);
      mock.timers.tick(10_000);
      await until("the change", () => remaining.text.includes("notifications/tools/list_changed"));
      assert.ok(!ofOther.isEnded && !ofOther.text.includes("list_changed"));
    } finally {
      mock.timers.reset();
    }
  });

  it("ends a running call once its credential is revoked", async () => {
    const { service } = central;
    const made = await service.call<{ token: string; id: string }>("POST", "/api/user/tokens", {
      cookie: user.cookie,
      body: { name: "agent" },
    });
    const { cancelled } = upstream;
    upstream.requests.length = 0;
    const running = central.post("tools/call", { name: "notes__wait", arguments: {} }, made.data.token);
    await until("the call to arrive", () => upstream.requests.some(({ body }) => body.includes('"wait"')));

    await service.call("DELETE", `/api/user/tokens/${made.data.id}`, { cookie: user.cookie });

    assert.equal((await running).body.result?.isError, true);
    await until("the server to hear of it", () => upstream.cancelled === cancelled + 1);
    assert.ok(isForwarded(await echo(user.token)));
  });

  it("is closed for all of an organization that awaits erasure, and opens when that is taken back", async () => {
    const { service } = central;
    const { owner, org } = await newOrganization(service);
    const member = await newMember(service, org, "member");
    const path = `/api/tenants/${org.slug}`;
    const registered = await service.call("POST", `${path}/mcp-servers`, {
      token: owner.token,
      body: { name: "Doomed", slug: "doomed", transport: "http", url: upstream.url, allowHttp: true },
    });
    assert.equal(registered.status, 201, registered.error);
    const ids = new Map<TestUser, string>();
    for (const one of [owner, member])
      ids.set(one, (await central.connected(`${org.slug}/doomed`, {}, one)).id);
    const callOf = (name: string, token: string) =>
      central.post("tools/call", { name: `doomed__${name}`, arguments: { text: "hi" } }, token);
    assert.ok(isForwarded(await callOf("echo", member.token)));
    const { cancelled } = upstream;
    upstream.requests.length = 0;
    const running = [owner, member].map(({ token }) => callOf("wait", token));
    await until(
      "the calls to arrive",
      () => upstream.requests.filter(({ body }) => body.includes('"wait"')).length === 2,
    );

    assert.equal((await service.call("DELETE", path, { token: owner.token })).status, 200);
    for (const one of await Promise.all(running)) assert.equal(one.body.result?.isError, true);
    await until("the server to hear of both", () => upstream.cancelled === cancelled + 2);
    upstream.requests.length = 0;
    for (const one of [owner, member]) {
      const refused = await callOf("echo", one.token);
      assert.equal(refused.body.result?.isError, true);
      const listed = await central.post("tools/list", {}, one.token);
      assert.deepEqual(
        listed.body.result?.tools?.map(({ name }) => name),
        ["central__status"],
      );
      assert.equal((await central.read(ids.get(one)!, one)).connectionStatus, "disabled");
      assert.notEqual((await central.connect(ids.get(one)!, {}, one)).status, 200);
      assert.notEqual((await central.create(`${org.slug}/doomed`, one)).status, 201);
    }
    assert.deepEqual(upstream.requests, []);

    assert.equal(
      (await service.call("POST", `${path}/restore`, { token: owner.token, body: {} })).status,
      200,
    );
    for (const one of [owner, member]) assert.ok(isForwarded(await callOf("echo", one.token)));
  });

  it("checks Host and Origin, and takes no token in the address", async () => {
    const { url } = central.service;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const headers = { "content-type": "application/json", authorization: `Bearer ${user.token}` };
    const foreign = await fetch(`${url}/mcp/central`, {
      method: "POST",
      headers: { ...headers, origin: "https://evil.example" },
      body,
    });
    const inAddress = await fetch(`${url}/mcp/central?access_token=${user.token}`, {
      method: "POST",
      headers,
      body,
    });

    assert.deepEqual([foreign.status, inAddress.status], [403, 400]);
    assert.ok(!(await inAddress.text()).includes(user.token));
  });
});
