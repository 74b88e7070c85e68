/** The access of members with its reasons, through HTTP. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  AccessCheckPayload,
  EffectiveAccessPayload,
  PlannedAccessPayload,
} from "../../contract/payloads/organizations/folders.ts";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const skills: Record<string, PublishResult["skill"]> = {};

async function created<T>(path: string, body: unknown): Promise<T> {
  const made = await service.call<T>("POST", `/api/tenants/${org.id}${path}`, { token: owner.token, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data;
}

const { service, owner, org } = await setUpOrganization();
const team = await created<{ id: string }>("/teams", { name: "Platform", roles: [] });
const noReader = await created<{ id: string }>("/roles", {
  name: "Auditor",
  permissions: { auditLog: ["read"] },
});
/** Members by the reason for which they have access. */
const people = {
  admin: await newMember(service, org, "admin"),
  granted: await newMember(service, org, "viewer"),
  teammate: await newMember(service, org, "member", [team.id]),
  manager: await newMember(service, org, "member"),
  "left out": await newMember(service, org, "member"),
  unable: await newMember(service, org, noReader.id),
};
const vault = await newFolder(service, org, owner, "vault");
const inner = await newFolder(service, org, owner, "vault/inner");
for (const [name, folder, visibility] of [
  ["Kept", "vault/inner", "public"],
  ["Open", "/", "public"],
  ["Plain", "/", "private"],
] as const)
  skills[name] = await publishSkill(service, org, owner, { name, folder, visibility });
await restrict(service, owner, vault.id, [
  { type: "member", id: people.granted.id, level: "editor" },
  { type: "team", id: team.id, level: "editor" },
  { type: "member", id: people.manager.id, level: "manager" },
]);

const kept = () => skills["Kept"]!.publicId;
const list = (by: TestUser, path: string) =>
  service.call<EffectiveAccessPayload[]>("GET", path, { token: by.token });
/** Access and the kinds of its reasons, by the name of the person. */
function summary(rows: EffectiveAccessPayload[]): Record<string, [string, string]> {
  const nameOf = (id: string) => Object.entries(people).find(([, { id: own }]) => own === id)?.[0] ?? "owner";
  return Object.fromEntries(
    rows.map(({ principal, can, reasons }) => [
      nameOf(principal.id),
      [can.join(" "), reasons.map(({ kind, level }) => (level ? `${kind} ${level}` : kind)).join(", ")],
    ]),
  );
}

describe("effective access", () => {
  it("to a folder under a restriction names the role, team, grant or bypass of each member", async () => {
    const answer = await list(owner, `/api/folders/${inner.id}/effective`);

    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(summary(answer.data), {
      owner: ["read create update delete manage", "role, bypass"],
      admin: ["read create update delete manage", "role, bypass"],
      granted: ["read", "role, grant editor"],
      teammate: ["read create update", "role, grant editor"],
      manager: ["read create update manage", "role, grant manager"],
      "left out": ["", "ungranted"],
      unable: ["", "unpermitted"],
    });
    const reasonsOf = (user: TestUser) =>
      answer.data.find(({ principal }) => principal.id === user.id)!.reasons;
    assert.deepEqual(reasonsOf(people.teammate)[1], {
      kind: "grant",
      type: "team",
      id: team.id,
      name: "Platform",
      level: "editor",
    });
    assert.deepEqual(reasonsOf(people["left out"]), [{ kind: "ungranted", id: vault.id, name: "vault" }]);
  });

  it("to a skill counts its visibility, which a restriction overrides", async () => {
    const open = summary((await list(owner, `/api/skills/${skills["Open"]!.publicId}/effective`)).data);
    const plain = summary((await list(owner, `/api/skills/${skills["Plain"]!.publicId}/effective`)).data);
    const restricted = summary((await list(owner, `/api/skills/${kept()}/effective`)).data);

    assert.deepEqual(open["unable"], ["read", "visibility"]);
    assert.deepEqual(open["left out"], ["read update", "role"]);
    assert.deepEqual(open["owner"], ["read update delete", "role"]);
    assert.deepEqual(
      [plain["unable"], plain["granted"]],
      [
        ["", "unpermitted"],
        ["read", "role"],
      ],
    );
    assert.deepEqual(restricted["unable"], ["", "unpermitted"]);
    assert.deepEqual(restricted["manager"], ["read update manage", "role, grant manager"]);
  });

  it("is what the members can do", async () => {
    for (const skill of Object.values(skills)) {
      const rows = (await list(owner, `/api/skills/${skill.publicId}/effective`)).data;
      for (const user of Object.values(people)) {
        const { can } = rows.find(({ principal }) => principal.id === user.id)!;
        const { token } = user;
        const path = `/api/skills/${skill.publicId}`;
        const read = await service.call("GET", path, { token });
        const changed = await service.call("PUT", path, { token, body: { tags: ["a"], dryRun: true } });
        assert.deepEqual(
          [read.status === 200, changed.status === 200],
          [can.includes("read"), can.includes("update")],
          `${user.username} ${skill.slug}`,
        );
      }
    }
  });

  it("includes the permissions of a team's roles, and ends with a deleted team", async () => {
    const writers = await created<{ id: string }>("/teams", { name: "Writers", roles: ["admin"] });
    const writer = await newMember(service, org, noReader.id, [writers.id]);
    const path = `/api/skills/${skills["Plain"]!.publicId}/effective?query=${writer.username}`;

    const [with_] = (await list(owner, path)).data;
    const deleted = await service.call("DELETE", `/api/tenants/${org.id}/teams/${writers.id}`, {
      token: owner.token,
    });
    const [without] = (await list(owner, path)).data;

    assert.deepEqual(with_!.reasons, [{ kind: "team", id: writers.id, name: "Writers" }]);
    assert.deepEqual(with_!.can, ["read", "update", "delete"]);
    assert.equal(deleted.status, 200);
    assert.deepEqual([without!.can, without!.reasons], [[], [{ kind: "unpermitted" }]]);
  });

  it("is listed in pages, and only to those who may manage it", async () => {
    const path = `/api/folders/${vault.id}/effective`;
    const first = await service.call<EffectiveAccessPayload[]>("GET", `${path}?limit=3`, {
      token: people.manager.token,
    });
    const cursor = encodeURIComponent(first.nextCursor!);
    const rest = await service.call<EffectiveAccessPayload[]>("GET", `${path}?cursor=${cursor}`, {
      token: people.manager.token,
    });
    const names = [...first.data, ...rest.data].map(({ principal }) => principal.name);
    assert.deepEqual([first.data.length, names], [3, names.toSorted()]);
    assert.equal(new Set(names).size, names.length);

    const stranger = await service.newUser();
    const statuses = async (target: string) => {
      const callers = [people.granted, people.teammate, people["left out"], people.unable, stranger];
      const answers = await Promise.all(callers.map((caller) => list(caller, target)));
      return answers.map(({ status }) => status);
    };
    assert.deepEqual(await statuses(path), [403, 403, 404, 404, 404]);
    assert.deepEqual(await statuses(`/api/skills/${kept()}/effective`), [403, 403, 404, 404, 404]);
    assert.deepEqual(
      await statuses(`/api/skills/${skills["Open"]!.publicId}/effective`),
      [403, 403, 403, 403, 403],
      "everyone sees a public skill",
    );
    const hidden = await list(people["left out"], path);
    const missing = await list(people["left out"], `/api/folders/${"0".repeat(vault.id.length)}/effective`);
    const textOf = ({ body, status }: typeof hidden) => [status, body["code"]];
    assert.deepEqual(textOf(hidden), textOf(missing));
    assert.equal((await service.call("GET", path)).status, 401);
  });

  it("is out of reach of narrowed tokens, and of managers who may not read the list of members", async () => {
    const scoped = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      token: owner.token,
      body: { name: "scoped", scopes: { skill: ["read", "update"], folder: ["update"] } },
    });
    const role = await created<{ id: string }>("/roles", {
      name: "Blind manager",
      permissions: { skill: ["read"], folder: ["update"] },
    });
    const blind = await newMember(service, org, role.id);
    const folder = await newFolder(service, org, owner, "blind");
    await restrict(service, owner, folder.id, [{ type: "member", id: blind.id, level: "manager" }]);

    const byToken = await service.call("GET", `/api/folders/${vault.id}/effective`, {
      token: scoped.data.token,
    });
    const byBlind = await list(blind, `/api/folders/${folder.id}/effective`);

    assert.deepEqual([byToken.status, byBlind.status], [403, 403]);
  });
});

describe("planned access", () => {
  it("lists what each member can do before and after, and changes nothing", async () => {
    const plan = (by: TestUser, grants: unknown[], restricted = true) =>
      service.call<PlannedAccessPayload[]>("POST", `/api/folders/${vault.id}/effective`, {
        token: by.token,
        body: { restricted, grants },
      });
    const changesOf = (rows: PlannedAccessPayload[]) =>
      Object.fromEntries(
        rows
          .filter(({ before: had, can }) => had.join() !== can.join())
          .map(({ principal, before: had, can }) => [principal.name, [had.join(" "), can.join(" ")]]),
      );
    const grantTo = (user: TestUser, level: string) => ({
      principal: { type: "member", id: user.id },
      level,
    });

    const narrowed = await plan(people.manager, [
      grantTo(people.manager, "manager"),
      grantTo(people["left out"], "viewer"),
    ]);
    const lifted = await plan(owner, [], false);

    assert.deepEqual(changesOf(narrowed.data), {
      [people.granted.username]: ["read", ""],
      [people.teammate.username]: ["read create update", ""],
      [people["left out"].username]: ["", "read"],
    });
    assert.deepEqual(changesOf(lifted.data)[people["left out"].username], ["", "read create update"]);
    assert.equal((await list(people["left out"], `/api/folders/${vault.id}/effective`)).status, 404);
    assert.equal((await plan(people.granted, [])).status, 403);
    assert.equal((await plan(people["left out"], [])).status, 404);
    const foreign = await plan(owner, [grantTo(await service.newUser(), "viewer")]);
    assert.deepEqual([foreign.status, foreign.code], [404, "not_found"]);
  });

  it("does not show the grants of an outer folder to a manager of the inner one", async () => {
    const guest = await newMember(service, org, "member");
    const closed = await newFolder(service, org, owner, "vault/closed");
    await restrict(service, owner, closed.id, [{ type: "member", id: guest.id, level: "manager" }]);
    const plan = (by: TestUser, restricted: boolean) =>
      service.call<PlannedAccessPayload[]>("POST", `/api/folders/${closed.id}/effective`, {
        token: by.token,
        body: { restricted, grants: [] },
      });

    const lifted = await plan(guest, false);

    assert.deepEqual([lifted.status, lifted.code], [403, "forbidden"]);
    assert.doesNotMatch(JSON.stringify(lifted.body), new RegExp(people.granted.username));
    assert.equal((await plan(guest, true)).status, 200);
    const byOwner = await plan(owner, false);
    assert.ok(
      byOwner.data.some(({ principal, can }) => principal.id === people.granted.id && can.length > 0),
    );
  });
});

describe("the access check", () => {
  const check = (by: TestUser, body: Record<string, unknown>, tenant = org.slug) =>
    service.call<AccessCheckPayload>("POST", `/api/tenants/${tenant}/access/check`, {
      token: by.token,
      body,
    });

  it("reports whether one member may do something, and why", async () => {
    const userId = people.teammate.id;
    const allowed = await check(owner, { userId, action: "update", skill: kept() });
    const refused = await check(people.manager, { userId, action: "manage", folderId: vault.id });

    assert.deepEqual([allowed.status, allowed.data.allowed], [200, true]);
    assert.deepEqual(
      allowed.data.reasons.map(({ kind }) => kind),
      ["role", "grant"],
    );
    assert.deepEqual([refused.status, refused.data.allowed], [200, false]);
  });

  it("refuses callers who may not manage the access, and finds nothing in another organization", async () => {
    const other = await service.newUser();
    const elsewhere = await service.newOrg(owner);
    const body = { userId: people.teammate.id, action: "read", folderId: vault.id };

    assert.equal((await check(people.teammate, body)).status, 403);
    assert.equal((await check(people["left out"], body)).status, 404);
    assert.equal((await check(other, body)).status, 404);
    assert.equal((await check(owner, body, elsewhere.slug)).status, 404);
    assert.equal((await check(owner, { ...body, userId: other.id })).status, 404);
    assert.equal((await check(owner, { ...body, skill: kept() })).status, 400);
  });
});
