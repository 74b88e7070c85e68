import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import type { SsoProviderPayload } from "../../contract/payloads/accounts/sso.ts";
import type { UserActor } from "../../src/access/actor.ts";
import { putMappings } from "../../src/sso/providers/group-mappings.ts";
import { userWith } from "../access/actors.ts";
import { newMember } from "../support/organization.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { makeCertificate } from "../support/sso/certificate.ts";
import { idpEntityId, metadataXml, newProvider, samlSettings, verifyDomain } from "../support/sso/fixture.ts";

const served = new Map<string, string>();

const { service } = await setUpService({ ssoPrivateNetwork: true });
const { owner, org } = await newOrganization(service);
const base = `/api/tenants/${org.id}/sso/providers`;
const web = createServer((request, response) => {
  const text = served.get(request.url ?? "");
  response.writeHead(text === undefined ? 404 : 200).end(text);
});
await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
const webUrl = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;

after(() => web.close());

const asOwner = (method: string, path: string, body?: unknown) =>
  service.call<SsoProviderPayload>(method, path, { cookie: owner.cookie, ...(body ? { body } : {}) });

describe("identity providers", () => {
  it("are created, read, changed and deleted by an owner, with their events", async () => {
    const made = await newProvider(service, org, owner, { name: "Okta", enabled: false });
    assert.equal(made.saml?.entityId, idpEntityId);
    assert.equal(made.saml?.certificates.length, 1);
    assert.equal(made.urls.acs, `${service.app.config.baseUrl}/sso/${made.id}/acs`);
    assert.equal(made.jit.role, "member");

    const renamed = await asOwner("PATCH", `${base}/${made.id}`, { name: "Okta 2", enabled: true });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    assert.equal(renamed.data.enabled, true);
    assert.equal((await asOwner("GET", `${base}/${made.id}`)).data.name, "Okta 2");
    const taken = await service.call("POST", base, {
      cookie: owner.cookie,
      body: { name: "okta 2", type: "saml", saml: samlSettings() },
    });
    assert.equal(taken.code, "already_exists");

    assert.equal((await asOwner("DELETE", `${base}/${made.id}`)).status, 200);
    assert.equal((await asOwner("GET", `${base}/${made.id}`)).code, "not_found");
    await service.settled();
    const log = await service.call<{ entries: { action: string; resourceId: string; metadata: object }[] }>(
      "GET",
      `/api/tenants/${org.id}/audit-log?action=sso.*`,
      { cookie: owner.cookie },
    );
    const own = log.data.entries.filter(({ resourceId }) => resourceId === made.id).toReversed();
    assert.deepEqual(
      own.map(({ action }) => action),
      ["sso.provider_created", "sso.provider_updated", "sso.provider_deleted"],
    );
    assert.deepEqual(own.at(1)?.metadata, { name: "Okta", changed: { name: "Okta 2", enabled: true } });
    assert.deepEqual(own.at(2)?.metadata, { name: "Okta 2", type: "saml" });
  });

  it("are managed by owners only, after a recent verification", async () => {
    const admin = await newMember(service, org, "admin");
    assert.equal((await service.call("GET", base, { token: admin.token })).code, "forbidden");

    const token = await service.call<{ token: string }>("POST", `/api/tenants/${org.id}/tokens`, {
      cookie: owner.cookie,
      body: { name: "ci" },
    });
    assert.equal((await service.call("GET", base, { token: token.data.token })).code, "forbidden");

    const { sessions } = service.app.storage;
    const [session] = await sessions.listOfUser(owner.id, {}, service.app.now(), undefined, 1);
    const stored = service.app.storage.database.raw.collection<{ _id: string }>("sessions");
    await stored.updateOne({ _id: session!._id }, { $set: { verifiedAt: new Date(0) } });
    const stale = await asOwner("POST", base, { name: "Late", type: "saml", saml: samlSettings() });
    assert.equal(stale.code, "reauthentication_required");
    await stored.updateOne({ _id: session!._id }, { $set: { verifiedAt: new Date() } });
  });

  it("take metadata as a text and from an address, with all certificates of a rollover", async () => {
    const certificates = [makeCertificate({ key: 0 }).der, makeCertificate({ key: 1 }).der];
    const byText = await newProvider(service, org, owner, {
      name: "By text",
      saml: {
        metadataXml: metadataXml(certificates).replace(" entityID", ' validUntil="2999-01-01T00:00:00Z"$&'),
      },
    });
    assert.equal(byText.saml?.ssoUrl, "https://idp.example.com/sso");
    assert.equal(byText.saml?.certificates.length, 2);

    served.set("/metadata?appid=1", metadataXml([certificates[0]!]));
    const byUrl = await newProvider(service, org, owner, {
      name: "By address",
      saml: { metadataUrl: `${webUrl}/metadata?appid=1` },
    });
    assert.equal(byUrl.saml?.certificates.length, 1);
    assert.equal(byUrl.saml?.metadataUrl, `${webUrl}/metadata?appid=1`);
  });

  it("refuse metadata that can't be used, and say why", async () => {
    const der = makeCertificate().der;
    const good = metadataXml([der]);
    const expired = (xml: string, element: string, until = "2020-01-01T00:00:00Z") =>
      xml.replace(`<md:${element}`, `<md:${element} validUntil="${until}"`);
    const group = '<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"';
    const entity = good.replace(/^<\?xml.*\n/, "");
    const grouped = `${group}>${group} validUntil="2020-01-01T00:00:00Z">${entity}</md:EntitiesDescriptor></md:EntitiesDescriptor>`;
    const deep = "<a>".repeat(100) + "</a>".repeat(100);
    const cases: [string, Record<string, unknown>, RegExp][] = [
      ["a document type", { metadataXml: `<!DOCTYPE x [<!ENTITY a "b">]>${good}` }, /document type/],
      ["nesting", { metadataXml: metadataXml([der], deep) }, /levels/],
      ["no XML", { metadataXml: "hello" }, /well-formed/],
      [
        "an entity that has expired",
        { metadataXml: expired(good, "EntityDescriptor") },
        /2020-01-01.*passed/,
      ],
      ["a role that has expired", { metadataXml: expired(good, "IDPSSODescriptor") }, /2020-01-01.*passed/],
      ["a set that has expired", { metadataXml: grouped }, /2020-01-01.*passed/],
      ["an end that can't be read", { metadataXml: expired(good, "EntityDescriptor", "soon") }, /soon/],
      ["no certificate", { metadataXml: metadataXml([]) }, /no certificate/],
      ["a broken certificate", { metadataXml: metadataXml(["AAAA"]) }, /can't be read/],
      [
        "an unreachable address",
        { metadataUrl: `${webUrl}/nothing` },
        /could not be read: 127\.0\.0\.1:\d+ has nothing at this address/,
      ],
      [
        "a script address",
        { metadataXml: good.replace("https://idp.example.com/sso", "javascript:alert(1)") },
        /https URL/,
      ],
    ];
    for (const [name, saml, expected] of cases) {
      const answer = await asOwner("POST", base, { name, type: "saml", saml });
      assert.equal(answer.code, "refused", `${name}: ${JSON.stringify(answer.body)}`);
      assert.match(answer.error!, expected, name);
    }
  });

  it("show their addresses before their connection, and can be enabled once it is entered", async () => {
    const made = (await asOwner("POST", base, { name: "Draft", type: "saml" })).data;
    const path = `${base}/${made.id}`;
    assert.equal(made.saml, undefined);
    assert.deepEqual(Object.keys(made.urls).sort(), ["acs", "metadata", "start"]);
    const ours = () => fetch(`${service.url}/sso/${made.id}/metadata`).then((answer) => answer.text());
    const metadata = await ours();
    for (const part of [`entityID="${made.urls.metadata}" ID="_${made.id}"`, `Location="${made.urls.acs}"`])
      assert.ok(metadata.includes(part), metadata);

    const enabled = await asOwner("POST", base, { name: "On", type: "saml", enabled: true });
    assert.equal(enabled.code, "invalid_request");
    for (const [method, at, body] of [
      ["PATCH", path, { enabled: true }],
      ["PATCH", path, { enforced: true }],
      ["POST", `${path}/test`, undefined],
    ] as const)
      assert.equal((await asOwner(method, at, body)).code, "refused", JSON.stringify(body));
    const oidc = { issuer: `${webUrl}/none`, clientId: "a", clientSecret: "b" };
    assert.match((await asOwner("PATCH", path, { oidc })).error!, /type/);
    const start = () => fetch(`${service.url}/sso/${made.id}/start`, { redirect: "manual" });
    assert.equal((await start()).status, 404);

    const connected = await asOwner("PATCH", path, { saml: samlSettings(), enabled: true });
    assert.equal(connected.data.enabled, true, JSON.stringify(connected.body));
    assert.equal(await ours(), metadata);
    assert.equal((await start()).status, 303);
  });

  it("by OpenID Connect take their whole connection at first", async () => {
    const made = (await asOwner("POST", base, { name: "Draft OIDC", type: "oidc" })).data;
    const issuer = `${webUrl}/draft`;
    served.set("/draft/.well-known/openid-configuration", JSON.stringify({ issuer }));
    const enter = (oidc: object) => asOwner("PATCH", `${base}/${made.id}`, { oidc });
    assert.deepEqual(Object.keys(made.urls).sort(), ["callback", "start"]);
    for (const part of [{ issuer }, { issuer, clientId: "svc" }, { clientId: "svc", clientSecret: "x" }])
      assert.match((await enter(part)).error!, /all three/);
    assert.equal((await fetch(`${service.url}/sso/${made.id}/metadata`)).status, 404);
    const entered = await enter({ issuer, clientId: "svc", clientSecret: "s3cret-of-the-draft" });
    assert.equal(entered.data.oidc?.issuer, issuer);
    const stored = await service.app.storage.ssoProviders.find(org.id, made.id);
    assert.ok(!JSON.stringify(stored).includes("s3cret"));
  });

  it("never return a client secret, and store it sealed for its issuer", async () => {
    const issuer = `${webUrl}/issuer`;
    served.set("/issuer/.well-known/openid-configuration", JSON.stringify({ issuer }));
    const oidc = { issuer, clientId: "svc", clientSecret: "s3cret-of-the-client" };
    const made = await newProvider(service, org, owner, {
      name: "Keycloak",
      type: "oidc",
      saml: undefined,
      oidc,
    });
    assert.ok(!JSON.stringify(made).includes("s3cret"));
    const stored = await service.app.storage.ssoProviders.find(org.id, made.id);
    assert.ok(!JSON.stringify(stored).includes("s3cret"));

    const path = `${base}/${made.id}`;
    assert.equal(
      (await asOwner("PATCH", path, { oidc: { clientId: "svc-2" } })).data.oidc?.clientId,
      "svc-2",
    );
    served.set("/other/.well-known/openid-configuration", JSON.stringify({ issuer: `${webUrl}/other` }));
    const moved = await asOwner("PATCH", path, { oidc: { issuer: `${webUrl}/other` } });
    assert.equal(moved.code, "refused");
    assert.match(moved.error!, /secret again/);
    const foreign = await asOwner("PATCH", path, {
      oidc: { issuer: `${webUrl}/issuer/`, clientSecret: "x" },
    });
    assert.match(foreign.error!, /exactly this text/);
  });

  it("are enforced only when they work, and an owner keeps another way in", async () => {
    const made = await newProvider(service, org, owner, { name: "Enforced" });
    const enforce = () => asOwner("PATCH", `${base}/${made.id}`, { enforced: true });
    assert.match((await enforce()).error!, /test sign-in/);
    await service.app.storage.ssoProviders.noteSuccess(made.id, 0, service.app.now(), false);
    assert.match((await enforce()).error!, /second factor/);
    const users = service.app.storage.database.raw.collection<{ _id: string }>("users");
    await users.updateOne({ _id: owner.id }, { $set: { hasFactor: true } });
    assert.equal((await enforce()).code, "domain_unverified");
    await verifyDomain(service, org, "enforced.test");
    const sessions = service.app.storage.database.raw.collection<{ userId: string }>("sessions");
    await sessions.updateMany({ userId: owner.id }, { $set: { methods: ["password", "totp"] } });
    assert.equal((await enforce()).data.enforced, true);

    const disabled = await asOwner("PATCH", `${base}/${made.id}`, { enabled: false });
    assert.equal(disabled.data.enforced, false);
    await users.updateOne({ _id: owner.id }, { $unset: { hasFactor: true } });
  });

  it("are offered together to those who sign in, where several are enabled", async () => {
    const made = await Promise.all(
      ["<First>", "Second"].map((name) => newProvider(service, org, owner, { name })),
    );
    const page = await (await fetch(`${service.url}/sso/${org.slug}?return_to=/a%26b`)).text();
    for (const { id } of made) assert.ok(page.includes(`href="/sso/${id}/start?return_to=%2Fa%26b"`), page);
    assert.ok(page.includes("<bdi>&lt;First&gt;</bdi>"));
    for (const { id } of made) await asOwner("DELETE", `${base}/${id}`);
  });

  it("map further groups to a team, or fewer, only for callers who have what it gives", async () => {
    const made = await newProvider(service, org, owner, { name: "Guarded" });
    const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
      cookie: owner.cookie,
      body: { name: "Guarded", roles: ["admin"] },
    });
    const mapped = (...groups: string[]) => ({
      mappings: groups.map((group) => ({ group, teamId: team.data.id })),
    });
    const { app } = service;
    const actor = userWith({ [org.id]: "owner" });
    const [membership] = actor.memberships;
    const limited: UserActor = {
      ...actor,
      memberships: [{ ...membership!, permissions: { sso: ["manage"] } }],
      via: { ...actor.via, verifiedAt: app.now() },
    };
    assert.equal((await asOwner("PUT", `${base}/${made.id}/group-mappings`, mapped("one"))).status, 200);

    for (const groups of [["one", "two"], ["two"], []])
      await assert.rejects(
        putMappings(app, limited, org.id, made.id, mapped(...groups)),
        { code: "forbidden" },
        groups.join(),
      );
    assert.equal((await putMappings(app, limited, org.id, made.id, mapped("one"))).length, 1);
  });

  it("map groups to teams of the organization", async () => {
    const made = await newProvider(service, org, owner, { name: "Mapped" });
    const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
      cookie: owner.cookie,
      body: { name: "Crew", roles: [] },
    });
    const path = `${base}/${made.id}/group-mappings`;
    const put = (mappings: unknown) =>
      service.call<unknown[]>("PUT", path, { cookie: owner.cookie, body: { mappings } });
    assert.deepEqual((await put([{ group: "eng", teamId: team.data.id }])).data, [
      { group: "eng", teamId: team.data.id, team: "Crew" },
    ]);
    const other = await service.newUser();
    const foreign = await service.call<{ id: string }>(
      "POST",
      `/api/tenants/${(await service.newOrg(other)).id}/teams`,
      { cookie: other.cookie, body: { name: "Theirs", roles: [] } },
    );
    assert.equal((await put([{ group: "eng", teamId: foreign.data.id }])).code, "not_found");
  });
});
