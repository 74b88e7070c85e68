import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AttentionPayload } from "../../contract/payloads/organizations/attention.ts";
import type { FindingsPayload } from "../../contract/payloads/skills/findings.ts";
import { connectionDoc } from "../support/connection.ts";
import {
  addMember,
  confirmAddress,
  newFolder,
  newMember,
  publishSkill,
  restrict,
} from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

const read = async (user: TestUser, path = "/api/user/attention") => {
  const answer = await service.call<AttentionPayload>("GET", path, { cookie: user.cookie });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data;
};
const ofOrg = (user: TestUser) => read(user, `/api/tenants/${org.slug}/attention`);
const kindsOf = ({ items }: AttentionPayload) => [...new Set(items.map(({ kind }) => kind))];
const labelsOf = ({ items }: AttentionPayload, kind: string) =>
  items.filter((item) => item.kind === kind).map(({ label }) => label);

describe("what needs attention", async () => {
  const { connections, syncConflicts, workspaces } = service.app.storage;
  const vault = await newFolder(service, org, owner, "vault");
  await restrict(service, owner, vault.id, []);
  const publish = (name: string, folder: string) =>
    publishSkill(service, org, owner, { name, folder, visibility: "private" });
  const open = (await publish("Open", "/")).id;
  const hidden = (await publish("Hidden", "vault")).id;
  const now = service.app.now();
  const problem = { code: "auth_failed", message: "The token was refused.", at: now } as const;
  const connection = connectionDoc(1, { tenantId: org.id, status: "blocked", problem });
  await connections.insert(connection);
  const conflict = { connectionId: connection._id, tenantId: org.id, commit: "c", at: now };
  await syncConflicts.record([
    { ...conflict, winning: 2, losing: 1, skillId: open, path: "skills/open" },
    { ...conflict, winning: 2, losing: 1, skillId: hidden, path: "skills/vault/hidden" },
  ]);
  const row = { state: "failed", folderId: "f", attempts: 3, createdAt: now, updatedAt: now } as const;
  await workspaces.insertNew([
    { ...row, _id: service.app.newId(), tenantId: org.id, userId: owner.id, error: "The name is taken." },
  ]);
  for (const [name, days] of [
    ["soon", 3],
    ["later", 30],
  ] as const) {
    const body = { name, expiresInDays: days };
    const made = await service.call("POST", `/api/tenants/${org.id}/tokens`, { token: owner.token, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }

  it("is shown to those who may see it, the most urgent kind first", async () => {
    const all = await ofOrg(owner);

    assert.deepEqual(kindsOf(all), ["sync_problem", "sync_conflict", "workspace_failed", "token_expiring"]);
    assert.deepEqual(labelsOf(all, "sync_conflict").sort(), ["skills/open", "skills/vault/hidden"]);
    assert.deepEqual(labelsOf(all, "token_expiring"), ["soon"]);
    assert.equal(all.items[0]!.message, "The token was refused.");
    assert.equal(all.items[0]!.tenant?.slug, org.slug);
    assert.deepEqual(all.truncated, []);
  });

  it("leaves out conflicts of hidden skills, and the management for members without it", async () => {
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
      token: owner.token,
      body: { name: "Sync readers", permissions: { githubSync: ["read"], skill: ["read"] } },
    });
    const reader = await newMember(service, org, role.data.id);
    const viewer = await newMember(service, org, "viewer");
    const stranger = await service.newUser();

    const partly = await ofOrg(reader);

    assert.deepEqual(labelsOf(partly, "sync_conflict"), ["skills/open"]);
    assert.ok(!JSON.stringify(partly).includes("vault"));
    assert.deepEqual(kindsOf(partly), ["sync_problem", "sync_conflict"]);
    assert.deepEqual((await read(viewer)).items, []);
    const foreign = await service.call("GET", `/api/tenants/${org.slug}/attention`, {
      cookie: stranger.cookie,
    });
    assert.equal(foreign.status, 404);
  });

  it("has skills with errors that were not reviewed, for those who may change them", async () => {
    const elsewhere = await service.newOrg(owner);
    const closed = await newFolder(service, elsewhere, owner, "vault");
    await restrict(service, owner, closed.id, []);
    const secret = ["ghp", "aB3dE6gH9jK".repeat(4).slice(0, 36)].join("_");
    const publishLeak = async (name: string, folder: string) => {
      const content = `# ${name}\n\n${secret}\n`;
      return (await publishSkill(service, elsewhere, owner, { name, folder, content })).id;
    };
    const [leaking, restricted] = [
      await publishLeak("Leaking", "/"),
      await publishLeak("Hidden leak", "vault"),
    ];
    const editor = await newMember(service, elsewhere, "member");
    const viewer = await newMember(service, elsewhere, "viewer");
    const path = `/api/tenants/${elsewhere.id}/attention`;
    const leaksOf = async (user: TestUser) => labelsOf(await read(user, path), "skill_finding");

    const first = await read(owner, path);

    assert.deepEqual(labelsOf(first, "skill_finding"), ["hidden-leak", "leaking"]);
    assert.equal(first.items[1]!.message, "leaking 1.0.0 has an error: correct or review it.");
    assert.ok(!JSON.stringify(first).includes(secret));
    assert.deepEqual(await leaksOf(editor), ["leaking"]);
    assert.deepEqual(await leaksOf(viewer), []);

    const target = `/api/skills/${leaking}/findings`;
    const { findings } = (await service.call<FindingsPayload>("GET", target, { token: editor.token })).data;
    const reviewed = await service.call("PUT", `${target}/${findings[0]!.id}`, {
      token: editor.token,
      body: { reviewed: true },
    });
    assert.equal(reviewed.status, 200, JSON.stringify(reviewed.body));
    const body = { content: "# Hidden leak\n" };
    await service.call("POST", `/api/skills/${restricted}/versions`, { token: owner.token, body });

    assert.deepEqual(await leaksOf(owner), []);
  });

  it("has the caller's own tokens, invitations and installs, over all of their organizations", async () => {
    const guest = await service.newUser();
    await confirmAddress(service, owner);
    const invited = await service.call("POST", `/api/tenants/${org.id}/invitations`, {
      token: owner.token,
      body: { email: `${guest.username}@example.com` },
    });
    assert.equal(invited.status, 201, JSON.stringify(invited.body));
    const unconfirmed = await read(guest);
    await confirmAddress(service, guest);
    const elsewhere = await service.newOrg(owner);
    await addMember(service, elsewhere, guest, "member");
    const { id } = await publishSkill(service, elsewhere, owner, {
      name: "Installed",
      folder: "/",
      visibility: "private",
    });
    const place = { platform: "claude", scope: "global", machine: "m" };
    const sent = { token: guest.token };
    await service.call("PUT", `/api/skills/${id}/installs`, { ...sent, body: { ...place, version: 1 } });
    const current = await read(guest);
    await service.call("POST", `/api/skills/${id}/versions`, {
      token: owner.token,
      body: { content: "new\n" },
    });
    await service.call("POST", "/api/user/tokens", {
      cookie: guest.cookie,
      body: { name: "mine", expiresInDays: 1 },
    });

    const own = await read(guest);

    assert.deepEqual(unconfirmed.items, []);
    assert.deepEqual(kindsOf(current), ["invitation"]);
    assert.deepEqual(kindsOf(own), ["token_expiring", "invitation", "install_outdated"]);
    assert.deepEqual(labelsOf(own, "install_outdated"), ["Installed"]);
    assert.deepEqual(labelsOf(own, "token_expiring"), ["mine"]);
    const narrowed = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: guest.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });
    const byToken = await service.call<AttentionPayload>("GET", "/api/user/attention", {
      token: narrowed.data.token,
    });
    assert.deepEqual(kindsOf(byToken.data), ["install_outdated"]);
  });

  it("has the caller's own connectors that have to be connected again, and no one else's", async () => {
    const member = await newMember(service, org, "member");
    const server = { name: "Tracker", transport: "http", url: "https://tracker.example.com/mcp" };
    const call = (path: string, user: TestUser, body: object) =>
      service.call<{ id: string }>("POST", path, { cookie: user.cookie, body });
    await call(`/api/tenants/${org.slug}/mcp-servers`, owner, server);
    const made = await call("/api/user/connectors", member, { server: `${org.slug}/tracker` });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const kind = "connector_needs_auth";
    assert.deepEqual(labelsOf(await read(member), kind), [], "one that was never connected");
    await service.app.storage.database.raw
      .collection<{ _id: string }>("connectors")
      .updateOne({ _id: made.data.id }, { $set: { status: "needs_auth", problem: "unauthorized" } });

    assert.deepEqual(labelsOf(await read(member), kind), ["Tracker"]);
    assert.deepEqual(labelsOf(await read(owner), kind), []);
    assert.deepEqual(labelsOf(await ofOrg(member), kind), [], "of an organization");
  });

  it("is limited to 20 of each kind", async () => {
    await syncConflicts.record(
      Array.from({ length: 30 }, (_, n) => ({
        ...conflict,
        skillId: open,
        path: "skills/open",
        winning: n + 5,
        losing: n,
      })),
    );

    const { items, truncated } = await ofOrg(owner);

    assert.equal(items.filter(({ kind }) => kind === "sync_conflict").length, 20);
    assert.deepEqual(truncated, ["sync_conflict"]);
  });
});
