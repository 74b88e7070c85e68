/** Stored results of calls with an `Idempotency-Key`, for callers who have lost access since. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { apiRoutes } from "../../src/api.ts";
import { totpCode } from "../mfa/fixture.ts";
import {
  addMember,
  confirmAddress,
  governed,
  newFolder,
  newMember,
  restrict,
} from "../support/organization.ts";
import type { Answer, TestUser } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";

let sequence = 0;

const { service } = await setUpService();
await service.newUser();
const { owner, org } = await newOrganization(service);
await confirmAddress(service, owner);

const newKey = () => `access-${String(++sequence).padStart(8, "0")}`;

async function enrol(user: TestUser): Promise<TestUser> {
  const { cookie } = user;
  const begun = await service.call<{ secret: string }>("POST", "/api/auth/mfa/totp", { cookie });
  const body = { code: totpCode(begun.data.secret, service.app.now()) };
  const done = await service.call("POST", "/api/auth/mfa/totp/confirm", { cookie, body });
  assert.equal(done.status, 200, done.error);
  return { ...user, cookie: done.headers.getSetCookie()[0]!.split(";")[0]! };
}

type Call = () => Promise<Answer>;

/** A call that is repeated with one key. */
function keyed(
  user: TestUser,
  target: string,
  body: object,
  credentials: object = { token: user.token },
): Call {
  const headers = { "idempotency-key": newKey() };
  return () => service.call("POST", target, { ...credentials, body, headers });
}

/** Makes the calls, takes access away, and repeats them; the results are those of the repeated calls. */
async function repeatAfter(calls: Call[], lose: () => Promise<unknown>): Promise<Answer[]> {
  for (const call of calls) {
    const first = await call();
    assert.equal(first.status, 201, JSON.stringify(first.body));
    assert.equal((await call()).status, 201, "the caller still has access");
  }
  await lose();
  await service.settled();
  return Promise.all(calls.map((call) => call()));
}

const at = (path: string) => `/api/tenants/${org.slug}${path}`;
const change = (user: TestUser, role: string) =>
  service.call("PATCH", at(`/members/${user.id}`), { token: owner.token, body: { role } });
const remove = (user: TestUser) => service.call("DELETE", at(`/members/${user.id}`), { token: owner.token });
const skill = (name: string, fields: object = {}) => ({
  tenantId: org.slug,
  name,
  content: `${name}\n`,
  ...fields,
});
const refusals = (answers: Answer[]) => answers.map(({ status, code }) => [status, code]);

async function newAdmin(): Promise<TestUser> {
  const admin = await newMember(service, org, "admin");
  await confirmAddress(service, admin);
  return admin;
}

const adminCalls = (admin: TestUser): Record<string, Call> => ({
  policy: keyed(admin, at("/oidc-policies"), {
    name: `CI ${++sequence}`,
    provider: "github",
    repository: "octo/repo",
    ref: "refs/heads/main",
  }),
  folder: keyed(admin, at("/folders"), { path: `kept-${++sequence}` }),
  server: keyed(admin, at("/mcp-servers"), {
    name: `Server ${++sequence}`,
    transport: "http",
    url: "https://mcp.example.com/mcp",
  }),
  invitation: keyed(admin, at("/invitations"), { email: `guest-${++sequence}@example.com`, role: "viewer" }),
  role: keyed(admin, at("/roles"), { name: `Role ${++sequence}`, permissions: { skill: ["read"] } }),
  team: keyed(admin, at("/teams"), { name: `Team ${++sequence}` }),
  private: keyed(admin, "/api/skills", skill(`Private ${++sequence}`)),
  public: keyed(admin, "/api/skills", skill(`Public ${++sequence}`, { visibility: "public" })),
});

describe("a repeated Idempotency-Key", () => {
  it("returns nothing of an organization to a former member", async () => {
    const admin = await newAdmin();
    const calls = adminCalls(admin);
    const published = (await calls["private"]!()).data as PublishResult;
    const { id } = published.skill;
    const pushes = [keyed(admin, `/api/skills/${id}/versions`, { content: "second\n" })];
    const copies = [
      keyed(admin, `/api/skills/${id}/copy`, { tenantId: org.slug, name: `Copy ${++sequence}` }),
    ];

    const repeated = await repeatAfter([...Object.values(calls), ...pushes, ...copies], () => remove(admin));

    for (const answer of repeated) {
      assert.ok([403, 404].includes(answer.status), JSON.stringify(answer.body));
      assert.equal(answer.data, undefined, "no data");
    }
  });

  it("returns what the changed role may still read, and nothing else", async () => {
    const admin = await newAdmin();
    const { policy, invitation, role, server, private: published } = adminCalls(admin);

    const repeated = await repeatAfter([policy!, invitation!, role!, server!, published!], () =>
      change(admin, "viewer"),
    );

    const statuses = repeated.map(({ status }) => status);
    assert.deepEqual(statuses, [403, 403, 403, 201, 201], JSON.stringify(refusals(repeated)));
  });

  it("returns nothing in a folder on which the caller has lost the grant", async () => {
    const member = await newMember(service, org, "member");
    const folder = await newFolder(service, org, owner, `vault-${++sequence}`);
    await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "editor" }]);
    const calls = [
      keyed(member, "/api/skills", skill(`Secret ${++sequence}`, { folder: folder.path })),
      keyed(member, at("/folders"), { parentId: folder.id, name: "inner" }),
    ];

    const repeated = await repeatAfter(calls, async () => {
      await restrict(service, owner, folder.id, []);
      await governed(service, org);
    });

    assert.deepEqual(refusals(repeated), [
      [404, "not_found"],
      [404, "not_found"],
    ]);
  });

  it("returns nothing while a proof is missing that the organization requires", async () => {
    const own = await service.newOrg(owner);
    const member = await service.newUser();
    await addMember(service, own, member, "member");
    const body = { ...skill(`Proved ${++sequence}`), tenantId: own.slug };
    const byToken = keyed(member, "/api/skills", body);
    const bySession = keyed(
      member,
      "/api/skills",
      { ...body, name: `Session ${sequence}` },
      { cookie: member.cookie },
    );

    const repeated = await repeatAfter([byToken, bySession], async () => {
      const required = await service.call("PUT", `/api/tenants/${own.slug}/mfa-requirement`, {
        cookie: (await enrol(owner)).cookie,
        body: { required: true, graceDays: 0 },
      });
      assert.equal(required.status, 200, JSON.stringify(required.body));
    });

    assert.deepEqual(refusals(repeated), [
      [403, "mfa_required"],
      [403, "mfa_required"],
    ]);
  });

  it("returns nothing of what was deleted", async () => {
    const call = keyed(owner, "/api/skills", skill(`Deleted ${++sequence}`));
    const { skill: made } = (await call()).data as PublishResult;

    await service.call("DELETE", `/api/skills/${made.id}`, { token: owner.token });
    const repeated = await call();

    assert.deepEqual(refusals([repeated]), [[404, "not_found"]]);
  });

  it("stores no result that no read decides about", () => {
    const creating = apiRoutes(service.app, "test").filter(
      ({ method, status, stream }) => method === "post" && status === 201 && !stream,
    );
    const undecided = creating.filter(({ authorizeRepeat }) => !authorizeRepeat).map(({ path }) => path);

    assert.ok(creating.length > 20);
    assert.deepEqual(undecided.sort(), [
      "/api/auth/sign-up",
      "/api/tenants/:tenant/scim",
      "/api/tenants/:tenant/scim/rotate",
      "/api/tenants/:tenant/tokens",
      "/api/tenants/:tenant/webhooks",
      "/api/user/tokens",
    ]);
  });
});
