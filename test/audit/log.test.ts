import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type { EventName } from "../../contract/vocabulary.ts";
import { makeSystemEvent } from "../../src/audit/events.ts";
import { recordEvents } from "../../src/audit/fan-out.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { addMember, newFolder, newMember, restrict } from "../support/organization.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const dayMs = 86_400_000;
let now = new Date("2026-06-01T12:00:00.000Z");
let owner: TestUser;
let member: TestUser;
let stranger: TestUser;
let org: TestOrg;

const { service } = await setUpService({ now: () => now });

async function begin(): Promise<void> {
  await service.empty();
  now = new Date("2026-06-01T12:00:00.000Z");
  [owner, stranger] = [await service.newUser(), await service.newUser()];
  org = await service.newOrg(owner);
  member = await newMember(service, org, "member");
  await service.settled();
}

const read = async (query = "", token = owner.token) => {
  const answer = await service.call<AuditLogPayload>("GET", `/api/tenants/${org.slug}/audit-log${query}`, {
    token,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data;
};
const actionsOf = async (query: string) => (await read(query)).entries.map((one) => one.action);
const statusOf = async (target: string, token?: string) =>
  (await service.call("GET", target, { token })).status;
const publish = (name: string, user = owner, folder?: string) =>
  service.call<{ skill: { id: string } }>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: org.slug, name, content: `# ${name}\n`, folder: folder || undefined },
  });

/** An entry as it is copied to the log. */
function rowOf(fields: Partial<EventRow> & { name: EventName }): EventRow {
  return {
    _id: service.app.newId(),
    tenantId: org.id,
    actor: { type: "user", id: owner.id, name: owner.username },
    resourceType: "skill",
    resourceId: "r",
    metadata: {},
    createdAt: now,
    ...fields,
  };
}
const store = (rows: EventRow[]) => service.app.storage.auditEvents.record(rows);

describe("an organization's audit log", () => {
  before(begin);

  it("lists what every kind of actor did there", async () => {
    for (const user of [owner, member])
      assert.equal((await publish(`By ${user.username}`, user)).status, 201);
    const event = makeSystemEvent(service.app, "personal_workspace.repaired", {
      tenantId: org.id,
      resourceType: "workspace",
      resourceId: "w",
    });
    await store([
      event,
      rowOf({
        name: "organization.updated",
        actor: { type: "organization", id: "f".repeat(24), name: "CI" },
      }),
    ]);
    await service.settled();

    const { entries, total, totalIsExact, page } = await read();

    const byAction = new Map(entries.map((one) => [`${one.action} ${one.actor.name}`, one]));
    assert.deepEqual(byAction.get("personal_workspace.repaired service")!.actor, {
      type: "system",
      id: null,
      name: "service",
    });
    assert.deepEqual(byAction.get("organization.updated CI")!.actor, {
      type: "organization",
      id: "f".repeat(24),
      name: "CI",
    });
    const made = byAction.get(`skill.created ${member.username}`)!;
    assert.equal(made.actor.id, member.id);
    assert.match(made.ip!, /^[0-9a-f]{64}$/);
    assert.deepEqual([total, totalIsExact, page], [entries.length, true, 1]);
    assert.ok(byAction.has(`organization.created ${owner.username}`));
  });

  it("is readable by administrators only, and not found for others", async () => {
    const target = `/api/tenants/${org.slug}/audit-log`;
    const viewer = await newMember(service, org, "viewer");
    const admin = await newMember(service, org, "admin");
    const other = await service.newOrg(stranger);
    const scoped = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: owner.cookie,
      body: { name: "skills only", scopes: { skill: ["read"] } },
    });
    const logs = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: owner.cookie,
      body: { name: "logs only", scopes: { auditLog: ["read"] } },
    });

    for (const path of [target, `${target}/export`]) {
      assert.equal(await statusOf(path), 401);
      assert.equal(await statusOf(path, stranger.token), 404);
      assert.equal(await statusOf(path, member.token), 403);
      assert.equal(await statusOf(path, viewer.token), 403);
      assert.equal(await statusOf(path, scoped.data.token), 403);
      assert.equal(await statusOf(path, logs.data.token), 200);
      assert.equal(await statusOf(path, admin.token), 200);
    }
    assert.equal(await statusOf(`/api/tenants/${other.id}/audit-log`, owner.token), 404);
  });

  it("contains account events of those who were members at that time", async () => {
    const other = await service.newOrg(stranger);
    const joined = await service.newUser();
    await service.settled();
    now = new Date(now.getTime() + 1000);
    for (const tenant of [org, other]) await addMember(service, tenant, joined, "member");
    const folder = await newFolder(service, org, owner, "shared");
    const elsewhere = await newFolder(service, other, stranger, "elsewhere");
    const logOf = async (of: TestOrg, token: string, query = "") => {
      const target = `/api/tenants/${of.id}/audit-log?actor=${joined.id}${query}`;
      return (await service.call<AuditLogPayload>("GET", target, { token })).data.entries;
    };
    const made = await service.call<{ id: string }>("POST", "/api/user/tokens", {
      cookie: joined.cookie,
      body: { name: "both", allowedFolderIds: [folder.id, elsewhere.id] },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await service.call("PATCH", "/api/user/profile", { cookie: joined.cookie, body: { name: "New Name" } });
    const { tenantId: _none, ...changed } = rowOf({ name: "user.email_changed" });
    const metadata = { to: "private@example.com" };
    await recordEvents(service.app, [
      { ...changed, userId: joined.id, actor: { type: "user", id: joined.id, name: "x" }, metadata },
    ]);
    await service.settled();
    now = new Date(now.getTime() + 60_000);
    const late = await service.newOrg(await service.newUser());
    await addMember(service, late, joined, "owner");

    const [here, there] = [await logOf(org, owner.token), await logOf(other, stranger.token)];
    assert.deepEqual(here.map((one) => one.action).toSorted(), [
      "user.email_changed",
      "user.profile_updated",
      "user.token_created",
    ]);
    assert.doesNotMatch(JSON.stringify(here), /private@/);
    const tokenIn = (entries: typeof here) => entries.find((one) => one.resourceId === made.data.id);
    assert.deepEqual(tokenIn(here)!.metadata, { name: "both", allowedFolderIds: [folder.id] });
    assert.deepEqual(tokenIn(there)!.metadata, { name: "both", allowedFolderIds: [elsewhere.id] });
    assert.deepEqual(await logOf(late, joined.token), []);
    const own = await service.call<AuditLogPayload>("GET", "/api/user/audit-log?action=user.*", {
      token: joined.token,
    });
    assert.equal(own.data.entries.filter((one) => one.resourceId === made.data.id).length, 1);
    const csv = await service.raw(
      "GET",
      `/api/tenants/${org.id}/audit-log/export?action=user.token_created`,
      {
        headers: { authorization: `Bearer ${owner.token}` },
      },
    );
    const lines = (await csv.text()).split("\r\n").filter((line) => line.includes(made.data.id));
    assert.equal(lines.length, 1, lines.join("\n"));

    await service.call("DELETE", `/api/tenants/${org.id}/members/${joined.id}`, { token: owner.token });
    now = new Date(now.getTime() + 60_000);
    await service.call("DELETE", `/api/user/tokens/${made.data.id}`, { cookie: joined.cookie });
    await service.settled();
    assert.equal((await logOf(org, owner.token, "&action=user.token_deleted")).length, 0);
    assert.equal((await logOf(other, stranger.token, "&action=user.token_deleted")).length, 1);
  });

  it("contains events of restricted folders, for every reader of the log", async () => {
    const admin = await newMember(service, org, "admin");
    const vault = await newFolder(service, org, owner, "vault");
    await restrict(service, owner, vault.id, [{ type: "member", id: owner.id, level: "editor" }]);
    const made = await publish("Behind a grant", owner, "vault");
    await service.settled();

    const { entries } = await read(`?resource_id=${made.data.skill.id}`, admin.token);

    assert.deepEqual(
      entries.map((one) => one.action),
      ["skill.created"],
    );
  });
});

describe("a log's filters", () => {
  before(async () => {
    await begin();
    await store([
      rowOf({ name: "skill.created", resourceId: "a", createdAt: new Date("2026-05-01T00:00:00Z") }),
      rowOf({ name: "skill.deleted", resourceId: "a", createdAt: new Date("2026-05-02T00:00:00Z") }),
      rowOf({ name: "folder.created", resourceId: "b", createdAt: new Date("2026-05-03T00:00:00Z") }),
      rowOf({
        name: "skill.updated",
        resourceId: "c",
        createdAt: new Date("2026-05-04T00:00:00Z"),
        actor: { type: "user", id: member.id, name: "formerly" },
      }),
      rowOf({
        name: "role.created",
        resourceId: "d",
        createdAt: new Date("2026-05-05T00:00:00Z"),
        actor: { type: "organization", id: "f".repeat(24), name: "CI" },
      }),
    ]);
  });
  const may = "from=2026-05-01&to=2026-05-31";

  it("select by action, by group, and by several", async () => {
    assert.deepEqual(await actionsOf(`?${may}&action=skill.deleted`), ["skill.deleted"]);
    assert.deepEqual(await actionsOf(`?${may}&action=skill.*`), [
      "skill.updated",
      "skill.deleted",
      "skill.created",
    ]);
    assert.deepEqual(await actionsOf(`?${may}&action=folder.*,%20role.created`), [
      "role.created",
      "folder.created",
    ]);
    for (const unknown of ["skills.*", "skill", "*", ".*", "skill.creat", ",", "skill.created,", "%00"])
      assert.equal(
        await statusOf(`/api/tenants/${org.slug}/audit-log?action=${unknown}`, owner.token),
        400,
        unknown,
      );
  });

  it("select by actor: id, token id, user name, and a name of that time", async () => {
    assert.deepEqual(await actionsOf(`?${may}&actor=${member.id}`), ["skill.updated"]);
    assert.deepEqual(await actionsOf(`?${may}&actor=${member.username.toUpperCase()}`), ["skill.updated"]);
    assert.deepEqual(await actionsOf(`?${may}&actor=formerly`), ["skill.updated"]);
    assert.deepEqual(await actionsOf(`?${may}&actor=${"f".repeat(24)}`), ["role.created"]);
    assert.deepEqual(await actionsOf(`?${may}&actor=CI`), ["role.created"]);
    assert.deepEqual(await actionsOf(`?${may}&actor=nobody`), []);
    // Another account is found by name and has done nothing here.
    assert.deepEqual(await actionsOf(`?${may}&actor=${stranger.username}`), []);
  });

  it("select by resource and by time, whose end is exclusive", async () => {
    assert.deepEqual(await actionsOf(`?${may}&resource_id=a`), ["skill.deleted", "skill.created"]);
    assert.deepEqual(await actionsOf("?from=2026-05-02&to=2026-05-04"), ["folder.created", "skill.deleted"]);
    const offset = encodeURIComponent("2026-05-03T02:00:00+02:00");
    assert.deepEqual(await actionsOf(`?from=${offset}&to=2026-05-04T00:00:00.000Z`), ["folder.created"]);
    for (const wrong of [
      "from=yesterday",
      "to=2026-13-01",
      "from=2026-05-02&to=2026-05-01",
      "from=1",
      "from=2026-05-02&to=2026-05-02",
      "actor=",
      "resource_id=",
      `actor=${"x".repeat(101)}`,
      "from=2026-05-01&from=2026-05-02",
      "actor[$ne]=x&actor=",
    ])
      assert.equal(await statusOf(`/api/tenants/${org.slug}/audit-log?${wrong}`, owner.token), 400, wrong);
  });

  it("combine, and apply to a user's own log too", async () => {
    assert.deepEqual(
      await actionsOf(`?from=2026-05-01&to=2026-05-02&action=skill.*&actor=${owner.id}&resource_id=a`),
      ["skill.created"],
    );
    const own = (query: string, user: TestUser) =>
      service.call<AuditLogPayload>("GET", `/api/user/audit-log${query}`, { token: user.token });

    const tokens = await own("?action=user.*", owner);
    const none = await own("?action=skill.*", owner);
    const others = await own(`?actor=${owner.id}`, member);

    assert.deepEqual(
      tokens.data.entries.map((one) => one.action),
      ["user.token_created"],
    );
    assert.equal(none.data.total, 0);
    assert.equal(others.data.total, 0);
  });
});

describe("a log's pages", () => {
  before(begin);

  it("cover all of it, and report when there are more entries than are counted", async () => {
    const most = limits.auditPagedEntries;
    const rows = Array.from({ length: most + 5 }, (_, index) =>
      rowOf({ name: "skill.updated", resourceId: "many", createdAt: new Date(now.getTime() - index * 1000) }),
    );
    await store(rows.slice(5));

    const last = await read(`?resource_id=many&limit=200&page=${most / 200}`);
    await store(rows.slice(0, 5));
    const more = await read("?resource_id=many&limit=2");

    assert.deepEqual([last.entries.length, last.total, last.totalIsExact], [200, most, true]);
    assert.equal(last.entries.at(-1)!.id, rows.at(-1)!._id);
    assert.deepEqual([more.total, more.totalIsExact], [most, false]);
    assert.deepEqual(
      more.entries.map((one) => one.id),
      [rows[0]!._id, rows[1]!._id],
    );
    const beyond = await service.call("GET", `/api/tenants/${org.slug}/audit-log?limit=200&page=51`, {
      token: owner.token,
    });
    assert.equal(beyond.code, "invalid_request");
    assert.match(beyond.error!, /"to"/);
  });
});

describe("entries older than the retention", () => {
  before(begin);

  it("are hidden before they are purged, in pages, totals and exports", async () => {
    const at = (days: number) => new Date(now.getTime() - days * dayMs);
    await store([
      rowOf({ name: "skill.created", resourceId: "old", createdAt: new Date(at(90).getTime() - 1) }),
      rowOf({ name: "skill.updated", resourceId: "old", createdAt: at(90) }),
      rowOf({ name: "skill.deleted", resourceId: "old", createdAt: at(1) }),
    ]);
    const exported = async () => {
      const target = `/api/tenants/${org.slug}/audit-log/export?format=json&resource_id=old&from=2020-01-01`;
      const response = await service.raw("GET", target, { token: owner.token });
      return ((await response.json()) as { action: string }[]).map((one) => one.action);
    };

    const today = await read("?resource_id=old&from=2020-01-01");
    const today2 = await exported();
    now = new Date(now.getTime() + 1);
    const later = await read("?resource_id=old");
    now = new Date(now.getTime() + 89 * dayMs);
    const muchLater = await exported();

    assert.deepEqual(
      [today.entries.map((one) => one.action), today.total, today2],
      [["skill.deleted", "skill.updated"], 2, ["skill.deleted", "skill.updated"]],
    );
    assert.deepEqual([later.entries.map((one) => one.action), later.total], [["skill.deleted"], 1]);
    assert.deepEqual(muchLater, []);
    const events = service.app.storage.database.raw.collection("audit_events");
    assert.equal(await events.countDocuments({ resourceId: "old" }), 3, "none was purged yet");
    await purge(service.app);
    assert.equal(await events.countDocuments({ resourceId: "old" }), 0);
  });
});
