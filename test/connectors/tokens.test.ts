import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { processors } from "../../workers/processors.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { until } from "../support/until.ts";
import { protect, startAuthorizationServer } from "./authorization-server.ts";
import { setUpConnectors } from "./fixture.ts";
import { authorization, central, guarded, serveGuarded, upstream, user, works } from "./guarded.ts";
import { startUpstream } from "./upstream.ts";

await serveGuarded();

describe("a connector's access", () => {
  it("is renewed when the access token has expired, once for concurrent calls", async () => {
    await guarded.connect(user);
    const sent = guarded.tokenRequests("refresh_token").length;
    authorization.expireAccessTokens();

    const results = await Promise.all(Array.from({ length: 8 }, () => guarded.callTool(user)));

    for (const result of results) assert.deepEqual(result, works);
    assert.equal(guarded.tokenRequests("refresh_token").length, sent + 1);
  });

  it("is not renewed again for a call whose refusal arrives after the renewal", async () => {
    await guarded.connect(user);
    await guarded.callTool(user);
    const sent = guarded.tokenRequests("refresh_token").length;
    authorization.expireAccessTokens();
    const guard = upstream.fault!;
    const isRenewed = () => guarded.tokenRequests("refresh_token").length > sent;
    let held = 0;
    upstream.fault = async (request, response) => {
      const isFirst = upstream.requests.at(-1)!.body.includes('"tools/call"') && held++ === 0;
      if (isFirst) await until("another call to be answered", () => isAnswered);
      return guard(request, response);
    };
    let isAnswered = false;

    const slow = guarded.callTool(user);
    await until("the first call to arrive", () => held > 0);
    const quick = await guarded.callTool(user);
    isAnswered = true;

    assert.deepEqual([quick, await slow], [works, works]);
    assert.ok(isRenewed());
    assert.equal(guarded.tokenRequests("refresh_token").length, sent + 1);
  });

  it("replaces each refresh token by the one of its renewal", async () => {
    await guarded.connect(user);
    const earlier = guarded.tokenRequests("refresh_token").length;
    for (let renewal = 0; renewal < 3; renewal++) {
      authorization.expireAccessTokens();
      assert.deepEqual(await guarded.callTool(user), works);
    }

    const used = guarded.tokenRequests("refresh_token").slice(earlier);
    const tokens = used.map((body) => body.get("refresh_token"));
    assert.deepEqual([tokens.length, new Set(tokens).size], [3, 3]);
  });

  it("needs its user again when the renewal is refused, and drops the tokens", async () => {
    const { id } = await guarded.connect(user);
    authorization.expireAccessTokens();
    authorization.fault = (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "invalid_grant", error_description: "revoked" }));
      return true;
    };

    const refused = await guarded.callTool(user);

    const seen = await central.read(id, user);
    const list = async () => (await central.post("tools/list", {}, user.token)).body.result!.tools!;
    const status = await central.post("tools/call", { name: "central__status", arguments: {} }, user.token);
    const tokensSent = guarded.tokenRequests("refresh_token").length;
    assert.deepEqual([seen.connectionStatus, seen.needsReconnect], ["needs_auth", true]);
    assert.match(seen.lastError!, /no longer accepts the credentials/);
    for (const answer of [refused, await guarded.callTool(user)]) {
      assert.ok(answer.isError);
      assert.ok(answer.text.includes(seen.connectUrl), answer.text);
      assert.match(answer.facts, /"code":"refused".*"connectionStatus":"needs_auth"/);
    }
    assert.equal(
      guarded.tokenRequests("refresh_token").length,
      tokensSent,
      "nothing is sent until the user is back",
    );
    assert.deepEqual(
      (await list()).map(({ name }) => name),
      ["central__status"],
    );
    assert.match(status.body.result!.content[0]!.text, /^guarded: needs_auth\..*Connect at /);
    assert.ok(!central.logged.join("\n").includes("refresh_token"));
    authorization.fault = undefined;
    assert.equal((await guarded.connect(user)).connectionStatus, "connected");
    assert.deepEqual(await guarded.callTool(user), works);
    assert.ok((await list()).some(({ name }) => name === "guarded__echo"));
  });

  it("keeps the tokens while the provider, or the server that names it, fails", async () => {
    const { id } = await guarded.connect(user);
    const guard = upstream.fault!;
    for (const [path, status] of [
      ["/token", 503],
      ["/.well-known/", 502],
    ] as const) {
      authorization.expireAccessTokens();
      const fails = (request: IncomingMessage, response: ServerResponse) => {
        if (!request.url?.startsWith(path)) return false;
        response.writeHead(status).end("busy");
        return true;
      };
      authorization.fault = fails;
      upstream.fault = (request, response) => fails(request, response) || guard(request, response);
      assert.match((await guarded.callTool(user)).text, /The server failed\. Try again later/);
      authorization.fault = undefined;
      upstream.fault = guard;

      assert.deepEqual(await guarded.callTool(user), works);
    }
    const isConnected = async () => (await central.read(id, user)).connectionStatus === "connected";
    await until("the connector to be connected", isConnected);
  });

  it("sends no token to another issuer that the server names by now", async () => {
    const { id } = await guarded.connect(user);
    authorization.expireAccessTokens();
    const other = await startAuthorizationServer();
    try {
      protect(upstream, { issuer: other.issuer, accepts: authorization.accepts });

      assert.ok((await guarded.callTool(user)).isError);

      assert.equal((await central.read(id, user)).connectionStatus, "needs_auth");
      assert.ok(other.requests.every(({ path }) => path !== "/token"));
    } finally {
      await other.close();
    }
  });

  it("is not given to a previous address, whose last call is refused in another process", async () => {
    const { service, org, owner } = central;
    const { token } = owner;
    const secretKeys = readFileSync(join(service.app.config.dataDir, "secrets"), "utf8").trim();
    const there = await setUpConnectors({ secretKeys });
    const [previous, later] = [await startUpstream(), await startUpstream()];
    let release = () => {};
    try {
      for (const server of [previous, later]) protect(server, authorization);
      await central.register("moving", previous.url);
      const { id } = await guarded.connect(user, "moving");
      const params = { name: "moving__echo", arguments: { text: "x" } };
      const first = await there.post("tools/call", params, user.token);
      assert.ok(first.body.result?.isError !== true, JSON.stringify(first.body));
      const released = new Promise<void>((resolve) => (release = resolve));
      const guard = previous.fault!;
      let isHeld = false;
      previous.fault = async (request, response) => {
        isHeld ||= previous.requests.at(-1)!.body.includes('"tools/call"');
        if (isHeld) await released;
        return guard(request, response);
      };

      const held = there.post("tools/call", params, user.token);
      await until("the call to arrive", () => isHeld);
      const path = `/api/tenants/${org.slug}/mcp-servers/moving`;
      await service.call("PATCH", path, { token, body: { url: later.url } });
      const begun = await central.connect(id, {}, user);
      await guarded.callBack(await authorization.authorize(begun.data.authorizationUrl!), user);
      assert.equal((await central.read(id, user)).connectionStatus, "connected");
      const given = later.requests.at(-1)!.headers.authorization!;
      release();

      assert.equal((await held).body.result?.isError, true);
      assert.match(given, /^Bearer ./);
      assert.ok(previous.requests.every(({ headers }) => headers.authorization !== given));
      assert.equal((await central.read(id, user)).connectionStatus, "connected");
    } finally {
      release();
      await Promise.all([previous.close(), later.close()]);
    }
  });

  it("is for the place to which its user's values have led, and is not sent to another", async () => {
    const member = (name: string) => ({ name, label: name, kind: "member", secret: false, required: true });
    const url = upstream.url.replace("127.0.0.1", "{HOST}") + "?plan={PLAN}";
    await central.register("placed", url, { variables: [member("HOST"), member("PLAN")] });
    const { data } = await central.create("placed", user);
    const connect = (variables: Record<string, string>) => central.connect(data.id, { variables }, user);
    const begun = await connect({ HOST: "127.0.0.1", PLAN: "a" });
    await guarded.callBack(await authorization.authorize(begun.data.authorizationUrl!), user);
    assert.equal((await central.read(data.id, user)).connectionStatus, "connected");
    const requestsTo = (host: string) =>
      upstream.requests.filter(
        ({ headers, path }) => headers.host?.startsWith(host) === true && path.startsWith("/mcp"),
      );

    const sameHost = await connect({ PLAN: "b" });
    const otherHost = await connect({ HOST: "localhost" });

    assert.equal(sameHost.data.connector.connectionStatus, "connected", JSON.stringify(sameHost.body));
    assert.equal(requestsTo("127.0.0.1").at(-1)!.path, "/mcp?plan=b");
    assert.ok(requestsTo("127.0.0.1").at(-1)!.headers.authorization);
    assert.equal(otherHost.data.connector.connectionStatus, "needs_auth");
    assert.equal(otherHost.data.connector.issuer, null);
    assert.ok(requestsTo("localhost").length > 0);
    assert.ok(requestsTo("localhost").every(({ headers }) => headers.authorization === undefined));
  });

  it("sends no token to where the server or its provider redirects", async () => {
    const thief = await startUpstream();
    const redirect = (to: string) => (response: ServerResponse) =>
      response.writeHead(307, { location: to }).end();
    try {
      for (const to of [thief.url, "http://169.254.169.254/latest/meta-data"])
        for (const path of ["/mcp", "/.well-known/", "/token"]) {
          const member = await newMember(central.service, central.org, "member");
          protect(upstream, authorization);
          authorization.fault = undefined;
          await guarded.connect(member);
          authorization.expireAccessTokens();
          const guard = upstream.fault!;
          const isRedirected = (request: IncomingMessage) => request.url?.startsWith(path) === true;
          upstream.fault = (request, response) =>
            isRedirected(request) ? (redirect(to)(response), true) : guard(request, response);
          authorization.fault = (request, response) =>
            isRedirected(request) ? (redirect(to)(response), true) : false;

          const { isError, text } = await guarded.callTool(member);

          assert.ok(isError, `${path} to ${to}: ${text}`);
          assert.deepEqual(thief.requests, [], `${path} to ${to}`);
        }
    } finally {
      await thief.close();
    }
  });

  it("is revoked at the provider when the connector ends, by its user or with the membership or server", async () => {
    const { service, org, owner } = central;
    const server = await central.register("short-lived", upstream.url);
    const jobs = processors(service.app);
    const { token } = owner;
    const endings: [string, (id: string, as: TestUser) => Promise<unknown>][] = [
      ["guarded", (id, as) => service.call("DELETE", `/api/user/connectors/${id}`, { token: as.token })],
      ["guarded", (id, as) => central.connect(id, { reauthorize: true }, as)],
      [
        "guarded",
        async (_id, { id: userId }) => {
          await service.call("DELETE", `/api/tenants/${org.slug}/members/${userId}`, { token });
          await jobs["orgs.member-left"]({ tenantId: org.id, userId });
        },
      ],
      [
        "short-lived",
        async () => {
          await service.call("DELETE", `/api/tenants/${org.slug}/mcp-servers/${server.slug}`, { token });
          await jobs["maintenance.forget-server"]({ serverId: server.id });
        },
      ],
    ];
    for (const [slug, end] of endings) {
      const member = await newMember(service, org, "member");
      const { id } = await guarded.connect(member, slug);
      const access = upstream.requests.at(-1)!.headers.authorization!.slice(7);
      assert.ok(await authorization.accepts(access, upstream.url));
      const asked = guarded.revocations().length;

      await end(id, member);

      await until("the tokens to be revoked", () => guarded.revocations().length === asked + 2);
      await until("the token to end", async () => !(await authorization.accepts(access, upstream.url)));
      const kinds = guarded.revocations().slice(asked);
      assert.deepEqual(
        kinds.map((body) => body.get("token_type_hint")),
        ["refresh_token", "access_token"],
      );
      assert.equal(kinds[1]!.get("token"), access);
      assert.ok(kinds.every((body) => body.get("client_id")));
    }
    for (const body of guarded.revocations())
      assert.ok(!central.logged.join("\n").includes(body.get("token")!));
  });

  it("ends here also if the provider does not revoke it", async () => {
    const { id } = await guarded.connect(user);
    const asked = guarded.revocations().length;
    authorization.fault = (request, response) => {
      if (request.url !== "/token/revocation") return false;
      response.writeHead(307, { location: upstream.url }).end();
      return true;
    };
    upstream.requests.length = 0;

    const gone = await central.service.call("DELETE", `/api/user/connectors/${id}`, { token: user.token });
    await until("the provider to be asked", () => guarded.revocations().length === asked + 2);
    await central.service.settled();

    assert.equal(gone.status, 200, gone.error);
    assert.deepEqual(await central.list(user), []);
    assert.deepEqual(upstream.requests, [], "a token is not sent to where the provider redirects");
  });

  it("leaves no secret of the flow in the database or the log", async () => {
    await guarded.connect(user);
    const { raw } = central.service.app.storage.database;
    const rows = JSON.stringify(await raw.collection("connectors").find({}).toArray());
    const secrets = [
      ...guarded
        .tokenRequests("authorization_code")
        .flatMap((body) => [body.get("code"), body.get("code_verifier")]),
      ...guarded.tokenRequests("refresh_token").map((body) => body.get("refresh_token")),
      ...upstream.requests.map(({ headers }) => headers.authorization?.slice(7)),
    ].filter((text) => typeof text === "string" && text !== "");

    assert.ok(secrets.length > 3);
    for (const text of secrets)
      for (const place of [rows, central.logged.join("\n")]) assert.ok(!place.includes(text!));
  });
});
