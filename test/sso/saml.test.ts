import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setUpOrganization } from "../support/set-up.ts";
import { forges, refused } from "../support/sso/bad-responses.ts";
import { newProvider, verifyDomain } from "../support/sso/fixture.ts";
import {
  attributeXml,
  makeResponse,
  swap,
  type ResponseFacts,
  type Writing,
} from "../support/sso/identity-provider.ts";
import {
  confirmLink,
  followPost,
  postResponse,
  signInBySaml,
  startSaml,
  type Ended,
} from "../support/sso/saml-browser.ts";
import { wrappings } from "../support/sso/wrapping.ts";

const domain = "acme.test";
const person = (name: string) => ({ subject: `${name}@${domain}`, email: `${name}@${domain}` });
/** The person whom attackers want to be, and an attacker with an account at the provider. */
const alice = person("alice");
const mallory = person("mallory");

const rows = (name: string) => service.app.storage.database.raw.collection<{ _id: string }>(name);

const { service, owner, org } = await setUpOrganization({ ssoPrivateNetwork: true });
await verifyDomain(service, org, domain);
const provider = (await newProvider(service, org, owner)).id;
const aliceId = await whoIs(await signInBySaml(service, await startSaml(service, provider), alice));

async function whoIs(ended: Ended): Promise<string> {
  assert.ok(ended.session, `no session: ${ended.status} ${ended.text}`);
  const me = await service.call<{ id: string }>("GET", "/api/user/profile", { cookie: ended.session });
  assert.equal(me.status, 200);
  return me.data.id;
}

/** Checks that no one was signed in. Returns the reason that the log has under the number of the page. */
async function refusal(ended: Ended, status = 403): Promise<string> {
  assert.equal(ended.session, undefined, "a session was opened");
  assert.equal(ended.status, status, ended.text);
  const number = /\d{4}-\d{4}/.exec(ended.text)?.[0];
  if (number === undefined) return "no-attempt";
  const path = `/api/tenants/${org.id}/sso/sign-ins?number=${number}`;
  const log = await service.call<{ reason: string }[]>("GET", path, { cookie: owner.cookie });
  assert.ok(!ended.text.includes(log.data[0]!.reason), "the page shows the reason");
  return log.data[0]!.reason;
}

const attempt = async (facts: Partial<ResponseFacts>, writing: Writing = {}, who = alice) =>
  signInBySaml(service, await startSaml(service, provider), { ...who, ...facts }, writing);

describe("a SAML response", () => {
  it("signs the right person in, again and again, as a member", async () => {
    assert.equal(await whoIs(await attempt({})), aliceId);
    const started = await startSaml(service, provider, { returnTo: "/acme?tab=1" });
    const ended = await signInBySaml(service, started, alice);
    assert.equal(ended.location, "/acme?tab=1");
    const member = await service.app.storage.memberships.find(org.id, aliceId);
    assert.equal(member?.role, "member");
  });

  for (const [name, reason, writing, facts = {}] of refused)
    it(`is refused: ${name}`, async () => {
      const who = writing.forge ? mallory : alice;
      const signers = writing.signs ? [writing.signs] : ([["Assertion"], ["Response"]] as const);
      for (const signs of signers)
        assert.equal(await refusal(await attempt(facts, { ...writing, signs }, who)), reason, signs.join());
    });

  it("may be signed as a whole, which covers its assertion", async () => {
    const signs = ["Response"] as const;
    assert.equal(await whoIs(await attempt({}, { signs })), aliceId);
    assert.equal(await whoIs(await attempt({}, { signs: ["Assertion", "Response"] })), aliceId);
    const longer = { subject: "alice@acme.test<!---->.evil.test", attributes: attributeXml("name", "x") };
    assert.equal(await refusal(await attempt(longer, { signs })), "domain");
    const outside = forges("</samlp:Response>", "<x/></samlp:Response>");
    assert.equal(await refusal(await attempt({}, { ...outside, signs }, mallory)), "signature");
  });

  it("is refused if its assertion has a signature that is not valid, although the response is signed", async () => {
    const ds = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
    for (const broken of [`<ds:Signature ${ds}/>`, `<ds:Signature ${ds}><ds:SignedInfo/></ds:Signature>`]) {
      const write = swap("<saml:Subject>", `${broken}<saml:Subject>`);
      assert.equal(await refusal(await attempt({}, { write, signs: ["Response"] })), "signature");
    }
  });

  it("may have a subject of any form that stays the same, and an address under any usual name", async () => {
    const form = "1.1:nameid-format:emailAddress";
    for (const other of ["2.0:nameid-format:emailAddress", "1.1:nameid-format:unspecified"])
      assert.equal(await whoIs(await attempt({}, { write: swap(form, other) })), aliceId, other);
    const names = ["mail", "urn:oid:1.2.840.113549.1.9.1", "http://schemas.xmlsoap.org/claims/EmailAddress"];
    for (const [number, name] of names.entries()) {
      const email = `windows${number}@${domain}`;
      const facts = { subject: `ACME\\${number}`, email, attributes: attributeXml(name, email) };
      const write = swap(form, "1.1:nameid-format:WindowsDomainQualifiedName");
      assert.ok((await attempt(facts, { write })).session, name);
    }
  });

  for (const [name, { signs, wrap }] of Object.entries(wrappings))
    it(`is refused: ${name}`, async () => {
      const toAlice = (xml: string) => swap(/mallory@/g, "alice@")(xml);
      const both = signs === "Response" ? (["Assertion", "Response"] as const) : (["Assertion"] as const);
      for (const signed of [both, [signs]] as const) {
        const writing = { signs: signed, forge: (xml: string) => wrap(xml, toAlice) };
        assert.match(await refusal(await attempt({}, writing, mallory)), /^(root|ids|signature)$/);
      }
    });

  it("is accepted within the permitted difference of clocks", async () => {
    // The time until the response arrives counts, so those that have ended are a little younger than the limit.
    for (const facts of [{ notBefore: 119 }, { conditionsUntil: -90 }, { confirmationUntil: -90 }])
      assert.equal(await whoIs(await attempt(facts)), aliceId, JSON.stringify(facts));
  });

  it("has the signed subject, with comments before and after signing", async () => {
    const longer = { subject: "alice@acme.test<!---->.evil.test", attributes: attributeXml("name", "x") };
    const ended = await attempt(longer);
    assert.equal(await refusal(ended), "domain");
    const [last] = await rows("sso_sign_ins").find({}).sort({ _id: -1 }).limit(1).toArray();
    assert.equal((last as { subject?: string }).subject, "alice@acme.test.evil.test");
    const byAttribute = attributeXml("email", "alice@acme.test<!-- -->.evil.test");
    assert.equal(await refusal(await attempt({ subject: "other", attributes: byAttribute })), "domain");

    const split = forges(">alice@acme.test</saml:NameID>", ">alice@<!-- x -->acme.test</saml:NameID>");
    assert.equal(await whoIs(await attempt({}, split)), aliceId);
  });

  it("may have attributes with names like addresses and objects", async () => {
    const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress";
    const attributes =
      attributeXml(claims, alice.email) + attributeXml("__proto__", "x") + attributeXml("$where", "1");
    assert.equal(await whoIs(await attempt({ attributes })), aliceId);
  });

  it("works once", async () => {
    const started = await startSaml(service, provider);
    const xml = makeResponse({ ...started, ...alice });
    const posted = await postResponse(service, started, xml);
    assert.equal(await refusal(await postResponse(service, started, xml)), "no-attempt");
    const ends = await Promise.all([1, 2, 3].map(() => followPost(service, posted, started.cookie)));
    assert.equal(ends.filter(({ session }) => session !== undefined).length, 1);
    assert.equal(await refusal(await postResponse(service, started, xml)), "request");
    const next = await startSaml(service, provider);
    const again = await postResponse(service, next, xml);
    assert.equal(await refusal(await followPost(service, again, next.cookie)), "request");
    await attempt({ assertionId: "_used" });
    assert.equal(await refusal(await attempt({ assertionId: "_used" })), "replay");
  });

  it("is for the browser that began the sign-in", async () => {
    const started = await startSaml(service, provider);
    const posted = await postResponse(service, started, makeResponse({ ...started, ...mallory }));
    const other = await startSaml(service, provider);
    for (const cookie of [undefined, other.cookie, "svc_sso=", `svc_sso=${"A".repeat(43)}`, aliceId])
      assert.equal(await refusal(await followPost(service, posted, cookie)), "browser");
    assert.ok((await followPost(service, posted, started.cookie)).session);
  });

  it("is for a sign-in that was begun here, and its state is no address", async () => {
    const started = await startSaml(service, provider);
    const xml = makeResponse({ ...started, ...alice });
    for (const state of ["", "https://evil.test/", "/", "A".repeat(43), `${started.state}x`])
      assert.equal(await refusal(await postResponse(service, { ...started, state }, xml)), "request");
    for (const returnTo of [
      "https://evil.test",
      "//evil.test",
      "/\\evil.test",
      "/\t/evil.test",
      "javascript:alert(1)",
    ])
      assert.equal(
        (await signInBySaml(service, await startSaml(service, provider, { returnTo }), alice)).location,
        "/",
      );
  });

  it("of one organization is nothing to another with the same provider", async () => {
    const stranger = await service.newUser();
    const second = await newProvider(service, await service.newOrg(stranger), stranger);
    const own = await startSaml(service, provider);
    const xml = makeResponse({ ...own, ...alice });
    const theirs = await startSaml(service, second.id);
    for (const state of [own.state, theirs.state]) {
      const posted = await postResponse(service, { providerId: second.id, state }, xml);
      const ended = await followPost(service, posted, state === own.state ? own.cookie : theirs.cookie);
      assert.equal(ended.session, undefined);
      assert.equal(ended.status, 403);
    }
    // The other organization has not verified the domain.
    const ended = await signInBySaml(service, await startSaml(service, second.id), alice);
    assert.equal(ended.session, undefined);
    assert.equal(ended.status, 403);
  });

  it("has a limited size and encoding", async () => {
    const started = await startSaml(service, provider);
    const large = await postResponse(service, started, "x".repeat(300_000));
    assert.equal(large.status, 413);
    assert.equal(large.session, undefined);
    const bytes = Buffer.concat([Buffer.from(makeResponse({ ...started, ...alice })), Buffer.from([0xff])]);
    assert.equal(
      await refusal(await followPost(service, await postResponse(service, started, bytes), started.cookie)),
      "format",
    );
  });

  it("is checked in little time, however crowded it is", async () => {
    const crowded = [
      `<x ${Array.from({ length: 15_000 }, (_, n) => `a${n}=""`).join(" ")}/>`,
      `<x ${Array.from({ length: 8000 }, (_, n) => `xmlns:a${n}="u"`).join(" ")}/>`,
      "<x>".repeat(50) + "<y/>".repeat(4800) + "</x>".repeat(50),
      "<ds:Signature xmlns:ds='http://www.w3.org/2000/09/xmldsig#'/>".repeat(2500),
      "&amp;".repeat(30_000),
    ];
    for (const [number, text] of crowded.entries()) {
      const started = process.cpuUsage();
      await attempt(
        {},
        forges("<samlp:Status>", `<samlp:Extensions>${text}</samlp:Extensions><samlp:Status>`),
        mallory,
      );
      const { user } = process.cpuUsage(started);

      // Seconds at most on a busy machine; without bounds, minutes.
      assert.ok(user < 6_000_000, `${number}: ${user} µs`);
    }
  });
});

describe("the account of a person", () => {
  const newAccount = async (name: string, confirmed: boolean) => {
    const user = await service.newUser(name);
    const email = `${name}@${domain}`;
    await rows("users").updateOne(
      { _id: user.id },
      confirmed
        ? { $set: { email, emailKey: email, emailVerifiedAt: new Date() } }
        : { $set: { email, emailKey: email }, $unset: { emailVerifiedAt: "" } },
    );
    return user;
  };
  const identities = (userId: string) => rows("sso_identities").countDocuments({ userId });

  it("is not linked by an address that it has not confirmed", async () => {
    const user = await newAccount("bob", false);
    assert.equal(await refusal(await attempt({}, {}, person("bob"))), "unconfirmed");
    assert.equal(await identities(user.id), 0);
  });

  it("is linked only in a session that its owner opened, and owners of organizations likewise", async () => {
    const user = await newAccount("carol", true);
    const started = await startSaml(service, provider);
    const ended = await signInBySaml(service, started, person("CAROL"));
    assert.equal(ended.session, undefined);
    assert.match(ended.location!, /^\/sso\/[\w-]+\/link\?state=/);
    const stranger = await service.newUser();
    for (const cookie of [started.cookie, `${started.cookie}; ${stranger.cookie}`, user.cookie])
      await refusal(await confirmLink(service, ended.location!, cookie));
    assert.equal(await identities(user.id), 0);
    const linked = await confirmLink(service, ended.location!, `${started.cookie}; ${user.cookie}`);
    assert.equal(await whoIs(linked), user.id);
    assert.equal(await whoIs(await attempt({}, {}, person("CAROL"))), user.id);
    assert.equal((await service.app.storage.memberships.find(org.id, user.id))?.role, "member");
  });

  it("administers the service only after its owner has confirmed the session of a provider", async () => {
    const user = await newAccount("ada", true);
    await rows("users").updateOne({ _id: user.id }, { $set: { isAdministrator: true } });
    const started = await startSaml(service, provider);
    const offered = await signInBySaml(service, started, person("ada"));
    await confirmLink(service, offered.location!, `${started.cookie}; ${user.cookie}`);
    const session = (await attempt({}, {}, person("ada"))).session!;
    const list = () => service.call("GET", "/api/admin/users", { cookie: session });

    const withheld = await list();
    assert.deepEqual([withheld.code, withheld.details], ["reauthentication_required", { proof: "password" }]);
    const grant = await service.call("POST", `/api/admin/users/${aliceId}/grant-administrator`, {
      cookie: session,
      body: { reason: "mine" },
    });
    assert.equal(grant.code, "reauthentication_required");
    const body = { password: "correct horse battery" };
    const proved = await service.call("POST", "/api/auth/reauthenticate", { cookie: session, body });
    assert.equal(proved.status, 200, proved.error);
    assert.equal((await list()).status, 200);
    const ordinary = await attempt({});
    const path = "/api/admin/users";
    assert.equal((await service.call("GET", path, { cookie: ordinary.session! })).code, "not_found");
  });

  it("is made only in a verified domain, and while the provider creates members", async () => {
    const foreign = { subject: "eve@other.test", email: "eve@other.test" };
    assert.equal(await refusal(await attempt({}, {}, foreign)), "domain");
    const path = `/api/tenants/${org.id}/sso/providers/${provider}`;
    const set = (jit: object) => service.call("PATCH", path, { cookie: owner.cookie, body: { jit } });
    assert.equal((await set({ enabled: true, role: "owner" })).code, "invalid_request");
    assert.equal((await set({ enabled: false, role: "member" })).status, 200);
    assert.equal(await refusal(await attempt({}, {}, person("dave"))), "not-a-member");
    assert.equal((await set({ enabled: true, role: "member" })).status, 200);
    assert.equal(await rows("users").countDocuments({ email: /^(dave|eve)@/ }), 0);
  });

  it("is one, also for two sign-ins at the same time", async () => {
    const starts = await Promise.all([startSaml(service, provider), startSaml(service, provider)]);
    const frank = person("frank");
    const posts = await Promise.all(
      starts.map((one) => postResponse(service, one, makeResponse({ ...one, ...frank }))),
    );
    const ends = await Promise.all(posts.map((one, at) => followPost(service, one, starts[at]!.cookie)));
    const people = await Promise.all(ends.filter(({ session }) => session !== undefined).map(whoIs));
    assert.equal(new Set(people).size, 1);
    assert.equal(await rows("users").countDocuments({ email: frank.email }), 1);
    assert.equal(await identities(people[0]!), 1);
    assert.equal(await whoIs(await attempt({}, {}, frank)), people[0]);
  });
});
