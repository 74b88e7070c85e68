import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type {
  AdminOrganizationPayload,
  AdminUserPayload,
} from "../../contract/payloads/service/administration.ts";
import { loadUserActor } from "../../src/users/load.ts";
import type { MembershipDoc } from "../../storage/memberships/memberships.ts";
import { addMember, publishSkill } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const password = "correct horse battery";
const { service, clock } = await setUpService({ isEmptied: true });

const users = (admin: TestUser, query = "") =>
  service.call<AdminUserPayload[]>("GET", `/api/admin/users${query}`, { cookie: admin.cookie });
const act = (admin: TestUser, id: string, action: string, reason = "a request") =>
  service.call<AdminUserPayload>("POST", `/api/admin/users/${id}/${action}`, {
    cookie: admin.cookie,
    body: { reason },
  });
const suspend = (admin: TestUser, id: string) => act(admin, id, "suspend", "spam");
const signIn = (user: TestUser, given = password) =>
  service.call("POST", "/api/auth/sign-in", {
    body: { email: `${user.username}@example.com`, password: given },
  });
const profile = async (by: { cookie: string } | { token: string }) =>
  service.call("GET", "/api/user/profile", by);

describe("the list of accounts", () => {
  it("pages by user name, and finds by name, address, id and suspension", async () => {
    const admin = await service.newUser("chief");
    const [ann, anton, bob] = [
      await service.newUser("ann"),
      await service.newUser("anton"),
      await service.newUser("bob"),
    ];
    const org = await service.newOrg(ann, "lumen");
    await addMember(service, org, bob, "viewer");
    const names = async (query: string) => (await users(admin, query)).data.map(({ username }) => username);

    const first = await users(admin, "?limit=3");
    const rest = await users(admin, `?limit=3&cursor=${first.nextCursor}`);

    assert.deepEqual(
      [...first.data, ...rest.data].map(({ username }) => username),
      ["ann", "anton", "bob", "chief"],
    );
    assert.equal(rest.nextCursor, null);
    assert.deepEqual(await names("?query=AN"), ["ann", "anton"]);
    assert.deepEqual(await names("?query=anton%40ex"), ["anton"]);
    assert.deepEqual(await names(`?query=${bob.id}`), ["bob"]);
    assert.deepEqual(await names("?query=.*"), []);
    await suspend(admin, anton.id);
    assert.deepEqual(await names("?suspended=true"), ["anton"]);
    const [shown] = (await users(admin, "?query=bob")).data;
    assert.deepEqual(shown!.organizations, [{ id: org.id, slug: "lumen", role: "viewer" }]);
    assert.equal(shown!.email, "bob@example.com");
    assert.equal(shown!.lastSeenAt, service.app.now().toISOString().slice(0, 10));
    assert.doesNotMatch(JSON.stringify(first.body), /passwordHash|argon2/);
  });

  it("does not exist for anyone else, and neither do its actions", async () => {
    const admin = await service.newUser("chief");
    const user = await service.newUser("bob");
    const narrowed = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: admin.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });
    for (const by of [{ cookie: user.cookie }, { token: user.token }, { token: narrowed.data.token }, {}])
      for (const [method, path] of [
        ["GET", "/api/admin/users"],
        ["GET", "/api/admin/organizations"],
        ["POST", `/api/admin/users/${admin.id}/end-sessions`],
        ["POST", `/api/admin/users/${user.id}/unsuspend`],
        ["POST", `/api/admin/users/${user.id}/grant-administrator`],
        ["POST", `/api/admin/users/${admin.id}/remove-administrator`],
        ["GET", "/api/admin/settings"],
        ["PATCH", "/api/admin/settings"],
      ] as const)
        assert.equal((await service.call(method, path, by)).status, 404, `${method} ${path}`);
  });
});

describe("a suspended account", () => {
  it("loses its sessions and tokens at once, and is told so only with its password or token", async () => {
    const admin = await service.newUser("chief");
    const bob = await service.newUser("bob");

    const suspended = await suspend(admin, bob.id);

    assert.deepEqual(
      [suspended.data.suspended?.by, suspended.data.suspended?.reason],
      ["chief", "spam"],
      JSON.stringify(suspended.body),
    );
    assert.equal((await profile({ cookie: bob.cookie })).status, 401);
    const byToken = await profile({ token: bob.token });
    assert.deepEqual([byToken.status, byToken.details?.["reason"]], [403, "account_suspended"]);
    const right = await signIn(bob);
    assert.deepEqual([right.status, right.details?.["reason"]], [403, "account_suspended"]);
    assert.equal(right.headers.getSetCookie().length, 0);
    assert.equal((await signIn(bob, "not the password")).code, "invalid_credentials");
    const via = { kind: "session", sessionId: "" } as const;
    const origin = { ipHash: "x", source: "web", client: "web" } as const;
    assert.equal(await loadUserActor(service.app, bob.id, via, origin), undefined);
  });

  it("keeps its previous sessions and tokens ended when the suspension is lifted", async () => {
    const admin = await service.newUser("chief");
    const bob = await service.newUser("bob");
    await suspend(admin, bob.id);
    await service.settled();

    const lifted = await act(admin, bob.id, "unsuspend");

    assert.equal(lifted.data.suspended, null);
    assert.deepEqual(
      [(await profile({ cookie: bob.cookie })).status, (await profile({ token: bob.token })).status],
      [401, 401],
    );
    const again = await signIn(bob);
    assert.equal(again.status, 200);
    const cookie = again.headers.getSetCookie()[0]!.split(";")[0]!;
    const tokens = await service.call<unknown[]>("GET", "/api/user/tokens", { cookie });
    assert.deepEqual(tokens.data, []);
  });

  it("is suspended once, is never an administrator, and its suspension is audited", async () => {
    const admin = await service.newUser("chief");
    const bob = await service.newUser("bob");
    const own = await suspend(admin, admin.id);
    const answers = await Promise.all([suspend(admin, bob.id), suspend(admin, bob.id)]);
    const ended = await act(admin, bob.id, "unsuspend");
    const again = await act(admin, bob.id, "unsuspend");
    const unknown = await suspend(admin, service.app.newId());
    await service.settled();

    assert.equal(own.code, "refused");
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    );
    assert.deepEqual([ended.status, again.status, unknown.status], [200, 409, 404]);
    const log = await service.call<AuditLogPayload>("GET", "/api/admin/audit-log", { cookie: admin.cookie });
    const named = log.data.entries.filter(({ action }) => action.startsWith("user."));
    assert.deepEqual(
      named.map(({ action, resourceId, actor }) => [action, resourceId, actor.name]),
      [
        ["user.unsuspended", bob.id, "chief"],
        ["user.suspended", bob.id, "chief"],
      ],
    );
    assert.deepEqual(
      named.map(({ metadata }) => metadata["reason"]),
      ["a request", "spam"],
    );
    const silent = await service.call("POST", `/api/admin/users/${bob.id}/suspend`, {
      cookie: admin.cookie,
      body: { reason: " " },
    });
    assert.equal(silent.code, "invalid_request");
  });

  it("differs from one whose sessions were ended, which signs in again and keeps its tokens", async () => {
    const admin = await service.newUser("chief");
    const bob = await service.newUser("bob");

    const ended = await act(admin, bob.id, "end-sessions");

    assert.equal(ended.status, 200);
    assert.equal((await profile({ cookie: bob.cookie })).status, 401);
    assert.equal((await profile({ token: bob.token })).status, 200);
    assert.equal((await signIn(bob)).status, 200);
  });
});

describe("the list of organizations", () => {
  it("has owners and numbers of members, and nothing of skills", async () => {
    const admin = await service.newUser("chief");
    const ann = await service.newUser("ann");
    const [lumen, other] = [await service.newOrg(ann, "lumen"), await service.newOrg(ann, "other")];
    await addMember(service, lumen, admin, "viewer");
    await publishSkill(service, lumen, ann, { name: "Secret plan", folder: "/", visibility: "private" });
    const list = (query: string) =>
      service.call<AdminOrganizationPayload[]>("GET", `/api/admin/organizations${query}`, {
        cookie: admin.cookie,
      });

    const first = await list("?limit=1");
    const second = await list(`?limit=1&cursor=${first.nextCursor}`);
    const found = await list("?query=oth");
    const byId = await list(`?query=${lumen.id}`);

    const [shown] = first.data;
    assert.deepEqual(
      [shown!.slug, shown!.members, shown!.skills, shown!.owners, shown!.connected],
      ["lumen", 2, 1, [{ id: ann.id, username: "ann" }], false],
    );
    assert.deepEqual([second.data[0]!.id, second.nextCursor], [other.id, null]);
    assert.deepEqual([found.data.length, byId.data[0]!.slug], [1, "lumen"]);
    assert.doesNotMatch(JSON.stringify(first.body), /secret/i);
  });

  it("has the last counts of a large organization, renewed in the background, and at once after a day", async () => {
    const admin = await service.newUser("chief");
    const org = await service.newOrg(admin, "large");
    const memberships = service.app.storage.database.collection<MembershipDoc>("memberships");
    const own = (await service.app.storage.memberships.find(org.id, admin.id))!;
    await memberships.insertMany(
      Array.from({ length: 1001 }, () => ({
        ...own,
        _id: service.app.newId(),
        userId: service.app.newId(),
        role: "member",
      })),
    );
    const shown = async () => {
      const list = await service.call<AdminOrganizationPayload[]>("GET", "/api/admin/organizations", {
        cookie: admin.cookie,
      });
      return [list.data[0]!.members, list.data[0]!.countedAt];
    };
    const removeOne = () => memberships.deleteOne({ tenantId: org.id, role: "member" });
    const first = await shown();
    assert.equal(first[0], 1002);

    await removeOne();
    assert.deepEqual(await shown(), first);
    clock.aheadMs += 11 * 60_000;
    assert.deepEqual(await shown(), first);
    await until("the next count", async () => (await shown())[0] === 1001);
    await removeOne();
    clock.aheadMs += 25 * 3_600_000;
    assert.equal((await shown())[0], 1000);
    await memberships.deleteMany({ tenantId: org.id, role: "member" });
    clock.aheadMs += 11 * 60_000;
    await until("the count of what is left", async () => (await shown())[0] === 1);
    clock.aheadMs = 0;
    assert.equal((await shown())[0], 1, "a count whose time is in the future is not kept");
  });
});
