import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type { ScimTokenPayload } from "../../contract/payloads/accounts/scim.ts";
import type { AutoJoinPayload } from "../../contract/payloads/accounts/sso-domains.ts";
import { cleanUpAfterMember } from "../../workers/orgs/member-left.ts";
import { providerOf } from "../scim/fixture.ts";
import { deliverMails } from "../support/mailbox.ts";
import { newMember } from "../support/organization.ts";
import type { Answer, TestOrg, TestUser } from "../support/service.ts";
import { newOrganization } from "../support/set-up.ts";
import { eventsOf, pathOf, setUpDomains, verifiedDomain } from "./fixture.ts";

const password = "correct horse battery";
const fixture = await setUpDomains();

interface Company {
  owner: TestUser;
  org: TestOrg;
  domain: string;
  domainId: string;
}

/** An organization with a verified domain; `role` turns auto-join on. */
async function newCompany(role?: string): Promise<Company> {
  const { owner, org } = await newOrganization(fixture.service);
  const domain = `${org.slug}.example`;
  const { id } = await verifiedDomain(fixture, org, owner, domain);
  if (role !== undefined) assert.equal((await set(org, owner, { enabled: true, role })).status, 200);
  return { owner, org, domain, domainId: id };
}

const set = (org: TestOrg, by: TestUser, body: object): Promise<Answer<AutoJoinPayload>> =>
  fixture.service.call<AutoJoinPayload>("PUT", `/api/tenants/${org.id}/auto-join`, {
    cookie: by.cookie,
    body,
  });

/** A person who has signed up with an address, and confirms it unless told otherwise. */
async function newPerson(email: string, isConfirmed = true) {
  const { service } = fixture;
  const username = `p${service.app.newId().slice(-12)}`;
  const signedUp = await service.call<{ id: string }>("POST", "/api/auth/sign-up", {
    body: { email, password, name: username, username },
  });
  assert.equal(signedUp.status, 201, JSON.stringify(signedUp.body));
  const cookie = signedUp.headers.getSetCookie()[0]!.split(";")[0]!;
  const person = { id: signedUp.data.id, username, cookie, email };
  const mail = (await deliverMails(service.app)).find(
    ({ to, link }) => to === email && link.includes("confirm"),
  );
  assert.ok(mail, "a mail with a link");
  const confirm = () =>
    service.call("POST", "/api/user/email/confirm", { cookie, body: { token: mail.token } });
  if (isConfirmed) assert.equal((await confirm()).status, 200);
  return { ...person, confirm };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

const signIn = (email: string) =>
  fixture.service.call<IdentityPayload>("POST", "/api/auth/sign-in", { body: { email, password } });

async function roleOf(org: TestOrg, person: Person): Promise<string | undefined> {
  return (await fixture.service.app.storage.memberships.find(org.id, person.id))?.role;
}

describe("the setting of auto-join", () => {
  it("takes an owner, a verified domain, a role of the organization, and is recorded once per change", async () => {
    const { service } = fixture;
    const { owner, org } = await newOrganization(service);
    const none = await set(org, owner, { enabled: true, role: "member" });
    assert.deepEqual([none.status, none.code], [422, "domain_unverified"]);
    await verifiedDomain(fixture, org, owner, "setting.example");
    for (const [body, status, code] of [
      [{ enabled: true, role: "owner" }, 400, "invalid_request"],
      [{ enabled: true, role: "0".repeat(24) }, 404, "not_found"],
      [{ enabled: true, role: "chief" }, 404, "not_found"],
      [{ enabled: "yes" }, 400, "invalid_request"],
      [{ role: "member" }, 400, "invalid_request"],
    ] as const) {
      const answer = await set(org, owner, body);
      assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(body));
    }
    const admin = await newMember(service, org, "admin");
    assert.equal((await set(org, admin, { enabled: true })).code, "forbidden");

    const on = await set(org, owner, { enabled: true });
    assert.deepEqual(on.data, { enabled: true, role: "member", domains: ["setting.example"] });
    await set(org, owner, { enabled: true, role: "member" });
    assert.equal((await set(org, owner, { enabled: true, role: "viewer" })).data.role, "viewer");
    assert.equal((await set(org, owner, { enabled: false })).data.enabled, false);
    const path = `/api/tenants/${org.id}/auto-join`;
    const read = await service.call<AutoJoinPayload>("GET", path, { cookie: owner.cookie });
    assert.deepEqual(read.data, { enabled: false, role: "member", domains: ["setting.example"] });
    assert.equal((await service.call("GET", path, { cookie: admin.cookie })).code, "forbidden");
    const events = await eventsOf(fixture, org, "organization.auto_join");
    assert.deepEqual(
      events.map(({ metadata }) => metadata),
      [{ enabled: true, role: "member" }, { enabled: true, role: "viewer" }, { enabled: false }],
    );

    fixture.clock.advance(limits.recentVerificationMs + 1000);
    assert.equal((await set(org, owner, { enabled: true })).code, "reauthentication_required");
    fixture.clock.advance(-limits.recentVerificationMs - 1000);
  });

  it("keeps its role from being deleted", async () => {
    const { owner, org } = await newCompany();
    const { service } = fixture;
    const base = `/api/tenants/${org.id}/roles`;
    const role = await service.call<{ id: string }>("POST", base, {
      cookie: owner.cookie,
      body: { name: "Reader", permissions: { skill: ["read"] } },
    });
    await set(org, owner, { enabled: true, role: role.data.id });
    const refused = await service.call("DELETE", `${base}/${role.data.id}`, { cookie: owner.cookie });
    assert.deepEqual([refused.code, /auto-join/.test(refused.error ?? "")], ["refused", true]);
    await set(org, owner, { enabled: false });
    assert.equal(
      (await service.call("DELETE", `${base}/${role.data.id}`, { cookie: owner.cookie })).status,
      200,
    );
  });
});

describe("a person with an address in a verified domain", () => {
  it("becomes a member when they confirm the address, not before", async () => {
    const { org, domain } = await newCompany("viewer");
    const person = await newPerson(`ada@${domain}`, false);
    await signIn(person.email);
    assert.equal(
      await roleOf(org, person),
      undefined,
      "anyone can sign up with the address of another person",
    );
    await person.confirm();
    assert.equal(await roleOf(org, person), "viewer");
    const events = await eventsOf(fixture, org, "organization.auto_joined");
    assert.deepEqual(
      events.map(({ userId, actor, metadata }) => [userId, actor.name, metadata["role"], metadata["domain"]]),
      [[person.id, person.username, "viewer", domain]],
    );
  });

  it("becomes a member when they sign in, and the response shows it", async () => {
    const { owner, org, domain } = await newCompany();
    const person = await newPerson(`ada@${domain}`);
    assert.equal(await roleOf(org, person), undefined);
    await set(org, owner, { enabled: true, role: "member" });
    const signedIn = await signIn(person.email);
    assert.deepEqual(
      signedIn.data.memberships.map(({ slug }) => slug),
      [org.slug],
    );
    assert.equal(await roleOf(org, person), "member");
  });

  it("becomes a member by a new address that they confirm", async () => {
    const { org, domain } = await newCompany("member");
    const person = await newPerson("ada@elsewhere.example");
    const email = `moved@${domain}`;
    const asked = await fixture.service.call("POST", "/api/user/email", {
      cookie: person.cookie,
      body: { email, password },
    });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    const mail = (await deliverMails(fixture.service.app)).find(({ to }) => to === email);
    await fixture.service.call("POST", "/api/user/email/confirm", {
      cookie: person.cookie,
      body: { token: mail!.token },
    });
    assert.equal(await roleOf(org, person), "member");
  });

  it("joins once, with one event, in concurrent sign-ins", async () => {
    const { owner, org, domain } = await newCompany();
    const person = await newPerson(`ada@${domain}`);
    await set(org, owner, { enabled: true });
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn(person.email)));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal((await eventsOf(fixture, org, "organization.auto_joined")).length, 1);
    assert.equal(await roleOf(org, person), "member");
  });

  it("does not come back after they left or were removed, unless invited", async () => {
    const { owner, org, domain } = await newCompany("member");
    const { service } = fixture;
    const [removed, left] = [await newPerson(`removed@${domain}`), await newPerson(`left@${domain}`)];
    const path = (person: Person) => `/api/tenants/${org.id}/members/${person.id}`;
    await service.call("DELETE", path(removed), { cookie: owner.cookie });
    await service.call("DELETE", path(left), { cookie: left.cookie });
    for (const isCleanedUp of [false, true])
      for (const person of [removed, left]) {
        if (isCleanedUp) await cleanUpAfterMember(service.app, { tenantId: org.id, userId: person.id });
        await signIn(person.email);
        assert.equal(await roleOf(org, person), undefined, `${person.email}, cleaned up: ${isCleanedUp}`);
      }
  });

  it("does not join if the identity provider has deactivated them before they had an account", async () => {
    const { owner, org, domain } = await newCompany("member");
    const { service } = fixture;
    const enabled = await service.call<ScimTokenPayload>("POST", `/api/tenants/${org.id}/scim`, {
      cookie: owner.cookie,
      body: {},
    });
    const provider = providerOf(service, org, owner, enabled.data);
    const email = `gone@${domain}`;
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"];
    const emails = [{ value: email, primary: true }];
    await provider.ok("POST", "/Users", { schemas, userName: email, emails, active: false });

    assert.equal(await roleOf(org, await newPerson(email)), undefined);
    assert.equal(await roleOf(org, await newPerson(`other@${domain}`)), "member");
  });

  it("is left to accept an invitation, which may give another role", async () => {
    const { owner, org, domain } = await newCompany("viewer");
    const { service } = fixture;
    await service.app.storage.users.markVerified(
      owner.id,
      `${owner.username}@example.com`,
      service.app.now(),
    );
    const invited = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/invitations`, {
      cookie: owner.cookie,
      body: { email: `ada@${domain}`, role: "admin" },
    });
    assert.equal(invited.status, 201, JSON.stringify(invited.body));
    const person = await newPerson(`ada@${domain}`);
    assert.equal(await roleOf(org, person), undefined);
    const accepted = await service.call("POST", `/api/invitations/${invited.data.id}/accept`, {
      cookie: person.cookie,
    });
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    assert.equal(await roleOf(org, person), "admin");
  });

  it("without the second factor that the organization requires is a member who sees nothing yet", async () => {
    const { org, domain } = await newCompany("admin");
    const { storage, now } = fixture.service.app;
    const from = new Date(now().getTime() - 1000);
    await storage.tenants.change(org.id, {
      set: { mfaRequirement: { from, graceDays: 0 } },
      now: now(),
    });
    const person = await newPerson(`ada@${domain}`);
    assert.equal(await roleOf(org, person), "admin");
    const refused = await fixture.service.call("GET", `/api/tenants/${org.id}`, { cookie: person.cookie });
    assert.equal(refused.code, "mfa_required");
  });

  it("does not join while the account is suspended", async () => {
    const { owner, org, domain } = await newCompany();
    const person = await newPerson(`ada@${domain}`);
    await set(org, owner, { enabled: true });
    const { storage, now } = fixture.service.app;
    const suspended = { at: now(), by: { userId: "x", username: "x" }, reason: "test" };
    await storage.database
      .collection<{ _id: string }>("users")
      .updateOne({ _id: person.id }, { $set: { suspended } });
    await signIn(person.email);
    assert.equal(await roleOf(org, person), undefined);
  });
});

describe("auto-join", () => {
  it("takes no one whose domain is not verified by the organization now", async () => {
    const { owner, org, domain, domainId } = await newCompany("member");
    const { service } = fixture;
    for (const email of [
      `ada@sub.${domain}`,
      `ada@x${domain}`,
      `ada@${domain}.evil.example`,
      `${domain}@evil.example`,
    ])
      assert.equal(await roleOf(org, await newPerson(email)), undefined, email);
    const early = await newPerson(`early@${domain}`, false);
    await service.call("DELETE", pathOf(org, `/${domainId}`), { cookie: owner.cookie });
    await early.confirm();
    assert.equal(await roleOf(org, early), undefined, "the domain was removed");
  });

  it("takes no one into an organization that is to be erased", async () => {
    const { owner, org, domain } = await newCompany("member");
    const deleted = await fixture.service.call("DELETE", `/api/tenants/${org.id}`, { cookie: owner.cookie });
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
    assert.equal(await roleOf(org, await newPerson(`ada@${domain}`)), undefined);
  });
});
