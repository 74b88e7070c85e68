import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { openCli } from "../support/cli.ts";
import { newFolder, newMember } from "../support/organization.ts";
import { setUpTokens } from "./fixture.ts";

const dayMs = 24 * 60 * 60_000;

const fixture = await setUpTokens();
const { service, owner, org, list, revoke, made, revokeAll, statusOf } = fixture;

describe("a token of an organization", () => {
  it("acts as the organization, under its own name", async () => {
    const robot = await made(owner, { name: "Release <bot@example.org>" });

    const published = await service.call<PublishResult>("POST", "/api/skills", {
      token: robot.token,
      body: { tenantId: org.slug, name: "By robot", content: "text\n" },
    });
    assert.equal(published.status, 201, JSON.stringify(published.body));
    const { version } = published.data;
    assert.deepEqual(version.author, { name: "Release <bot@example.org>", username: org.slug });
    await service.settled();

    const log = service.app.storage.database.raw.collection("audit_events");
    const created = await log.findOne({ name: "skill.created", tenantId: org.id });
    assert.deepEqual(created?.["actor"], {
      type: "organization",
      id: robot.id,
      name: "Release <bot@example.org>",
    });
    assert.equal(created?.["userId"], undefined);
    const minted = await log.findOne({ name: "organization.token_created", resourceId: robot.id });
    assert.equal(minted?.["tenantId"], org.id);
    assert.equal(minted?.["userId"], owner.id);
    await revoke(robot, robot.id);
    await service.settled();
    const revoked = await log.findOne({ name: "organization.token_revoked", resourceId: robot.id });
    assert.deepEqual(revoked?.["actor"], created?.["actor"]);
    assert.deepEqual(await service.app.storage.tokens.listUnflushed(new Date(Date.now() + dayMs), 10), []);
  });

  it("can do what administrators can, except for what requires a person", async () => {
    const robot = await made(owner);
    const member = await newMember(service, org, "member");
    const call = (method: string, target: string, body?: unknown) =>
      service.call(method, target, { token: robot.token, body });
    const at = `/api/tenants/${org.id}`;

    assert.equal((await call("PATCH", at, { description: "by robot" })).status, 200);
    assert.equal((await call("GET", `${at}/members`)).status, 200);
    assert.equal((await call("PATCH", `${at}/members/${member.id}`, { role: "viewer" })).status, 200);
    assert.equal((await call("PATCH", `${at}/members/${member.id}`, { role: "owner" })).status, 403);
    assert.equal((await call("DELETE", `${at}/members/${owner.id}`)).status, 403);
    const own = await service.call<{ id: string; role: string }[]>("GET", "/api/tenants", {
      token: robot.token,
    });
    assert.deepEqual(
      own.data.map(({ id, role }) => [id, role]),
      [[org.id, "token"]],
    );
    for (const [method, target, body] of [
      ["GET", "/api/user/profile"],
      ["PATCH", "/api/user/profile", { name: "Robot" }],
      ["GET", "/api/user/audit-log"],
      ["GET", "/api/user/tokens"],
      ["POST", "/api/user/tokens", { name: "more" }],
      ["DELETE", `/api/user/tokens/${robot.id}`],
      ["POST", "/api/tenants", { name: "Robots" }],
      ["POST", "/api/auth/device/decision", { userCode: "BCDF-GHJK", approve: true }],
    ] as const) {
      const answer = await call(method, target, body);
      assert.equal(answer.status, 403, `${method} ${target}`);
      assert.match(answer.error!, /token of the organization/);
    }
    await revokeAll();
  });

  it("reads the organization's log if its scopes allow it, regardless of its folders", async () => {
    const folder = await newFolder(service, org, owner, "logged");
    const ask = async (limits: object) => {
      const { token } = await made(owner, limits);
      return (await service.call("GET", `/api/tenants/${org.id}/audit-log`, { token })).status;
    };

    assert.equal(await ask({}), 200);
    assert.equal(await ask({ scopes: { auditLog: ["read"] } }), 200);
    assert.equal(await ask({ scopes: { skill: ["read"] } }), 403);
    assert.equal(await ask({ scopes: { auditLog: ["read"] }, allowedFolderIds: [folder.id] }), 403);
    await revokeAll();
  });

  it("logs the client in, which can publish and list, and prints the organization", async () => {
    const robot = await made(owner);
    const home = mkdtempSync(path.join(os.tmpdir(), "svc-robot-"));
    try {
      const cli = openCli({ home, cwd: home, apiUrl: () => service.url });
      const file = path.join(home, "note.md");
      writeFileSync(file, "from a pipeline\n");

      assert.deepEqual(await cli.json(["login", "--token", robot.token]), { method: "token" });
      const { organization } = (await cli.json(["whoami"])) as { organization: { slug: string } };
      assert.equal(organization.slug, org.slug);
      await cli.json(["publish", file, "--team", org.slug, "--name", "From a pipeline"]);
      const listed = (await cli.json(["list"])) as { name: string }[];
      assert.ok(listed.some(({ name }) => name === "From a pipeline"));
      await revoke(owner, robot.id);
      assert.equal((await cli.failure(["list"])).code, "E_NOT_AUTHENTICATED");
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
    await revokeAll();
  });

  it("follows renames of the organization, and reaches no other", async () => {
    const [renamed, other] = [await service.newOrg(owner), await service.newOrg(owner)];
    const robot = await made(owner, {}, renamed.id);
    const slug = `${renamed.slug}-now`;
    await service.call("PATCH", `/api/tenants/${renamed.id}`, { token: robot.token, body: { slug } });

    const published = await service.call<PublishResult>("POST", "/api/skills", {
      token: robot.token,
      body: { tenantId: slug, name: "After", content: "text\n" },
    });

    assert.equal(published.data.version.author?.username, slug);
    for (const target of [
      `/api/tenants/${other.id}`,
      `/api/tenants/${other.slug}/folders`,
      `/api/tenants/${other.id}/tokens`,
      `/api/skills?tenant_id=${other.id}`,
    ])
      assert.equal((await service.call("GET", target, { token: robot.token })).status, 404, target);
  });

  it("can't use uploads of other tokens of the organization", async () => {
    const [robot, other] = [await made(owner), await made(owner)];
    const announced = await service.call<{ url: string }>("POST", "/api/uploads", {
      token: robot.token,
      body: { size: 4, sha256: "0".repeat(64) },
    });

    const sent = await service.raw("PUT", announced.data.url, {
      token: other.token,
      bytes: Buffer.from("data"),
    });

    assert.equal(announced.status, 201);
    assert.equal(sent.status, 404);
    await revokeAll();
  });

  it("remains valid when its creator leaves or is deleted", async () => {
    const maker = await newMember(service, org, "admin");
    const robot = await made(maker);
    const left = await service.call("DELETE", `/api/tenants/${org.id}/members/${maker.id}`, {
      token: maker.token,
    });
    assert.equal(left.status, 200, JSON.stringify(left.body));

    assert.equal(await statusOf(robot.token), 200);
    assert.equal((await revoke(maker, robot.id)).status, 404);
    await service.settled();
    await service.app.storage.database.raw.collection("users").deleteOne({ _id: maker.id as never });

    assert.equal(await statusOf(robot.token), 200);
    const [shown] = (await list(owner)).data;
    assert.deepEqual([shown?.id, shown?.createdBy], [robot.id, null]);
    await revokeAll();
  });

  it("is invalid while its organization waits to be erased, and afterwards", async () => {
    const doomed = await service.newOrg(owner);
    const robot = await made(owner, {}, doomed.id);
    const ask = () => service.call("GET", "/api/tenants", { token: robot.token });
    const { tenants } = service.app.storage;
    assert.equal((await ask()).status, 200);

    const now = service.app.now();
    await tenants.change(doomed.id, { set: { deletionAt: new Date(now.getTime() + dayMs) }, now });
    const scheduled = await ask();
    await tenants.change(doomed.id, { unset: ["deletionAt"], now });
    const restored = await ask();
    await tenants.change(doomed.id, { set: { deletionAt: now }, now });
    await tenants.beginErasing(doomed.id, now);
    await tenants.erase(doomed.id, now);
    const erased = await ask();

    assert.deepEqual([scheduled.status, restored.status, erased.status], [401, 200, 401]);
    assert.match(scheduled.error!, /was deleted and will be erased/);
    assert.match(erased.error!, /no longer exists/);
  });
});
