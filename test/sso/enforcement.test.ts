import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { totpCode } from "../mfa/fixture.ts";
import { openCli } from "../support/cli.ts";
import { deliverMails } from "../support/mailbox.ts";
import { confirmAddress, newFolder, newMember, publishSkill } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { newProvider, samlSettings, verifyDomain } from "../support/sso/fixture.ts";
import {
  allow,
  askConsent,
  connectProgram,
  newClient,
  readByAgent,
  type Program,
} from "../support/sso/program.ts";
import { confirmLink, signInBySaml, startSaml } from "../support/sso/saml-browser.ts";

const dayMs = 86_400_000;
const password = "correct horse battery";
let ownerSecret: string;
/** The member's session after a sign-in through the provider. */
let passed: string;
/** A program that the member gave access before the enforcement. */
let program: Program;
/** The owner's session after the use of their second factor instead of the provider. */
let ownerSession: string;

const addressOf = ({ username }: TestUser) => `${username}@example.com`;
const providerPath = () => `/api/tenants/${org.id}/sso/providers/${provider}`;
const withCookie = (...cookies: string[]) => ({ cookie: cookies.join("; ") });
const events = async (action: string) => {
  await service.settled();
  const log = await service.call<{ entries: { userId: string; metadata: object }[] }>(
    "GET",
    `/api/tenants/${org.slug}/audit-log?action=${action}`,
    { token: orgToken },
  );
  return log.data.entries;
};

/** Signs a person in by the provider, in a browser with a session of theirs. Confirms a link if it is asked for. */
async function signInBy(user: TestUser, session: string): Promise<string> {
  const started = await startSaml(service, provider, withCookie(session));
  const person = { subject: addressOf(user), email: addressOf(user) };
  const browser = { ...started, cookie: `${started.cookie}; ${session}` };
  const ended = await signInBySaml(service, browser, person);
  if (ended.session) return ended.session;
  const { session: made, text } = await confirmLink(service, ended.location!, browser.cookie);
  assert.ok(made, text);
  return made;
}

/** Adds an authenticator app, and returns its secret and the session that replaces the user's. */
async function enrol({ cookie }: TestUser): Promise<{ secret: string; cookie: string }> {
  const begun = await service.call<{ secret: string }>("POST", "/api/auth/mfa/totp", { cookie });
  const body = { code: totpCode(begun.data.secret, service.app.now()) };
  const done = await service.call("POST", "/api/auth/mfa/totp/confirm", { cookie, body });
  assert.equal(done.status, 200, done.error);
  return { secret: begun.data.secret, cookie: done.headers.getSetCookie()[0]!.split(";")[0]! };
}

const { service, clock } = await setUpService({ ssoPrivateNetwork: true });
let owner: TestUser = await service.newUser();
const org = await service.newOrg(owner);
await confirmAddress(service, owner);
let member: TestUser = await newMember(service, org, "member");
await confirmAddress(service, member);
await newFolder(service, org, owner, "shelf");
const skill = await publishSkill(service, org, owner, {
  name: "Secret skill",
  folder: "shelf",
  visibility: "private",
});
const made = await service.call<{ token: string }>("POST", `/api/tenants/${org.id}/tokens`, {
  cookie: owner.cookie,
  body: { name: "CI" },
});
const orgToken = made.data.token;
await verifyDomain(service, org, "example.com");
const provider = (await newProvider(service, org, owner)).id;

describe("the enforcement of an identity provider", () => {
  it("needs a successful sign-in, and an owner with a second factor", async () => {
    const enforce = (cookie: string) =>
      service.call("PATCH", providerPath(), { cookie, body: { enforced: true } });
    assert.equal((await enforce(member.cookie)).code, "forbidden");
    assert.match((await enforce(owner.cookie)).error!, /has signed in/);
    passed = await signInBy(member, member.cookie);
    program = await connectProgram(service, passed, org.id);
    assert.equal(await program.reads(`${org.slug}/secret-skill`), "read");
    assert.match((await enforce(owner.cookie)).error!, /second factor/);
    const enrolled = await enrol(owner);
    ownerSecret = enrolled.secret;
    owner = { ...owner, cookie: enrolled.cookie };

    const enforced = await enforce(owner.cookie);

    assert.equal(enforced.status, 200, enforced.error);
    await service.settled();
    const again = await service.call("POST", "/api/auth/sign-in", {
      body: { email: addressOf(member), password },
    });
    assert.equal(again.status, 200, again.error);
    member = { ...member, cookie: again.headers.getSetCookie()[0]!.split(";")[0]! };
    await service.app.storage.database.raw
      .collection("memberships")
      .updateOne({ userId: member.id }, { $unset: { sso: true } });
  });

  it("withholds the organization from sessions and tokens without it, with the way on", async () => {
    const targets = [
      `/api/tenants/${org.slug}`,
      `/api/tenants/${org.id}/members`,
      `/api/tenants/${org.slug}/folders`,
      `/api/skills/${skill.id}`,
      `/api/skills/${skill.publicId}/content`,
      `/api/skills/${org.slug}~never-published`,
      `/api/events?tenant=${org.slug}`,
    ];
    for (const target of targets)
      for (const who of [{ cookie: member.cookie }, { token: member.token }]) {
        const answer = await service.call("GET", target, who);
        assert.deepEqual([answer.status, answer.code], [403, "sso_required"], target);
        assert.equal(answer.details?.["startUrl"], `/sso/${org.slug}`);
        assert.ok(!JSON.stringify(answer.body).includes("Secret skill"), target);
      }
    const body = { tenantId: org.id, name: "New", content: "x\n" };
    assert.equal(
      (await service.call("POST", "/api/skills", { token: member.token, body })).code,
      "sso_required",
    );
    const profile = await service.call<{ memberships: object[] }>("GET", "/api/user/profile", {
      cookie: member.cookie,
    });
    assert.deepEqual(profile.data.memberships, [
      { tenantId: org.id, slug: org.slug, name: org.slug, ssoRequired: `/sso/${org.slug}` },
    ]);
    const byOrganization = await service.call("GET", `/api/skills/${skill.id}`, { token: orgToken });
    assert.equal(byOrganization.status, 200);
  });

  it("holds for git, the client, agents, share pages and devices", async () => {
    const home = mkdtempSync(path.join(os.tmpdir(), "svc-sso-"));
    try {
      const url = new URL(`/${org.slug}/secret-skill.git`, service.url);
      Object.assign(url, { username: "x", password: member.token });
      const env = {
        PATH: process.env["PATH"],
        GIT_TERMINAL_PROMPT: "0",
        GIT_CONFIG_NOSYSTEM: "1",
        HOME: home,
      };
      await assert.rejects(
        promisify(execFile)("git", ["clone", url.href, path.join(home, "clone")], { env }),
        /identity provider|403/,
      );
      const svc = openCli({ home, cwd: home, apiUrl: () => service.url });
      const failure = await svc.failure(["versions", `${org.slug}/secret-skill`], {
        env: { SVC_TOKEN: member.token },
      });
      assert.equal(failure.code, "E_FORBIDDEN");
      assert.match(failure.message, new RegExp(`/sso/${org.slug}`));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }

    assert.equal(await readByAgent(service, member.token, `${org.slug}/secret-skill`), "sso_required");

    const page = await service.raw("GET", `/s/${skill.publicId}`, { cookie: member.cookie });
    assert.equal(page.status, 403);
    const link = `/sso/${org.slug}?return_to=${encodeURIComponent(`/s/${skill.publicId}`)}`;
    assert.ok((await page.text()).includes(`href="${link}"`));
    const started = await service.raw("GET", link, { cookie: member.cookie });
    assert.match(started.headers.get("location")!, /^https:\/\/idp\.example\.com\/sso\?/);

    const asked = await service.call("POST", "/api/auth/device/code", { body: { client_id: "svc-cli" } });
    const { user_code: userCode } = asked.body as { user_code: string };
    const body = { userCode, approve: true };
    const decided = await service.call("POST", "/api/auth/device/decision", { cookie: member.cookie, body });
    assert.equal(decided.code, "sso_required");
  });

  it("holds for OAuth grants and invitations, whose pages lead to the sign-in", async () => {
    const consent = await askConsent(service, await newClient(service), member.cookie);
    const text = await (await service.raw("GET", consent, { cookie: member.cookie })).text();
    assert.ok(text.includes(`/sso/${org.slug}?return_to=${encodeURIComponent(consent)}`), text.slice(-2000));
    const allowed = await allow(service, consent, member.cookie, org.id);
    assert.equal(allowed.status, 403);

    // Access that was given before, whose tokens can be renewed, but reach nothing.
    assert.equal(await program.reads(`${org.slug}/secret-skill`), "sso_required");
    assert.equal(await program.renew(), 200);
    assert.equal(await program.reads(`${org.slug}/secret-skill`), "sso_required");

    const guest = await service.newUser();
    await confirmAddress(service, guest);
    const invited = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/invitations`, {
      token: orgToken,
      body: { email: addressOf(guest), role: "viewer" },
    });
    assert.equal(invited.status, 201, invited.error);
    const accept = (cookie: string) =>
      service.call("POST", `/api/invitations/${invited.data.id}/accept`, { cookie });
    assert.equal((await accept(guest.cookie)).code, "sso_required");
    assert.equal((await accept(await signInBy(guest, guest.cookie))).status, 200);
  });

  it("is met by a sign-in, which counts seven days for the session and thirty for tokens", async () => {
    const reads = async (who: object) =>
      (await service.call("GET", `/api/skills/${skill.id}`, who)).code ?? "read";
    assert.equal(await reads({ cookie: passed }), "read");
    const session = await signInBy(member, member.cookie);
    assert.deepEqual(
      [await reads({ cookie: session }), await reads({ token: member.token })],
      ["read", "read"],
    );
    assert.equal(await program.reads(`${org.slug}/secret-skill`), "read");
    clock.aheadMs += 7 * dayMs + 1000;
    assert.deepEqual(
      [await reads({ cookie: session }), await reads({ token: member.token })],
      ["sso_required", "read"],
    );
    clock.aheadMs += 23 * dayMs;
    assert.equal(await reads({ token: member.token }), "sso_required");
    assert.equal(await reads({ token: orgToken }), "read");
  });

  it("lets owners in by their second factor, which is an event once and a mail to all owners", async () => {
    const previous = (await events("sso.break_glass_used")).length;
    await deliverMails(service.app);
    const first = await service.call<{ ticket: string }>("POST", "/api/auth/sign-in", {
      body: { email: addressOf(owner), password },
    });
    assert.equal(first.status, 200, first.error);
    const browser = first.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
    const done = await service.call("POST", "/api/auth/mfa/verify", {
      ...withCookie(...browser),
      body: { ticket: first.data.ticket, code: totpCode(ownerSecret, service.app.now()) },
    });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    const cookie = done.headers
      .getSetCookie()
      .find((one) => one.startsWith("svc_session="))!
      .split(";")[0]!;

    assert.equal((await service.call("GET", `/api/skills/${skill.id}`, { cookie })).status, 200);
    const used = await events("sso.break_glass_used");
    assert.equal(used.length, previous + 1);
    const mails = (await deliverMails(service.app)).filter(({ subject }) =>
      /without your identity/.test(subject),
    );
    assert.deepEqual(
      mails.map(({ to }) => to),
      [addressOf(owner)],
    );
    assert.equal(
      (await service.call("GET", `/api/skills/${skill.id}`, { token: owner.token })).code,
      "sso_required",
    );
    ownerSession = cookie;
  });

  it("gives owners a day by it, after which they have to confirm again, with another event", async () => {
    const reads = async () =>
      (await service.call("GET", `/api/skills/${skill.id}`, { cookie: ownerSession })).code ?? "read";
    const confirm = async () => {
      // A code works once.
      clock.aheadMs += 30_000;
      const body = { code: totpCode(ownerSecret, service.app.now()) };
      const done = await service.call("POST", "/api/auth/reauthenticate", { cookie: ownerSession, body });
      assert.equal(done.status, 200, done.error);
    };
    const previous = (await events("sso.break_glass_used")).length;
    await confirm();
    assert.equal((await events("sso.break_glass_used")).length, previous);
    clock.aheadMs += dayMs;
    assert.equal(await reads(), "sso_required");
    await confirm();
    assert.equal(await reads(), "read");
    assert.equal((await events("sso.break_glass_used")).length, previous + 1);
  });

  it("refuses an owner whose session has passed a second factor for something else", async () => {
    const signedIn = await service.call("POST", "/api/auth/sign-in", {
      body: { email: addressOf(member), password },
    });
    const session = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
    const { cookie } = await enrol({ ...member, cookie: session });
    const reads = async () =>
      (await service.call("GET", `/api/skills/${skill.id}`, { cookie })).code ?? "read";
    const body = { role: "owner" };
    const target = `/api/tenants/${org.id}/members/${member.id}`;
    assert.equal((await service.call("PATCH", target, { cookie: ownerSession, body })).status, 200);
    assert.equal(await reads(), "sso_required");
  });

  it("is not ended, and its connection not changed, without a mail to all owners", async () => {
    await deliverMails(service.app);
    const change = async (body: object) => {
      const done = await service.call("PATCH", providerPath(), { cookie: ownerSession, body });
      assert.equal(done.status, 200, done.error);
      const mails = await deliverMails(service.app);
      return mails.flatMap(({ subject, text }) => (/required sign-in/.test(subject) ? [text] : []));
    };
    const reconnected = await change({ saml: samlSettings() });
    assert.equal(reconnected.length, 2);
    assert.match(reconnected[0]!, /has changed the connection to the identity provider/);
    const ended = await change({ enforced: false });
    assert.equal(ended.length, 2);
    assert.match(ended[0]!, /has ended the requirement/);
    assert.deepEqual(await change({ enabled: false }), []);
  });
});
