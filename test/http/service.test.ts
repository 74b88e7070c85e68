import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { openLog } from "../../src/log.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";
import { newOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";

describe("the service over HTTP", () => {
  let service: TestService;
  let user: TestUser;
  let org: TestOrg;
  const logged: string[] = [];

  before(async () => {
    service = await startService({ logged });
    user = await service.newUser();
    org = await service.newOrg(user);
  });
  after(() => service.close());

  it("reports whether it is alive, and whether it is ready", async () => {
    const alive = await service.raw("GET", "/healthz");
    const ready = await service.raw("GET", "/readyz");
    service.health.isDraining = true;
    const draining = await service.raw("GET", "/readyz");
    service.health.isDraining = false;

    assert.equal(alive.status, 200);
    assert.deepEqual(((await ready.json()) as { data: unknown }).data, {
      status: "ready",
      checks: { database: "ok" },
    });
    assert.equal(draining.status, 503);
    assert.equal(((await draining.json()) as { code: string }).code, "unavailable");
    assert.equal((await service.raw("GET", "/healthz")).status, 200);
  });

  it("answers a probe like other requests", async () => {
    const requestId = "probe-of-the-service";
    const answerOf = async (target: string) => {
      const answer = await service.raw("GET", target, { headers: { "x-request-id": requestId } });
      const headers = [...answer.headers].filter(([name]) => name !== "date");
      return { status: answer.status, headers, body: await answer.json() };
    };
    logged.length = 0;
    const probe = await answerOf("/healthz");
    assert.deepEqual(probe, await answerOf("/healthz?by=koa"));
    assert.deepEqual(probe.body, { success: true, data: { status: "alive", version: "0.0.0-test" } });

    const lines = () => logged.filter((line) => line.includes(requestId));
    await until("both lines of the log", () => lines().length === 2);
    const entries = lines().map((line) => ({ ...(JSON.parse(line) as object), ms: 0, time: "" }));
    assert.deepEqual(entries[0], entries[1]);
  });

  it("names its version to signed-in callers only, in the header of each response", async () => {
    const versionFor = async (options: { token?: string }, target = "/api/skills") =>
      (await service.raw("GET", target, options)).headers.get("x-svc-version");

    assert.equal(await versionFor({ token: user.token }), "0.0.0-test");
    assert.equal(await versionFor({ token: user.token }, "/api/skills/none"), "0.0.0-test");
    assert.equal(await versionFor({}, "/api/explore"), null);
    assert.equal(await versionFor({ token: "svc_wrong" }), null);
  });

  it("sends the security headers with every response", async () => {
    for (const target of [
      "/healthz",
      "/api/explore",
      "/api/skills",
      "/nothing",
      "/docs",
      "/api/openapi.json",
    ]) {
      const { headers } = await service.raw("GET", target);
      assert.equal(headers.get("x-content-type-options"), "nosniff", target);
      assert.equal(headers.get("x-frame-options"), "DENY", target);
      assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/, target);
      assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/, target);
      assert.equal(headers.get("referrer-policy"), "same-origin", target);
      assert.equal(headers.get("x-powered-by"), null);
      const isShared = ["/api/explore", "/api/openapi.json"].includes(target);
      assert.equal(headers.get("access-control-allow-origin"), isShared ? "*" : null, target);
      assert.ok(headers.get("cache-control"), target);
    }
    assert.equal((await service.raw("GET", "/healthz")).headers.get("strict-transport-security"), null);
  });

  it("requires https from browsers that reach it by https", async () => {
    const { baseUrl } = service.app.config;
    service.app.config.baseUrl = "https://skills.example";
    const answer = await service.raw("GET", "/healthz");
    const signedIn = await service.raw("POST", "/api/auth/sign-in", {
      body: { email: `${user.username}@example.com`, password: "correct horse battery" },
    });
    service.app.config.baseUrl = baseUrl;

    assert.match(answer.headers.get("strict-transport-security") ?? "", /max-age=31536000/);
    assert.match(
      signedIn.headers.getSetCookie()[0]!,
      /^__Host-svc_session=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure/,
    );
  });

  it("forbids caching of private responses", async () => {
    for (const target of ["/api/skills", "/api/user/profile", "/api/tenants", "/api/nothing"]) {
      const answer = await service.raw("GET", target, { token: user.token });
      assert.equal(answer.headers.get("cache-control"), "no-store", target);
    }
  });

  it("compresses large texts, in every requested encoding", async () => {
    for (const coding of ["gzip", "br", "deflate"]) {
      const answer = await service.raw("GET", "/api/openapi.json", {
        headers: { "accept-encoding": coding },
      });
      assert.equal(answer.headers.get("content-encoding"), coding);
      assert.equal(((await answer.json()) as { openapi: string }).openapi.slice(0, 3), "3.1");
    }
    const plain = await service.raw("GET", "/api/openapi.json", {
      headers: { "accept-encoding": "identity" },
    });
    assert.equal(plain.headers.get("content-encoding"), null);
  });

  it("compresses short texts by the caller's preference, with the same content", async () => {
    const content = `# Notes\n\n${"A line of the skill.\n".repeat(300)}`;
    const made = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
      token: user.token,
      body: { tenantId: org.slug, name: "Compressed", content },
    });
    for (let n = 0; n < 10; n++)
      await service.call("POST", `/api/tenants/${org.slug}/roles`, {
        token: user.token,
        body: { name: `Auditors ${n}`, permissions: { auditLog: ["read"] } },
      });
    // One has an entity tag, by which its encoded form is kept; the other has none.
    for (const target of [
      `/api/skills/${made.data.skill.id}/content?semver=1.0.0`,
      `/api/tenants/${org.slug}/roles`,
    ]) {
      const read = async (accepted: string) => {
        const headers = { "accept-encoding": accepted };
        const answer = await service.raw("GET", target, { token: user.token, headers });
        assert.equal(answer.headers.get("vary")?.includes("Accept-Encoding"), true);
        return { coding: answer.headers.get("content-encoding"), text: await answer.text() };
      };
      const { text } = await read("identity");
      for (const [accepted, coding] of [
        ["gzip, deflate, br", "br"],
        ["gzip, deflate", "gzip"],
        ["deflate", "deflate"],
        ["*", "gzip"],
        ["br;q=0.1, gzip", "gzip"],
        ["identity, gzip;q=0.5", null],
        ["br;q=0, identity", null],
        ["zstd", null],
      ] as const)
        assert.deepEqual(await read(accepted), { coding, text }, `${target} ${accepted}`);
    }
  });

  it("sends the plain body to a caller that rejects every encoding", async () => {
    const answer = await service.raw("GET", "/api/openapi.json", {
      headers: { "accept-encoding": "identity;q=0, *;q=0" },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-encoding"), null);
  });

  it("logs every request by route, status and id, and no secret anywhere", async () => {
    const secrets = { password: "hunter2 hunter2 hunter2", content: "the text of the skill" };
    await service.call("POST", "/api/auth/sign-in", {
      body: { email: "nobody@example.com", password: secrets.password },
      headers: { "x-request-id": "sign-in-0001" },
    });
    const made = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
      token: user.token,
      body: { tenantId: org.slug, name: "Logged", content: secrets.content },
    });
    await service.call("GET", `/api/skills/${made.data.skill.id}/content?semver=1.0.0`, {
      cookie: user.cookie,
    });
    await service.call("GET", "/api/skills", { headers: { authorization: `Bearer lsk_${"ab".repeat(32)}` } });
    const { insert } = service.app.storage.tenants;
    service.app.storage.tenants.insert = () =>
      Promise.reject(
        Object.assign(new Error("trouble"), { token: user.token, nested: { password: secrets.password } }),
      );
    const failed = await service.call("POST", "/api/tenants", {
      token: user.token,
      body: { name: "Trouble" },
    });
    service.app.storage.tenants.insert = insert;
    service.app.log.warn(
      { token: user.token, a: { cookie: user.cookie, b: { password: secrets.password } } },
      "x",
    );

    assert.equal(failed.code, "internal");
    await service.call("GET", "/api/explore", { headers: { "x-request-id": "anonymous-0001" } });
    await until("its line", () => logged.some((line) => line.includes("anonymous-0001")));
    const text = logged.join("");
    const cookie = user.cookie.split("=")[1]!;
    for (const secret of [user.token, cookie, ...Object.values(secrets), "ab".repeat(32), "127.0.0.1"])
      assert.ok(!text.includes(secret), `"${secret.slice(0, 20)}" is in the log`);
    const lines = logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    const signIn = lines.find((line) => line["requestId"] === "sign-in-0001" && line["msg"] === "request")!;
    assert.deepEqual(
      [signIn["method"], signIn["route"], signIn["status"], signIn["level"]],
      ["POST", "/api/auth/sign-in", 401, "info"],
    );
    assert.equal(signIn["actor"], "anonymous");
    const anonymous = lines.find((line) => line["requestId"] === "anonymous-0001")!;
    assert.deepEqual([anonymous["actor"], anonymous["actorId"]], ["anonymous", undefined]);
    const refused = lines.find((line) => line["requestId"] === failed.body["requestId"] && "route" in line)!;
    assert.deepEqual(
      [refused["actor"], refused["actorId"], refused["route"]],
      ["user", user.id, "/api/tenants"],
    );
    const trouble = lines.find(
      (line) => line["requestId"] === failed.body["requestId"] && line["error"] !== undefined,
    )!;
    assert.equal((trouble["error"] as { message: string }).message, "trouble");
    assert.ok((trouble["error"] as { stack: string }).stack.includes("test/http/service.test."));
  });
});

describe("rate limits", () => {
  it("return 429 with the time to wait, per budget and caller", async () => {
    const limited = await startService({ rateLimits: true });
    try {
      const user = await limited.newUser();
      const signIn = () =>
        limited.call("POST", "/api/auth/sign-in", {
          body: { email: "a@example.com", password: "x".repeat(12) },
        });
      const answers = [];
      for (let i = 0; i < 25; i++) answers.push(await signIn());

      const refused = answers.filter((answer) => answer.status === 429);
      assert.ok(refused.length >= 5, `${refused.length} of 25 were refused`);
      const [first] = refused;
      assert.equal(first!.code, "rate_limited");
      const wait = Number(first!.headers.get("retry-after"));
      assert.ok(wait >= 1 && wait <= 900);
      assert.equal(first!.details!["retryAfterSeconds"], wait);
      assert.equal((await limited.call("GET", "/api/skills", { token: user.token })).status, 200);
    } finally {
      await limited.close();
    }
  });
});

describe("an unavailable engine", () => {
  it("causes 503 with the envelope, until it is back", { timeout: 600_000 }, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "svc-away-"));
    const log = openLog("silent");
    let engine = await startEmbeddedMongo({ dataDir: path.join(folder, "mongodb"), log });
    const service = await startService({ mongodbUrl: engine.uri });
    try {
      const { owner: user, org } = await newOrganization(service);
      await engine.stop();

      const started = Date.now();
      const answers = await Promise.all([
        service.call("GET", "/readyz"),
        service.call("GET", "/api/explore"),
        service.call("GET", "/api/skills", { token: user.token }),
        service.call("POST", "/api/skills", {
          token: user.token,
          body: { tenantId: org.slug, name: "While away", content: "x\n" },
        }),
      ]);

      for (const answer of answers) {
        assert.deepEqual([answer.status, answer.code], [503, "unavailable"], JSON.stringify(answer.body));
        assert.equal(answer.headers.get("retry-after"), "1");
      }
      assert.ok(Date.now() - started < 120_000, `answered after ${Date.now() - started} ms`);
      assert.equal((await service.raw("GET", "/healthz")).status, 200);
      engine = await startEmbeddedMongo({ dataDir: path.join(folder, "mongodb"), log });
      await until("the service is ready", async () => (await service.call("GET", "/readyz")).status === 200);
      assert.equal((await service.call("GET", "/api/skills", { token: user.token })).status, 200);
    } finally {
      await service.close();
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
