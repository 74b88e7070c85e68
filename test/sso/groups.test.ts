/** Groups that a provider does not send, or not all of them, and the teams that are mapped to them. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { before, describe, it } from "node:test";
import type {
  SsoProviderPayload,
  SsoSignInPayload,
  SsoTestPayload,
} from "../../contract/payloads/accounts/sso.ts";
import { deliverMails } from "../support/mailbox.ts";
import { closedAfter, newOrganization, setUpService } from "../support/set-up.ts";
import { newProvider, verifyDomain } from "../support/sso/fixture.ts";
import { attributeXml } from "../support/sso/identity-provider.ts";
import { startTestProvider, type Deviation } from "../support/sso/oidc-provider.ts";
import { readEnd, signInBySaml, startSaml } from "../support/sso/saml-browser.ts";

const email = "ada@acme.test";

const base = () => `/api/tenants/${org.id}/sso`;
const asOwner = <T>(method: string, path: string, body?: unknown) =>
  service.call<T>(method, base() + path, { cookie: owner.cookie, body });
const read = async (id: string) => (await asOwner<SsoProviderPayload>("GET", `/providers/${id}`)).data;
const set = async (id: string, absentGroups: string) => {
  const changed = await asOwner<SsoProviderPayload>("PATCH", `/providers/${id}`, { absentGroups });
  assert.equal(changed.data.absentGroups, absentGroups, JSON.stringify(changed.body));
};
const lastSignIn = async (id: string) =>
  (await asOwner<SsoSignInPayload[]>("GET", `/sign-ins?provider=${id}&limit=1`)).data[0]!;

const { service } = await setUpService({ ssoPrivateNetwork: true });
const { owner, org } = await newOrganization(service);
await verifyDomain(service, org, "acme.test");
const upstream = await closedAfter(startTestProvider());
const saml = (await newProvider(service, org, owner, { name: "By SAML" })).id;
const { id: clientId, secret: clientSecret } = upstream.client;
const connection = {
  type: "oidc",
  saml: undefined,
  oidc: { issuer: upstream.issuer, clientId, clientSecret },
};
const oidc = (await newProvider(service, org, owner, { name: "By OIDC", ...connection })).id;
const made = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
  cookie: owner.cookie,
  body: { name: "Engineers", roles: [] },
});
const team = made.data.id;

const map = async (id: string, ...groups: string[]) => {
  const mappings = groups.map((group) => ({ group, teamId: team }));
  assert.equal((await asOwner("PUT", `/providers/${id}/group-mappings`, { mappings })).status, 200);
};

async function teamsAfter({ session, text }: { session: string | undefined; text: string }) {
  assert.ok(session, text);
  const account = await service.app.storage.users.findCredentials(email);
  return (await service.app.storage.memberships.find(org.id, account!._id))!.teamIds;
}

/** Teams of the person after a sign-in with these attributes. */
async function bySaml(...attributes: string[]) {
  const facts = { subject: email, email, attributes: attributeXml("email", email) + attributes.join("") };
  return teamsAfter(await signInBySaml(service, await startSaml(service, saml), facts));
}

async function openOidc(claims: Deviation["claims"], deviation: Deviation = {}, path = `/sso/${oidc}/start`) {
  const started = await service.raw("GET", path, { cookie: owner.cookie });
  const { searchParams } = new URL(started.headers.get("location")!);
  upstream.next = {
    person: { sub: "1", email, email_verified: true },
    nonce: searchParams.get("nonce")!,
    deviation: { userInfo: { sub: "1" }, ...deviation, claims },
  };
  const query = new URLSearchParams({ code: "code", state: searchParams.get("state")! });
  const cookie = started.headers.getSetCookie()[0]!.split(";")[0]!;
  return readEnd(await service.raw("GET", `/sso/${oidc}/callback?${query.toString()}`, { cookie }));
}
const byOidc = async (claims: Deviation["claims"], deviation?: Deviation) =>
  teamsAfter(await openOidc(claims, deviation));

const groups = (...names: string[]) => attributeXml("groups", ...names);
const links = "http://schemas.microsoft.com/claims/groups.link";

describe("a response without groups", () => {
  it("keeps the teams of the person, unless an owner lets it mean no groups", async () => {
    await map(saml, "engineers");
    assert.equal((await read(saml)).absentGroups, "unchanged");
    assert.deepEqual(await bySaml(groups("engineers")), [team]);
    assert.deepEqual(await bySaml(), [team]);
    assert.equal((await lastSignIn(saml)).reason, null);
    await set(saml, "none");
    assert.deepEqual(await bySaml(), []);
    assert.deepEqual(await bySaml(groups("engineers")), [team]);
    assert.deepEqual(await bySaml(groups()), []);

    await map(oidc, "engineers");
    assert.deepEqual(await byOidc({ groups: ["engineers"] }), [team]);
    assert.deepEqual(await byOidc({}), [team]);
    await set(oidc, "none");
    assert.deepEqual(await byOidc({}), []);
  });

  it("has them in an attribute of the usual names", async () => {
    for (const name of ["http://schemas.xmlsoap.org/claims/Group", "isMemberOf", "memberOf"]) {
      assert.deepEqual(await bySaml(attributeXml(name, "engineers")), [team], name);
      assert.deepEqual(await bySaml(), [], name);
    }
  });

  it("is not one whose user info, which may have the groups, could not be read", async () => {
    assert.deepEqual(await byOidc({}, { userInfo: { sub: "1", groups: ["engineers"] } }), [team]);
    const fault = (path: string, response: ServerResponse) =>
      path === "/userinfo" && Boolean(response.writeHead(500).end());
    assert.deepEqual(await byOidc({}, { fault }), [team]);
    const { outcome, reason } = await lastSignIn(oidc);
    assert.deepEqual([outcome, reason], ["signed_in", "groups-unread"]);
    assert.deepEqual(await byOidc({}), []);
  });
});

describe("groups that are too many", () => {
  before(async () => {
    for (const id of [saml, oidc]) await set(id, "none");
    await deliverMails(service.app);
  });

  it("change no team, and are shown to the owners", async () => {
    assert.deepEqual(await bySaml(groups("engineers")), [team]);
    assert.equal((await read(saml)).groupsOverageAt, null);
    const sent = [
      () => bySaml(attributeXml(links, "https://graph.windows.net/t/users/1/getMemberObjects")),
      () => bySaml(attributeXml(links, "https://graph.windows.net/t/users/1/getMemberObjects"), groups("x")),
      () => bySaml(groups(...Array.from({ length: 2001 }, (_, number) => `g${number}`))),
      () => byOidc({ _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://g" } } }),
      () => byOidc({ hasgroups: true }),
      () => byOidc({ groups: Array.from({ length: 2001 }, (_, number) => `g${number}`) }),
    ];
    for (const [number, signIn] of sent.entries()) {
      assert.deepEqual(await signIn(), [team], `${number}`);
      const { outcome, reason, message } = await lastSignIn(number < 3 ? saml : oidc);
      assert.deepEqual([outcome, reason], ["signed_in", "groups-overage"], `${number}`);
      assert.match(message ?? "", /assigned to this application/);
    }
    await service.settled();
    for (const id of [saml, oidc])
      assert.match((await read(id)).groupsOverageAt ?? "", /^\d{4}-\d\d-\d\dT/, id);
  });

  it("are mailed to the owners once a month for each provider", async () => {
    await service.settled();
    const mails = await deliverMails(service.app);
    const about = mails.filter(({ subject }) => subject.includes("Too many groups"));
    assert.deepEqual(about.map(({ to }) => to).sort(), [
      `${owner.username}@example.com`,
      `${owner.username}@example.com`,
    ]);
    assert.deepEqual(await byOidc({ hasgroups: true }), [team]);
    await service.settled();
    assert.deepEqual(await deliverMails(service.app), []);
  });

  it("are of no concern for a provider whose groups are in another claim", async () => {
    const changed = await asOwner("PATCH", `/providers/${oidc}`, { groupsAttribute: "roles" });
    assert.equal(changed.status, 200);
    assert.deepEqual(await byOidc({ hasgroups: true, _claim_names: { groups: "src1" }, roles: [] }), []);
    assert.deepEqual(await byOidc({ _claim_names: { roles: "src1" }, roles: ["engineers"] }), []);
    assert.equal((await lastSignIn(oidc)).reason, "groups-overage");
    assert.equal((await asOwner("PATCH", `/providers/${oidc}`, { groupsAttribute: null })).status, 200);
  });

  it("are named in a test sign-in", async () => {
    const test = (await asOwner<{ id: string; url: string }>("POST", `/providers/${oidc}/test`)).data;
    const { pathname, search } = new URL(test.url);
    const ended = await openOidc({ hasgroups: true }, {}, pathname + search);
    assert.match(ended.text, /too many to be sent or read/);
    const result = (await asOwner<SsoTestPayload>("GET", `/providers/${oidc}/test/${test.id}`)).data;
    assert.deepEqual([result.state, result.groups, result.groupsProblem], ["passed", null, "overage"]);
    assert.match(result.outcome ?? "", /no team was changed/);
  });
});
