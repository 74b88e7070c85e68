import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cleanUpAfterMember } from "../../workers/orgs/member-left.ts";
import { newProvider as enableScim } from "../scim/fixture.ts";
import { deliverMails } from "../support/mailbox.ts";
import { newFolder, publishSkill } from "../support/organization.ts";
import { fewestSteps, watchRoundTrips } from "../support/round-trips.ts";
import { setUpService } from "../support/set-up.ts";
import { newProvider } from "../support/sso/fixture.ts";
import { connectProgram } from "../support/sso/program.ts";
import { signInBySaml, startSaml, type Ended } from "../support/sso/saml-browser.ts";

const { service } = await setUpService({ ssoPrivateNetwork: true, reportsCommands: true });
const scim = await enableScim(service);
const provider = (await newProvider(service, scim.org, scim.owner)).id;

const address = (name: string) => `${name}@example.com`;
const attempt = async (name: string, returnTo = "/") =>
  signInBySaml(service, await startSaml(service, provider, { returnTo }), {
    subject: address(name),
    email: address(name),
  });
const asOwner = (method: string, path: string, body?: unknown) =>
  service.call<Record<string, string>>(method, `/api/tenants/${scim.org.id}${path}`, {
    cookie: scim.owner.cookie,
    ...(body ? { body } : {}),
  });
const reaches = async ({ session = "" }: Ended) =>
  (await service.call("GET", `/api/tenants/${scim.org.slug}`, { cookie: session })).status === 200;
const accounts = (name: string) =>
  service.app.storage.database.raw.collection("users").countDocuments({ email: address(name) });
const setActive = (id: string, active: boolean) =>
  scim.ok("PATCH", `/Users/${id}`, { Operations: [{ op: "replace", path: "active", value: active }] });

/** Checks that no one was signed in. Returns the reason in the log of the organization. */
async function refusal(ended: Ended): Promise<string> {
  assert.equal(ended.session, undefined, "a session was opened");
  const number = /\d{4}-\d{4}/.exec(ended.text)?.[0];
  assert.ok(number, ended.text);
  const log = await service.call<{ reason: string }[]>(
    "GET",
    `/api/tenants/${scim.org.id}/sso/sign-ins?number=${number}`,
    { cookie: scim.owner.cookie },
  );
  return log.data[0]!.reason;
}

describe("a person provisioned by SCIM", () => {
  it("signs in through the provider at once, and not while they are deactivated", async () => {
    const user = await scim.newUser("ada");
    const first = await attempt("ada");
    assert.equal(await reaches(first), true);
    assert.equal(await accounts("ada"), 1);

    await setActive(user.id, false);

    assert.equal(await reaches(first), false);
    await service.settled();
    assert.match(await refusal(await attempt("ada")), /^(deactivated|leaving)$/);
    const { userId } = (await service.app.storage.scimUsers.find(scim.org.id, user.id))!;
    await cleanUpAfterMember(service.app, { tenantId: scim.org.id, userId: userId! });
    assert.equal(await refusal(await attempt("ada")), "deactivated");
    assert.equal(await service.app.storage.memberships.find(scim.org.id, userId!), null);

    await setActive(user.id, true);
    assert.equal(await reaches(await attempt("ada")), true);
  });

  it("loses what they gave programs at the next request", async () => {
    const skill = `${scim.org.slug}/shared`;
    await newFolder(service, scim.org, scim.owner, "shelf");
    await publishSkill(service, scim.org, scim.owner, {
      name: "Shared",
      folder: "shelf",
      visibility: "private",
    });
    const user = await scim.newUser("gus");
    const { session = "" } = await attempt("gus");
    const program = await connectProgram(service, session, scim.org.id);
    assert.equal(await program.reads(skill), "read");

    await setActive(user.id, false);
    assert.equal(await program.reads(skill), "not_found");
    await program.renew();
    assert.equal(await program.reads(skill), "not_found");
    assert.equal(
      (await service.call("GET", `/api/skills/${skill.replace("/", "~")}`, { cookie: session })).code,
      "not_found",
    );
  });

  it("gets no account while they are deactivated from the beginning", async () => {
    await scim.newUser("bea", { active: false });
    await scim.ok("POST", "/Users", { userName: address("ben"), active: false });

    for (const name of ["bea", "ben"]) {
      assert.equal(await refusal(await attempt(name)), "deactivated", name);
      assert.equal(await accounts(name), 0, name);
    }
  });

  it("has no password until they choose one, and then confirms a link", async () => {
    await scim.newUser("cleo");
    const signIn = (password: string) =>
      service.call("POST", "/api/auth/sign-in", { body: { email: address("cleo"), password } });
    for (const password of ["", " ", "correct horse battery"])
      assert.notEqual((await signIn(password)).status, 200);

    await deliverMails(service.app);
    await service.call("POST", "/api/auth/password/forgot", { body: { email: address("cleo") } });
    await service.settled();
    const mails = await deliverMails(service.app);
    const { token } = mails.find(({ to }) => to === address("cleo"))!;
    const password = "a staple that is new";
    const reset = await service.call("POST", "/api/auth/password/reset", { body: { token, password } });
    assert.equal(reset.status, 200);
    assert.equal((await signIn(password)).status, 200);

    const ended = await attempt("cleo");
    assert.equal(ended.session, undefined);
    assert.match(ended.location!, /\/link\?state=/);
  });
});

describe("an account without a password", () => {
  it("changes its address and ends itself after a new sign-in through the provider", async () => {
    const { session = "" } = await attempt("lin");
    const call = (method: string, path: string, cookie: string, body?: unknown) =>
      service.call(method, path, { cookie, ...(body ? { body } : {}) });
    const acts = [
      ["POST", "/api/user/email", { email: "lin@elsewhere.test" }],
      ["DELETE", "/api/user/account", {}],
    ] as const;
    const changed = await call("POST", "/api/user/password", session, {
      currentPassword: "anything at all",
      newPassword: "correct horse battery",
    });
    assert.match(changed.error!, /has no password: choose one/);

    const { _id } = (await service.app.storage.users.findCredentials(address("lin")))!;
    const sessions = service.app.storage.database.raw.collection<{ userId: string }>("sessions");
    await sessions.updateMany({ userId: _id }, { $set: { verifiedAt: new Date(0) } });
    for (const [method, path, body] of acts)
      for (const sent of [body, { ...body, password: "guessed" }]) {
        const answer = await call(method, path, session, sent);
        assert.equal(answer.code, "reauthentication_required", path);
        assert.deepEqual(answer.details, { proof: "sso", startUrl: `/sso/${scim.org.slug}` });
      }
    const state = await service.call("GET", "/api/auth/mfa", { cookie: session });
    assert.deepEqual(
      [state.data["hasPassword"], state.data["providerStart"], state.data["verifiedUntil"]],
      [false, `/sso/${scim.org.slug}`, null],
    );

    const again = (await attempt("lin")).session!;
    for (const [method, path, body] of acts)
      assert.equal((await call(method, path, again, body)).status, 200, path);
    assert.equal((await call("GET", "/api/user/profile", again)).status, 401);
    assert.equal(await accounts("lin"), 0);
  });

  it("is the only kind that needs none", async () => {
    const user = await service.newUser();
    for (const [method, path, body] of [
      ["POST", "/api/user/email", { email: "new@elsewhere.test" }],
      ["DELETE", "/api/user/account", {}],
    ] as const) {
      const answer = await service.call(method, path, { cookie: user.cookie, body });
      assert.deepEqual([answer.status, answer.code], [400, "invalid_request"], path);
    }
  });
});

describe("a former member", () => {
  it("returns by an invitation only, whose role and teams they get", async () => {
    const first = await attempt("dora");
    assert.equal(await reaches(first), true);
    const { data: me } = await service.call<{ id: string }>("GET", "/api/user/profile", {
      cookie: first.session!,
    });
    assert.equal((await asOwner("DELETE", `/members/${me.id}`)).status, 200);
    await cleanUpAfterMember(service.app, { tenantId: scim.org.id, userId: me.id });
    assert.equal(await refusal(await attempt("dora")), "former-member");

    const invited = await asOwner("POST", "/invitations", { email: address("dora"), role: "admin" });
    assert.equal(invited.status, 201);
    const back = await attempt("dora", "/somewhere");
    assert.equal(back.location, `/invitations/${invited.data["id"]}`);
    assert.equal(await reaches(back), false);
    const accepted = await service.call("POST", `/api/invitations/${invited.data["id"]}/accept`, {
      cookie: back.session!,
    });

    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    assert.equal(await reaches(back), true);
    const member = await service.app.storage.memberships.find(scim.org.id, me.id);
    assert.equal(member?.role, "admin");
    assert.equal(
      (await scim.events("sso.login_success")).filter(({ resourceId }) => resourceId === me.id).length,
      2,
    );
  });
});

describe("queries that follow each other", () => {
  it("are at most 7 to create a user, and 8 to sign in through the provider", async () => {
    await scim.newUser("counted-first");
    await attempt("counted-first");
    await service.settled();
    const counter = watchRoundTrips(service);
    const person = { subject: address("counted-first"), email: address("counted-first") };
    let users = 0;
    try {
      const created = await fewestSteps(4, async () => {
        await service.settled();
        return counter.during(() => scim.newUser(`counted-${users++}`));
      });
      assert.ok(created.steps <= 7 && created.commands.length <= 12, created.commands.join(", "));
      const signedIn = await fewestSteps(4, async () => {
        await service.settled();
        const started = await startSaml(service, provider, { returnTo: "/" });
        return counter.during(() => signInBySaml(service, started, person));
      });
      assert.ok(signedIn.steps <= 8, signedIn.commands.join(", "));
    } finally {
      counter.close();
    }
  });
});
