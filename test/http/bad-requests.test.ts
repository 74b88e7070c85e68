import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { describe, it } from "node:test";
import { refusalsTo } from "../support/refusals.ts";
import { setUpOrganization } from "../support/set-up.ts";

const logged: string[] = [];

const { service, owner, org } = await setUpOrganization({ logged });
const made = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
  token: owner.token,
  body: { tenantId: org.slug, name: "Target", content: "x\n", visibility: "public" },
});
const skillId = made.data.skill.id;
await service.settled();

const { refuses, send, auth } = refusalsTo(() => ({ service, user: owner }), logged);

/** A request with a target that clients refuse to send. */
async function sendTarget(target: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.end(`GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
  return textOf(socket);
}

describe("a request", () => {
  it("needs an existing path, and a method that it supports", async () => {
    for (const target of [
      "/api",
      "/api/",
      "/api/nothing",
      "/api/skills/x/nothing",
      "/nothing.html",
      "/Nothing",
      "/mcp/nothing",
      "/api/skills/%",
      "/%00",
      "/api/..%2f..%2fetc/passwd",
      "/.git/config",
      "/index.php",
    ]) {
      const answer = await service.call("GET", target, { token: owner.token });
      assert.equal(answer.code, "not_found", target);
    }
    for (const [method, target, allow] of [
      ["DELETE", "/api/skills", "POST"],
      ["PUT", "/api/skills", "GET"],
      ["PATCH", `/api/skills/${skillId}`, "PUT"],
      ["POST", "/api/explore", "GET"],
      ["PATCH", "/api/uploads", "POST"],
      ["GET", `/api/skills/${skillId}/revert`, "POST"],
      ["DELETE", "/healthz", "GET"],
      ["OPTIONS", "/api/skills", "GET"],
    ] as const) {
      const answer = await service.call(method, target, { token: owner.token });
      assert.equal(answer.code, "method_not_allowed", `${method} ${target}`);
      assert.match(answer.headers.get("allow") ?? "", new RegExp(`\\b${allow}\\b`));
    }
  });

  it("needs a valid address as its target", async () => {
    for (const target of ["http://[::/x", "http://xn--/", "x://y"]) {
      const answer = await sendTarget(target);
      assert.match(answer, /^HTTP\/1\.1 400 [^]*"code":"invalid_request"/, target);
    }
    assert.deepEqual(
      logged.filter((line) => line.includes('"level":"error"')),
      [],
    );
  });

  it("finds nothing by arbitrary references to skills", async () => {
    for (const ref of [
      "x",
      "~",
      "a~",
      "~a",
      "a~b~c",
      "0".repeat(24),
      "A".repeat(10),
      "%00",
      "%F0%9F%98%80",
      "%E0%A4%A",
      "..%2f..",
      "{$ne:1}",
      "x".repeat(120),
      "%0d%0aSet-Cookie:a=b",
    ])
      for (const part of ["", "/content", "/versions"])
        await refuses("not_found", "GET", `/api/skills/${ref}${part}`);
    await refuses("invalid_request", "GET", `/api/skills/${"x".repeat(121)}`);
    for (const ref of ["", "%00", "x".repeat(501)])
      assert.ok(
        [400, 404].includes(
          (await service.call("GET", `/api/skills/resolve?ref=${ref}`, { token: owner.token })).status,
        ),
      );
  });

  it("has one value per parameter, in range", async () => {
    for (const query of [
      "limit=1&limit=2",
      "limit=0",
      "limit=-1",
      "limit=201",
      "limit=abc",
      "limit=1.5",
      "limit=",
      "limit[]=1&limit=x",
      "cursor=a&cursor=b",
      "cursor=!!",
      `cursor=${"a".repeat(501)}`,
      "spec=a&spec=b",
      "spec=not%20a%20range",
      `spec=${"1".repeat(257)}`,
      "prerelease=maybe",
    ])
      await refuses("invalid_request", "GET", `/api/skills/${skillId}/versions?${query}`);
    for (const query of [
      "version=1&semver=1.0.0",
      "semver=x",
      "version=1&version=1",
      "range=%00",
      "version[$gt]=0&version=x",
      "range=%3E%3Dnope",
    ])
      await refuses("invalid_request", "GET", `/api/skills/${skillId}/content?${query}`);
    await refuses("invalid_request", "GET", `/api/tenants/${org.id}/members?query=%00`);
    for (const query of ["version=0", "version=-1", "version=999999999", "semver=9.9.9", "range=%3E9"]) {
      const answer = await service.call("GET", `/api/skills/${skillId}/content?${query}`);
      assert.ok(["not_found", "invalid_request"].includes(answer.code!), query);
    }
  });

  it("needs valid credentials, or is rejected whatever else it contains", async () => {
    for (const authorization of [
      "Bearer",
      "Bearer ",
      "Bearer x",
      `Bearer lsk_${"0".repeat(64)}`,
      `Basic ${Buffer.from("a:b").toString("base64")}`,
      `Bearer ${owner.token} x`,
      `Bearer ${owner.token.toUpperCase()}`,
      "lsk_",
      `bearer\t${owner.token}`,
    ]) {
      const answer = await service.call("GET", `/api/skills/${skillId}`, {
        headers: { authorization },
        cookie: owner.cookie,
      });
      assert.equal(answer.code, "unauthenticated", authorization);
      assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/);
      assert.ok(!JSON.stringify(answer.body).includes(owner.token));
    }
  });

  it("by cookie must come from the service's own pages", async () => {
    const change = (headers: Record<string, string>) =>
      service.call("PUT", `/api/skills/${skillId}`, {
        body: { description: "by cookie" },
        headers: { cookie: owner.cookie, ...headers },
      });

    assert.equal((await change({ origin: "https://evil.example" })).code, "forbidden");
    assert.equal((await change({ origin: "null" })).code, "forbidden");
    assert.equal((await change({})).code, "forbidden");
    assert.equal(
      (await change({ origin: service.url, "content-type": "text/plain" })).code,
      "unsupported_media_type",
    );
    assert.equal((await change({ origin: service.url })).status, 200);
  });

  it("has no header with effects beyond the request", async () => {
    const spoofed = await service.raw("GET", "/api/explore", {
      headers: {
        "x-forwarded-for": "1.2.3.4",
        "x-forwarded-host": "evil.example",
        "x-request-id": "bad id\u00e9",
        "x-http-method-override": "DELETE",
        "accept-encoding": "gzip;q=0, nonsense;q=2",
        "accept-language": "x".repeat(4000),
        "if-none-match": `"${"x".repeat(4000)}"`,
        range: "bytes=0-1",
        "user-agent": "\u00ff".repeat(1000),
      },
    });
    assert.equal(spoofed.status, 200);
    assert.match(spoofed.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/);
    const own = await service.raw("GET", "/api/explore", { headers: { "x-request-id": "trace-0042" } });
    assert.equal(own.headers.get("x-request-id"), "trace-0042");
    const twice = await send([
      "GET /api/skills HTTP/1.1",
      "Host: a",
      `Authorization: Bearer ${"x".repeat(20)}`,
      auth(),
      "Connection: close",
    ]);
    assert.match(twice, /^HTTP\/1\.1 (400|401)/);
    const smuggled = await send(
      [
        "POST /api/skills HTTP/1.1",
        "Host: a",
        auth(),
        "Content-Length: 5",
        "Transfer-Encoding: chunked",
        "Connection: close",
      ],
      [Buffer.from("0\r\n\r\n")],
    );
    assert.match(smuggled, /^HTTP\/1\.1 400/);
    assert.match(await send(["GET /healthz HTTP/1.1", "Connection: close"]), /^HTTP\/1\.1 400/);
    assert.match(await send(["GET /a\u0001b HTTP/1.1", "Host: a", "Connection: close"]), /^HTTP\/1\.1 4\d\d/);
    assert.match(
      await send([`GET /healthz HTTP/1.1`, "Host: a", `X: ${"x".repeat(20_000)}`]),
      /^HTTP\/1\.1 431/,
    );
  });

  it("may be random bytes", async () => {
    for (let i = 0; i < 10; i++) {
      const text = await send([randomBytes(200).toString("latin1")]).catch(() => "");
      assert.doesNotMatch(text, /^HTTP\/1\.1 (2|5)/);
    }
    assert.equal((await service.raw("GET", "/healthz")).status, 200);
  });
});
