/** Hostile and wrong requests to the endpoint of the MCP server. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { describe, it } from "node:test";
import { callOk, openModernClient } from "../support/mcp/client.ts";
import { runCount } from "../support/run-count.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";
import { callOf, list, sendByHand, type Headers } from "./by-hand.ts";

const { service } = await setUpService();
const owner = await service.newUser();

const send = (path: string, headers: Headers, body: string | Buffer) =>
  sendByHand(service, path, headers, body);

const MiB = 1024 * 1024;
/** Calls at once: 10,000 in a long run. */
const calls = runCount(200, 10_000);

/** Sends a large call until the answer arrives. Returns its status and the bytes that were sent until then. */
async function sendLarge(path: string, bytes: number, isAnnounced: boolean) {
  const sent = request(new URL(path, service.url), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${owner.token}`,
      ...(isAnnounced ? { "content-length": bytes } : {}),
    },
  });
  const answer: { status?: number | undefined } = {};
  const answered = new Promise<void>((resolve, reject) => {
    sent.once("response", (response) => {
      answer.status = response.statusCode;
      response.resume();
      resolve();
    });
    sent.on("error", reject);
  });
  const part = Buffer.alloc(256 * 1024, "x");
  let count = 0;
  for (; answer.status === undefined && count < bytes; count += part.length)
    if (!sent.write(part)) await Promise.race([once(sent, "drain"), answered]);
  if (count >= bytes) sent.end();
  await answered;
  sent.destroy();
  return { status: answer.status, sent: count };
}

describe("a request to /mcp", () => {
  it("names the service as Host, and no other site as Origin", async () => {
    const { host, port } = new URL(service.url);
    for (const [headers, status] of [
      [{ host }, 200],
      [{ host: `localhost:${port}` }, 200],
      [{ host: "evil.example" }, 403],
      [{ host: `127.0.0.1:${port}.evil.example` }, 400],
      [{ host: "127.0.0.1:1" }, 403],
      [{ host, origin: service.url }, 200],
      [{ host, origin: "https://evil.example" }, 403],
      [{ host, origin: "null" }, 403],
      [{ host, origin: `${service.url}.evil.example` }, 403],
      [{ host, "x-forwarded-host": "evil.example" }, 200],
    ] as [Record<string, string>, number][]) {
      const answer = await send("/mcp", headers, list);
      const isRefused = status !== 200 && [400, 403].includes(answer.status);
      assert.ok(answer.status === status || isRefused, `${JSON.stringify(headers)}: ${answer.status}`);
    }
  });

  it("carries its token in a header only", async () => {
    for (const name of ["access_token", "token", "api_key"]) {
      const answer = await send(`/mcp?${name}=${owner.token}`, {}, list);
      assert.equal(answer.status, 400, name);
      assert.ok(!JSON.stringify(answer.body).includes(owner.token));
    }
    const byCookie = await send("/mcp", { cookie: owner.cookie, origin: service.url }, callOf("whoami", {}));
    assert.equal(byCookie.status, 401);
  });

  it("is led to the authorization server without a valid token", async () => {
    for (const headers of [
      { authorization: `Bearer lsk_${"0".repeat(64)}` },
      { authorization: "Bearer other" },
      {},
    ] as Record<string, string>[]) {
      const answer = await send("/mcp", headers, callOf("whoami", {}));
      assert.equal(answer.status, 401);
      const error = headers["authorization"] === undefined ? "" : 'error="invalid_token", ';
      assert.equal(
        answer.headers["www-authenticate"],
        `Bearer ${error}resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp"`,
      );
    }
  });

  it("by a suspended or deleted account, or a token of a deleted organization, is refused as by REST", async () => {
    const suspended = await service.newUser();
    const deleted = await service.newUser();
    const { owner: founder, org } = await newOrganization(service);
    const ofOrg = await service.call<{ token: string }>("POST", `/api/tenants/${org.slug}/tokens`, {
      cookie: founder.cookie,
      body: { name: "agents" },
    });
    for (const [method, target, cookie, body] of [
      ["POST", `/api/admin/users/${suspended.id}/suspend`, owner.cookie, { reason: "spam" }],
      ["DELETE", "/api/user/account", deleted.cookie, { password: "correct horse battery" }],
      ["DELETE", `/api/tenants/${org.slug}`, founder.cookie, undefined],
    ] as const) {
      const ended = await service.call(method, target, { cookie, ...(body ? { body } : {}) });
      assert.equal(ended.status, 200, ended.error);
    }

    for (const [token, status, code] of [
      [suspended.token, 403, "forbidden"],
      [deleted.token, 401, "unauthenticated"],
      [ofOrg.data.token, 401, "unauthenticated"],
    ] as const) {
      const rest = await service.call("GET", "/api/skills", { token });
      assert.deepEqual([rest.status, rest.code], [status, code]);
      for (const path of ["/mcp", "/mcp/central"]) {
        const refused = await send(path, { authorization: `Bearer ${token}` }, list);
        assert.deepEqual([refused.status, refused.body.error?.data?.code], [status, code], path);
      }
    }
  });

  it("is refused with a message if it is too large, no JSON or of no known form", async () => {
    const large = await send("/mcp", {}, callOf("search_skills", { query: "x".repeat(5 * 1024 * 1024) }));
    assert.deepEqual([large.status, large.body.error?.data?.code], [413, "payload_too_large"]);
    for (const body of ["", "{", "[]", "null", "1", '"x"', "[".repeat(100_000)]) {
      const answer = await send("/mcp", {}, body);
      assert.ok(answer.status >= 400 && answer.status < 500, `${body.slice(0, 10)}: ${answer.status}`);
    }
    const batch = await send("/mcp", {}, `[${Array(21).fill(list).join()}]`);
    assert.equal(batch.status, 400);
    const form = await send("/mcp", { "content-type": "text/plain" }, list);
    assert.equal(form.status, 415);
  });

  it("with arguments of wrong types is an error of the tool", async () => {
    const bearer = { authorization: `Bearer ${owner.token}` };
    for (const input of [
      { query: 1 },
      { limit: 1e9 },
      { limit: "1" },
      { unknown: true },
      { query: "x".repeat(1001) },
    ]) {
      const answer = await send("/mcp", bearer, callOf("search_skills", input));
      assert.equal(answer.status, 200);
      assert.match(JSON.stringify(answer.body.result), /invalid_request/);
    }
    const unknown = await send("/mcp", bearer, callOf("__proto__", {}));
    assert.match(unknown.body.error!.message, /There is no tool/);
  });

  it("is answered in the same way with and without what only the library reads", async () => {
    const bearer = { authorization: `Bearer ${owner.token}` };
    const answerOf = async (headers: Record<string, string>, name: string, input: unknown, more: object) => {
      const params = { name, arguments: input, ...more };
      const message = JSON.stringify({ jsonrpc: "2.0", id: "a", method: "tools/call", params });
      const { status, body, headers: answered } = await send("/mcp", headers, message);
      return {
        status,
        body: JSON.parse(JSON.stringify(body).replace(/[0-9a-f-]{36}/g, "id")) as unknown,
        type: answered["content-type"],
      };
    };
    for (const [headers, name, input, status] of [
      [bearer, "whoami", {}, 200],
      [bearer, "whoami", undefined, 200],
      [bearer, "search_skills", { query: 1 }, 200],
      [bearer, "read_skill", { skill: "no/such" }, 200],
      [bearer, "unknown", {}, 200],
      [{}, "whoami", {}, 401],
    ] as [Record<string, string>, string, unknown, number][]) {
      const plain = await answerOf(headers, name, input, {});
      assert.equal(plain.status, status, name);
      assert.deepEqual(plain, await answerOf(headers, name, input, { _meta: {} }), name);
    }
    for (const headers of [
      { accept: "text/html" },
      { "mcp-protocol-version": "1999-01-01" },
      { "mcp-protocol-version": "2026-07-28" },
    ] as Record<string, string>[]) {
      const refused = await send("/mcp", { ...bearer, ...headers }, callOf("whoami", {}));
      assert.ok(refused.status >= 400 && refused.body.result === undefined, JSON.stringify(headers));
    }
  });

  it("of several messages is bounded in its results, which may stay unread", async () => {
    const org = await service.newOrg(owner);
    const made = await service.call("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.id, name: "Large", content: `# Large\n${"x".repeat(480_000)}` },
    });
    assert.equal(made.status, 201, made.error);
    const bearer = { authorization: `Bearer ${owner.token}` };
    const read = callOf("read_skill", { skill: `${org.slug}/large`, maxBytes: 500_000 });
    const batchOf = (count: number) =>
      `[${Array.from({ length: count }, (_, id) => read.replace('"id":1', `"id":${id}`)).join()}]`;

    assert.equal((await send("/mcp", bearer, batchOf(2))).status, 200);
    const large = await send("/mcp", bearer, batchOf(20));
    assert.deepEqual([large.status, large.body.error?.data?.code], [400, "invalid_request"]);
    const sameIds = await send("/mcp", bearer, `[${list},${list}]`);
    assert.equal(sameIds.status, 400);
    assert.match(sameIds.body.error!.message, /same id/);
    const several = await send("/mcp/central", bearer, `[${list},${list}]`);
    assert.deepEqual([several.status, several.body.error?.data?.code], [400, "invalid_request"]);
  });

  it("of 100 MB is refused at the limit, announced or not, and is not kept in memory", async () => {
    for (const path of ["/mcp", "/mcp/central"])
      for (const announced of [true, false]) {
        const start = process.memoryUsage().rss;
        const { status, sent } = await sendLarge(path, 100 * MiB, announced);
        const { rss } = process.memoryUsage();

        assert.equal(status, 413, path);
        assert.ok(sent < 50 * MiB, `${sent} bytes were sent to ${path} until the answer`);
        assert.ok(rss - start < 60 * MiB, `${path} took ${rss - start} bytes`);
      }
  });

  it("is bounded in number, and the service goes on", async () => {
    const client = await openModernClient(service, owner.token);
    const other = await service.newUser();
    const start = process.memoryUsage().rss;
    const bearer = { authorization: `Bearer ${owner.token}` };
    const statuses = new Map<number, number>();
    const many = Array.from({ length: calls }, () =>
      send("/mcp", bearer, callOf("search_skills", { mine: true }))
        .catch(() => ({ status: 0 }))
        .then(({ status }) => void statuses.set(status, (statuses.get(status) ?? 0) + 1)),
    );
    const concurrent = await send("/mcp", { authorization: `Bearer ${other.token}` }, callOf("whoami", {}));
    await Promise.all(many);
    const grown = process.memoryUsage().rss - start;

    assert.ok(
      [...statuses.keys()].every((status) => [0, 200, 429].includes(status)),
      JSON.stringify([...statuses]),
    );
    assert.ok((statuses.get(200) ?? 0) > 0, JSON.stringify([...statuses]));
    // Fewer are served as fast as they arrive.
    if (calls >= 5000) assert.ok((statuses.get(429) ?? 0) > 0, JSON.stringify([...statuses]));
    assert.equal(concurrent.status, 200, "a request of another user succeeds");
    assert.ok(grown < 200 * MiB + calls * 100_000, `${calls} calls took ${grown} bytes`);
    await callOk(client, "whoami", {});
    await client.close();
  });

  it("that is left by its caller frees its slot", async () => {
    for (let left = 0; left < 60; left++) {
      const sent = request(new URL("/mcp", service.url), {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": "100" },
      });
      sent.on("error", () => undefined);
      sent.write("{");
      setTimeout(() => sent.destroy(), 20);
    }
    const answer = await send("/mcp", {}, list);
    assert.equal(answer.status, 200);
  });
});

describe("repeated lists of tools", () => {
  const listed = async (id: unknown, headers: Record<string, string>, params: object = {}) => {
    const message = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", params });
    const { status, body } = await send("/mcp", headers, message);
    const { tools } = (body.result ?? {}) as { tools?: { name: string }[] };
    return { status, id: (body as { id?: unknown }).id, names: tools?.map(({ name }) => name) };
  };

  it("have the id of each request, and the tools of each caller", async () => {
    const member = await service.newUser();
    await service.newOrg(member);
    const authorization = `Bearer ${member.token}`;
    const first = await listed(1, { authorization });
    const anonymous = await listed(1, {});
    assert.ok(first.names?.includes("publish_skill"));
    assert.ok(anonymous.names?.every((name) => first.names!.includes(name)));
    assert.ok(!anonymous.names?.includes("publish_skill"));
    for (const id of [2, "two", "0", -1, 2 ** 53 - 1]) {
      assert.deepEqual(await listed(id, { authorization }), { status: 200, id, names: first.names });
      assert.deepEqual(await listed(id, {}), { status: 200, id, names: anonymous.names });
    }
  });

  it("are refused as the first one would be", async () => {
    const good = await listed(1, {});
    assert.equal(good.status, 200);
    for (const id of [null, 1.5, {}, ["1"], true])
      assert.equal((await listed(id, {})).names, undefined, JSON.stringify(id));
    assert.equal((await listed(1, { accept: "text/html" })).status, 406);
    assert.equal((await listed(1, { "mcp-protocol-version": "1999-01-01" })).status, 400);
    assert.equal((await listed(1, {}, { cursor: 5 })).names, undefined);
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const deep = await send("/mcp", {}, list.replace("{", `{"more":${nested},`));
    assert.ok(deep.status < 500, String(deep.status));
  });
});
