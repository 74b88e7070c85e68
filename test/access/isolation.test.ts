/**
 * Two organizations that must stay isolated: every declared route is called with the other one's ids in every parameter
 * that takes one, by its owner and by its own token. A route without an entry here fails the test, so none is left out.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { CreatedWebhookPayload } from "../../contract/payloads/organizations/webhooks.ts";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { apiRoutes } from "../../src/api.ts";
import { newIdentity, signedCall } from "../support/anonymous.ts";
import { addGrant } from "../support/grants.ts";
import { confirmAddress, newFolder, newMember, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";
import { newProvider } from "../support/sso/fixture.ts";
import { makePackage } from "../support/zip.ts";
import { bodies, keyOf, pathOf, spyPolicy, spyServer, type Organization } from "./isolation-calls.ts";

const { service } = await setUpService();
// The first account is the service's administrator, who can see more.
await service.newUser();
const [ours, theirs] = [await makeOrganization(), await makeOrganization()];
await service.settled();

async function made<T>(method: string, path: string, token: string, body?: unknown): Promise<T> {
  const answer = await service.call<T>(method, path, { token, body });
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.data;
}

async function makeOrganization(): Promise<Organization> {
  const { owner, org } = await newOrganization(service);
  const member = await newMember(service, org, "member");
  const base = `/api/tenants/${org.id}`;
  const { token } = owner;
  const folder = await newFolder(service, org, owner, "shelf");
  const published = await made<PublishResult>("POST", "/api/skills", token, {
    tenantId: org.id,
    name: "Guarded",
    content: "secret\n",
    folder: "shelf",
  });
  await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "viewer" }]);
  const gone = await made<PublishResult>("POST", "/api/skills", token, {
    tenantId: org.id,
    name: `Gone of ${org.slug}`,
    content: "gone\n",
  });
  await made("DELETE", `/api/skills/${gone.skill.id}`, token);
  const role = await made<{ id: string }>("POST", `${base}/roles`, token, {
    name: "Readers",
    permissions: { skill: ["read"] },
  });
  const team = await made<{ id: string }>("POST", `${base}/teams`, token, { name: "Crew", roles: [role.id] });
  await confirmAddress(service, owner);
  const invitation = await made<{ id: string }>("POST", `${base}/invitations`, token, {
    email: `guest-${org.slug}@example.com`,
  });
  const orgToken = await made<{ id: string; token: string }>("POST", `${base}/tokens`, token, { name: "ci" });
  const policy = await made<{ id: string }>("POST", `${base}/oidc-policies`, token, {
    name: "Pipelines",
    provider: "github",
    repository: "acme/skills",
    ref: "refs/heads/main",
  });
  const domain = await made<{ id: string }>("POST", `${base}/sso/domains`, token, {
    domain: `${org.slug}.example`,
  });
  const mcpServer = await made<{ id: string }>("POST", `${base}/mcp-servers`, token, {
    name: "Guarded server",
    ...spyServer,
  });
  const collection = await made<{ id: string }>("POST", `${base}/collections`, token, {
    name: "Guarded collection",
    public: true,
    skills: [published.skill.id],
  });
  const connector = await made<{ id: string }>("POST", "/api/user/connectors", token, {
    server: mcpServer.id,
  });
  const provider = await newProvider(service, org, owner, { name: "Guarded" });
  const sessions = await service.call<{ id: string }[]>("GET", "/api/user/sessions", {
    cookie: owner.cookie,
  });
  const upload = await service.upload(owner, makePackage("staged"));
  const passkey = await addPasskey(owner);
  const follow = await service.call<{ id: string }>("PUT", `/api/user/follows/folders/${folder.id}`, {
    cookie: owner.cookie,
  });
  const webhook = (
    await service.call<CreatedWebhookPayload>("POST", `${base}/webhooks`, {
      cookie: owner.cookie,
      body: { name: "Guarded", url: "https://events.example.com/guarded" },
    })
  ).data;
  const delivery = await made<{ id: string }>("POST", `${base}/webhooks/${webhook.id}/test`, token, {});
  return {
    org,
    owner,
    member,
    token: orgToken.token,
    skill: published.skill,
    ids: {
      reservedSlug: gone.skill.slug,
      folder: folder.id,
      collection: collection.id,
      team: team.id,
      role: role.id,
      invitation: invitation.id,
      orgToken: orgToken.id,
      policy: policy.id,
      domain: domain.id,
      mcpServer: mcpServer.id,
      connector: connector.id,
      provider: provider.id,
      upload,
      session: sessions.data[0]!.id,
      passkey,
      grant: await addGrant(service, owner, org),
      follow: follow.data.id,
      webhook: webhook.id,
      delivery: delivery.id,
    },
  };
}

/** A passkey that no authenticator has. The account does not count as one with a second factor. */
async function addPasskey({ id }: TestUser): Promise<string> {
  const { storage, now } = service.app;
  const passkey = {
    id: `passkey-of-${id}`,
    name: "Guarded",
    publicKey: "",
    counter: 0,
    deviceType: "singleDevice",
    backedUp: false,
    aaguid: "",
    createdAt: now(),
  };
  const user = await storage.users.findCredentialsById(id);
  const change = { addPasskey: passkey, hasFactor: false, now: now(), mails: [] };
  assert.notEqual(await storage.users.changeFactors(user!, change, []), null);
  return passkey.id;
}

/** A digest of everything that is stored of an organization. */
async function digestOf(organization: Organization): Promise<string> {
  await service.settled();
  const { raw } = service.app.storage.database;
  const hash = createHash("sha256");
  for (const { collectionName } of (await raw.collections()).toSorted((a, b) =>
    a.collectionName < b.collectionName ? -1 : 1,
  )) {
    if (collectionName.startsWith("system.") || collectionName === "idempotency") continue;
    const rows = await raw
      .collection(collectionName)
      .find({
        $or: [
          { tenantId: organization.org.id },
          { _id: organization.org.id },
          { userId: organization.owner.id },
        ],
      } as object)
      .sort({ _id: 1 })
      .toArray();
    for (const { lastUsedAt: _used, lastSeenAt: _seen, expiresAt: _ends, ...row } of rows)
      hash.update(`${collectionName} ${JSON.stringify(row)}\n`);
  }
  return hash.digest("hex");
}

describe("two organizations", () => {
  it("stay isolated: ids of the other one are unknown in every path, for every caller", async () => {
    const routes = apiRoutes(service.app, "0.0.0-test").filter((route) => route.path.includes(":"));
    const untouched = await digestOf(theirs);
    let calls = 0;
    for (const route of routes) {
      const needsBody = route.body !== undefined && route.method !== "get";
      if (needsBody) assert.ok(bodies[keyOf(route)], `${keyOf(route)} needs an entry in bodies`);
      const body = route.stream ? undefined : bodies[keyOf(route)]?.(theirs);
      for (const [who, credentials] of [
        ["their neighbour's owner", { cookie: ours.owner.cookie }],
        ["a member next door", { token: ours.member.token }],
        ["the neighbour's own token", { token: ours.token }],
      ] as const) {
        const path = pathOf(route, { rest: theirs });
        const answer = await service.call(route.method.toUpperCase(), path, {
          ...credentials,
          ...(route.stream ? { bytes: makePackage("x") } : { body }),
        });
        const response = `${who}: ${keyOf(route)}: ${answer.status} ${JSON.stringify(answer.body)}`;
        // Some operations reject an organization's token before anything is looked up, since they need a person.
        const needsPerson = who === "the neighbour's own token" && answer.code === "forbidden";
        // Ending a follow removes one of the caller's own, and succeeds without one.
        const isIdempotent = keyOf(route) === "delete /api/user/follows/:follow" && answer.status === 200;
        assert.ok(
          answer.code === "not_found" ||
            isIdempotent ||
            (needsPerson && /organization's|token/.test(answer.error!)),
          response,
        );
        for (const secret of [
          theirs.org.slug,
          theirs.skill.publicId,
          theirs.owner.username,
          "Guarded",
          "Crew",
        ])
          assert.ok(!JSON.stringify(answer.body).includes(secret), `reveals "${secret}": ${response}`);
        calls++;
      }
    }
    assert.ok(calls > 150, `${calls} calls`);
    assert.equal(await digestOf(theirs), untouched, "nothing of theirs has changed");
    const follows = await service.call<{ id: string }[]>("GET", "/api/user/follows", {
      cookie: theirs.owner.cookie,
    });
    assert.deepEqual(
      follows.data.map(({ id }) => id),
      [theirs.ids.follow],
    );
  });

  it("are hidden from an anonymous key", async () => {
    const identity = await newIdentity(service);
    const untouched = await digestOf(theirs);
    const person = /a person/;
    for (const route of apiRoutes(service.app, "0.0.0-test").filter(({ path }) => path.includes(":"))) {
      const path = pathOf(route, { rest: theirs });
      const body = route.stream ? undefined : bodies[keyOf(route)]?.(theirs);
      const sent = route.stream ? { bytes: makePackage("x") } : body === undefined ? {} : { body };
      const answer = await signedCall(service, identity, route.method.toUpperCase(), path, sent);
      const response = `${keyOf(route)}: ${answer.status} ${JSON.stringify(answer.body)}`;
      // Streams can't be signed, except for uploads that the key itself announced.
      if (route.stream) assert.equal(answer.code, "unauthenticated", response);
      else if (answer.code !== "not_found") assert.match(answer.error ?? "", person, response);
      for (const secret of [theirs.org.slug, theirs.skill.publicId, theirs.owner.username, "Guarded"])
        assert.ok(!JSON.stringify(answer.body).includes(secret), `reveals "${secret}": ${response}`);
    }
    assert.equal(await digestOf(theirs), untouched);
  });

  it("stay isolated: ids of the other one are unknown in paths of the caller's own organization", async () => {
    const nested = apiRoutes(service.app, "0.0.0-test").filter((route) =>
      /^\/api\/tenants\/:tenant\/.*:/.test(route.path),
    );
    const untouched = await digestOf(theirs);
    for (const route of nested) {
      const path = pathOf(route, { tenant: ours, rest: theirs });
      const body = bodies[keyOf(route)]?.(theirs);
      const answer = await service.call(route.method.toUpperCase(), path, {
        cookie: ours.owner.cookie,
        body,
      });
      assert.equal(
        answer.code,
        "not_found",
        `${keyOf(route)}: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
    assert.ok(nested.length >= 8, `${nested.length} routes`);
    assert.equal(await digestOf(theirs), untouched);
  });

  it("stay isolated: ids of the other one are unknown in every body and query", async () => {
    const base = `/api/tenants/${ours.org.id}`;
    const [mine, yours] = [ours, theirs];
    const calls: [string, string, unknown?][] = [
      ["POST", "/api/skills", { tenantId: yours.org.id, name: "Planted", content: "x\n" }],
      ["POST", "/api/skills", { tenantId: yours.org.slug, name: "Planted", content: "x\n" }],
      ["POST", "/api/skills", { tenantId: mine.org.id, uploadId: yours.ids.upload }],
      ["POST", `/api/skills/${mine.skill.id}/versions`, { uploadId: yours.ids.upload }],
      ["POST", `/api/skills/${mine.skill.id}/move`, { folderId: yours.ids.folder }],
      ["POST", `/api/skills/${mine.skill.id}/copy`, { tenantId: yours.org.id }],
      ["POST", `/api/skills/${yours.skill.id}/copy`, { tenantId: mine.org.id }],
      ["POST", "/api/lint", { uploadId: yours.ids.upload }],
      ["POST", `${base}/folders`, { name: "x", parentId: yours.ids.folder }],
      ["PATCH", `/api/folders/${mine.ids.folder}`, { parentId: yours.ids.folder }],
      ...(["team", "member"] as const).map((type): [string, string, unknown] => [
        "PUT",
        `/api/folders/${mine.ids.folder}/access`,
        {
          restricted: true,
          grants: [
            { principal: { type, id: type === "team" ? yours.ids.team : yours.member.id }, level: "viewer" },
          ],
        },
      ]),
      ["PATCH", `${base}/members/${mine.member.id}`, { role: yours.ids.role }],
      ["POST", `${base}/invitations`, { email: "new@example.com", role: yours.ids.role }],
      ["POST", `${base}/invitations`, { email: "new@example.com", teamIds: [yours.ids.team] }],
      ["POST", `${base}/teams`, { name: "Mixed", roles: [yours.ids.role] }],
      ["PATCH", `${base}/teams/${mine.ids.team}`, { roles: [yours.ids.role] }],
      ["PUT", `${base}/teams/${mine.ids.team}/members/${yours.member.id}`],
      ["POST", `${base}/tokens`, { name: "x", allowedFolderIds: [yours.ids.folder] }],
      ["POST", "/api/user/tokens", { name: "x", allowedFolderIds: [yours.ids.folder] }],
      ["POST", `${base}/oidc-policies`, { ...spyPolicy, allowedFolderIds: [yours.ids.folder] }],
      ["POST", `${base}/oidc-policies`, { ...spyPolicy, skillIds: [yours.skill.id] }],
      ["PATCH", `${base}/oidc-policies/${mine.ids.policy}`, { skillIds: [yours.skill.id] }],
      ["POST", `${base}/mcp-servers`, { name: "x", ...spyServer, folderId: yours.ids.folder }],
      ["PATCH", `${base}/mcp-servers/${mine.ids.mcpServer}`, { folderId: yours.ids.folder }],
      [
        "PUT",
        `/api/skills/${mine.skill.id}`,
        { requiredMcpServers: [{ tenantSlug: yours.org.slug, slug: "guarded-server" }] },
      ],
      ["GET", `/api/mcp-servers?ref=${yours.org.slug}/guarded-server`],
      ["GET", `/api/mcp-servers?ref=${yours.ids.mcpServer}`],
      [
        "PUT",
        `${base}/sso/providers/${mine.ids.provider}/group-mappings`,
        { mappings: [{ group: "spies", teamId: yours.ids.team }] },
      ],
      [
        "PATCH",
        `${base}/sso/providers/${mine.ids.provider}`,
        { jit: { enabled: true, role: yours.ids.role } },
      ],
      ["GET", `/api/skills?tenant_id=${yours.org.id}`],
      ["GET", `/api/skills?folder_id=${yours.ids.folder}`],
      ["GET", `/api/skills/resolve?ref=${yours.org.slug}/${yours.skill.slug}`],
      ["GET", `/api/skills/${yours.org.slug}~${yours.skill.slug}`],
      ["GET", `/api/skills/${yours.skill.publicId}`],
    ];
    const untouched = await digestOf(theirs);
    for (const [method, path, body] of calls) {
      const answer = await service.call(method, path, { cookie: ours.owner.cookie, body });
      assert.equal(
        answer.code,
        "not_found",
        `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
    const log = await service.call<{ entries: unknown[] }>(
      "GET",
      `${base}/audit-log?actor=${yours.owner.id}`,
      { cookie: ours.owner.cookie },
    );
    assert.deepEqual(log.data.entries, []);
    assert.equal(await digestOf(theirs), untouched);
  });
});
