import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import type { MfaRequirementPayload } from "../../contract/payloads/accounts/mfa.ts";
import { listen } from "../events/stream.ts";
import { openCli } from "../support/cli.ts";
import { confirmAddress, newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { startService, type TestOrg, type TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { totpCode } from "./fixture.ts";

const dayMs = 24 * 60 * 60_000;

/** Adds an authenticator app, and returns the session that replaces the user's. */
async function enrol(user: TestUser): Promise<TestUser> {
  const { cookie } = user;
  const begun = await service.call<{ secret: string }>("POST", "/api/auth/mfa/totp", { cookie });
  assert.equal(begun.status, 200, begun.error);
  const body = { code: totpCode(begun.data.secret, service.app.now()) };
  const done = await service.call("POST", "/api/auth/mfa/totp/confirm", { cookie, body });
  assert.equal(done.status, 200, done.error);
  return { ...user, cookie: done.headers.getSetCookie()[0]!.split(";")[0]! };
}

const require = (user: TestUser, body: object, at: TestOrg = org) =>
  service.call<MfaRequirementPayload>("PUT", `/api/tenants/${at.slug}/mfa-requirement`, {
    cookie: user.cookie,
    body,
  });
const get = (target: string, user: TestUser) => service.call("GET", target, { token: user.token });

const { service, clock } = await setUpService();
let owner = await service.newUser();
const org = await service.newOrg(owner);
await confirmAddress(service, owner);
let member = await newMember(service, org, "member");
const folderId = (await newFolder(service, org, owner, "shelf")).id;
const closed = await newFolder(service, org, owner, "closed");
await restrict(service, owner, closed.id, []);
const publish = (name: string, at: string, visibility: string) =>
  publishSkill(service, org, owner, { name, folder: at, visibility });
const secretSkill = await publish("Secret skill", "shelf", "private");
const openSkill = await publish("Open skill", "shelf", "public");
const hiddenSkill = await publish("Hidden skill", "closed", "private");
owner = await enrol(owner);
await service.settled();

describe("an organization's requirement of a second factor", () => {
  it("is set by those who manage its security, who need a factor and a recent verification", async () => {
    const refused = await require(member, { required: true });
    assert.deepEqual([refused.status, refused.code], [403, "forbidden"]);
    const stranger = await service.newUser();
    assert.equal((await require(stranger, { required: true })).code, "not_found");
    const admin = await newMember(service, org, "admin");
    assert.equal((await require(admin, { required: true })).code, "refused");
    clock.aheadMs += 11 * 60_000;
    const late = await require(owner, { required: true });
    assert.deepEqual(
      [late.status, late.code, late.details],
      [403, "reauthentication_required", { proof: "factor" }],
    );
    clock.aheadMs -= 11 * 60_000;
    for (const graceDays of [-1, 91, 1.5])
      assert.equal((await require(owner, { required: true, graceDays })).code, "invalid_request");
  });

  it("gives the days of grace, reports who lacks a factor, and records each change once", async () => {
    const set = await require(owner, { required: true, graceDays: 7 });
    const again = await require(owner, { required: true, graceDays: 7 });

    assert.equal(set.status, 200, set.error);
    assert.equal(set.data.members, 3);
    assert.equal(set.data.membersWithout, 2);
    assert.deepEqual(again.data, set.data);
    assert.equal(Math.round((Date.parse(set.data.enforcedFrom!) - Date.now() - clock.aheadMs) / dayMs), 7);
    assert.equal((await get(`/api/tenants/${org.slug}`, member)).status, 200);
    await service.settled();
    const log = await service.call<{ entries: object[] }>(
      "GET",
      `/api/tenants/${org.slug}/audit-log?action=mfa.org_requirement_updated`,
      { token: owner.token },
    );
    assert.equal(log.data.entries.length, 1);
  });

  it("is enforced from the first request after the grace, in another process too", async () => {
    const there = await startService({ now: () => new Date(Date.now() + clock.aheadMs) });
    try {
      const status = async () =>
        (await there.call("GET", `/api/skills/${secretSkill.id}`, { token: member.token })).code;
      assert.equal(await status(), undefined);

      clock.aheadMs += 7 * dayMs + 1000;

      assert.equal(await status(), "mfa_required");
    } finally {
      await there.close();
    }
  });

  it("withholds everything that the member could read, and nothing that anyone may", async () => {
    const targets = [
      `/api/tenants/${org.slug}`,
      `/api/tenants/${org.id}/members`,
      `/api/tenants/${org.slug}/folders`,
      `/api/tenants/${org.slug}/avatar`,
      `/api/skills/${secretSkill.id}`,
      `/api/skills/${secretSkill.publicId}`,
      `/api/skills/${secretSkill.publicId}/content`,
      `/api/skills/${org.slug}~secret-skill`,
      `/api/skills/${org.slug}~never-published`,
      `/api/skills/${org.slug}~hidden-skill`,
      `/api/skills/resolve?ref=secret-skill`,
      `/api/skills?tenant_id=${org.slug}`,
      `/api/folders/${folderId}/access`,
      `/api/events?tenant=${org.slug}`,
    ];
    for (const target of targets) {
      const answer = await get(target, member);
      assert.deepEqual([answer.status, answer.code], [403, "mfa_required"], target);
      assert.deepEqual(answer.details?.["organization"], { id: org.id, slug: org.slug, name: org.slug });
      assert.ok(!JSON.stringify(answer.body).includes("Secret skill"), target);
    }
    const bySession = await service.call("GET", `/api/skills/${secretSkill.id}`, { cookie: member.cookie });
    assert.equal(bySession.code, "mfa_required");
    const missing = "0".repeat(24);
    assert.equal((await get(`/api/skills/${missing}`, member)).code, "not_found");
    assert.equal((await get(`/api/skills/${hiddenSkill.publicId}`, member)).code, "not_found");
    assert.equal((await get(`/api/skills/${openSkill.publicId}`, member)).status, 200);
    assert.deepEqual((await get("/api/skills", member)).data, []);
    assert.deepEqual((await get("/api/tenants", member)).data, []);
    const profile = await get("/api/user/profile", member);
    const memberships = profile.data["memberships"] as { slug: string; mfaRequired?: true }[];
    assert.deepEqual(
      memberships.map(({ slug, mfaRequired }) => [slug, mfaRequired]),
      [[org.slug, true]],
    );
  });

  it("refuses writes: publishing, deleting, tokens of the organization", async () => {
    const writes: [string, string, object][] = [
      ["POST", "/api/skills", { tenantId: org.id, name: "New", content: "x\n" }],
      ["POST", `/api/skills/${secretSkill.id}/versions`, { content: "x\n" }],
      ["DELETE", `/api/skills/${secretSkill.id}`, {}],
      ["POST", `/api/tenants/${org.id}/folders`, { path: "mine" }],
      ["POST", `/api/tenants/${org.id}/tokens`, { name: "mine" }],
    ];
    for (const [method, target, body] of writes) {
      const answer = await service.call(method, target, { cookie: member.cookie, body });
      assert.equal(answer.code, "mfa_required", `${method} ${target}`);
    }
  });

  it("holds for git, share pages, streams and the approval of devices", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "svc-mfa-"));
    const url = new URL(`/${org.slug}/secret-skill.git`, service.url);
    Object.assign(url, { username: "x", password: member.token });
    await assert.rejects(
      promisify(execFile)("git", ["clone", url.href, folder], {
        env: { PATH: process.env["PATH"], GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1", HOME: folder },
      }),
      /requires a second factor|403/,
    );
    rmSync(folder, { recursive: true, force: true });

    const page = await service.raw("GET", `/s/${secretSkill.publicId}`, { cookie: member.cookie });
    assert.equal(page.status, 403);
    assert.match(await page.text(), /requires a second factor[^]*\/settings\/security/);

    const asked = await service.call("POST", "/api/auth/device/code", { body: { client_id: "svc-cli" } });
    const { user_code: userCode } = asked.body as { user_code: string };
    const decide = (approve: boolean) =>
      service.call("POST", "/api/auth/device/decision", {
        cookie: member.cookie,
        body: { userCode, approve },
      });
    assert.equal((await decide(true)).code, "mfa_required");
    assert.equal((await decide(false)).status, 200);

    const stream = await listen<{ tenantId: string | null }>(service, "/api/events", { token: member.token });
    const own = await listen<{ tenantId: string | null }>(service, "/api/events", { token: owner.token });
    const body = { name: "New name of the secret" };
    await service.call("PUT", `/api/skills/${secretSkill.id}`, { token: owner.token, body });
    await own.change(({ tenantId }) => tenantId === org.id, "the owner's change");
    assert.ok(stream.of("change").every(({ tenantId }) => tenantId !== org.id));
    stream.close();
    own.close();
  });

  it("is explained by the client, with the page where to add a factor", async () => {
    const home = mkdtempSync(path.join(os.tmpdir(), "svc-mfa-"));
    try {
      const svc = openCli({ home, cwd: home, apiUrl: () => service.url });
      const failure = await svc.failure(["versions", `${org.slug}/secret-skill`], {
        env: { SVC_TOKEN: member.token },
      });
      assert.equal(failure.code, "E_FORBIDDEN");
      assert.match(failure.message, /requires a second factor.*\/settings\/security/);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it("refuses an invitation until its person has a factor", async () => {
    let guest = await service.newUser();
    await confirmAddress(service, guest);
    const invited = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/invitations`, {
      token: owner.token,
      body: { email: `${guest.username}@example.com`, role: "viewer" },
    });
    assert.equal(invited.status, 201, invited.error);
    const accept = () =>
      service.call("POST", `/api/invitations/${invited.data.id}/accept`, { cookie: guest.cookie });

    const refused = await accept();
    guest = await enrol(guest);
    const accepted = await accept();

    assert.deepEqual([refused.status, refused.code], [403, "mfa_required"]);
    assert.equal(accepted.status, 200, accepted.error);
  });

  it("does not concern the organization's own tokens", async () => {
    const session = await service.call("POST", "/api/auth/reauthenticate", {
      cookie: owner.cookie,
      body: { password: "correct horse battery" },
    });
    assert.equal(session.code, "refused", "an account with a factor is not verified by its password");
    const token = `lskt_${"0".repeat(64)}`;
    assert.equal((await service.call("GET", "/api/tenants", { token })).status, 401);
    const { storage, newId, now } = service.app;
    const { createHash } = await import("node:crypto");
    await storage.tokens.insert({
      _id: newId(),
      tenantId: org.id,
      createdBy: owner.id,
      name: "ci",
      secretHash: createHash("sha256").update(token).digest("hex"),
      createdAt: now(),
    });

    assert.equal((await service.call("GET", `/api/skills/${secretSkill.id}`, { token })).status, 200);
  });

  it("lets a member leave, or enrol and go on at the next request", async () => {
    const leaver = await newMember(service, org, "viewer");
    await service.app.storage.memberships.follow((await service.app.storage.tenants.find(org.id))!);
    assert.equal((await get(`/api/tenants/${org.slug}`, leaver)).code, "mfa_required");
    const left = await service.call("DELETE", `/api/tenants/${org.slug}/members/${leaver.id}`, {
      cookie: leaver.cookie,
    });
    assert.equal(left.status, 200, left.error);
    assert.equal((await get(`/api/tenants/${org.slug}`, leaver)).code, "not_found");

    const signedIn = await service.call("POST", "/api/auth/reauthenticate", {
      cookie: member.cookie,
      body: { password: "correct horse battery" },
    });
    assert.equal(signedIn.status, 200, signedIn.error);
    member = await enrol(member);

    assert.equal((await get(`/api/skills/${secretSkill.id}`, member)).status, 200);
    assert.equal((await get(`/api/skills/${hiddenSkill.id}`, member)).code, "not_found");
  });

  it("keeps the last factor of a member, until it is lifted", async () => {
    const remove = () => service.call("DELETE", "/api/auth/mfa", { cookie: member.cookie });
    const kept = await remove();
    assert.deepEqual([kept.status, kept.code], [422, "refused"]);
    assert.deepEqual(kept.details?.["organizations"], [org.slug]);

    const { storage, now } = service.app;
    const lifted = await storage.tenants.change(org.id, { unset: ["mfaRequirement"], now: now() });
    await storage.memberships.follow(lifted!);

    assert.equal((await remove()).status, 200);
    assert.equal((await get(`/api/skills/${secretSkill.id}`, member)).status, 200);
  });
});
