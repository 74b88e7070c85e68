/** The access of an organization's own tokens with its reasons, next to that of the members, through HTTP. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  AccessCheckPayload,
  EffectiveAccessPayload,
  PlannedAccessPayload,
} from "../../contract/payloads/organizations/folders.ts";
import { encodeCursor, writeCursor } from "../../src/http/request/cursor.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization, newOrganization } from "../support/set-up.ts";

async function created<T>(path: string, body: unknown): Promise<T> {
  const made = await service.call<T>("POST", `/api/tenants/${org.id}${path}`, { token: owner.token, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data;
}

const { service, owner, org } = await setUpOrganization();
const people = {
  granted: await newMember(service, org, "viewer"),
  manager: await newMember(service, org, "member"),
  "left out": await newMember(service, org, "member"),
};
const vault = await newFolder(service, org, owner, "vault");
const skill = await publishSkill(service, org, owner, {
  name: "Kept",
  folder: "vault",
  visibility: "public",
});
await restrict(service, owner, vault.id, [
  { type: "member", id: people.granted.id, level: "editor" },
  { type: "member", id: people.manager.id, level: "manager" },
]);

const kept = () => skill.publicId;
const list = (by: TestUser, path: string) =>
  service.call<EffectiveAccessPayload[]>("GET", path, { token: by.token });

describe("tokens of the organization", async () => {
  type Check = AccessCheckPayload;
  const ids: Record<"free" | "scoped" | "boxed" | "ended", string> = {
    free: "",
    scoped: "",
    boxed: "",
    ended: "",
  };
  const secrets: Record<string, string> = {};
  const check = (by: TestUser, id: string, action: string, tenant = org.slug) =>
    service.call<Check>("POST", `/api/tenants/${tenant}/access/check`, {
      token: by.token,
      body: { principal: { type: "token", id }, action, folderId: vault.id },
    });
  const tokensIn = (rows: { principal: { type: string; name: string } }[]) =>
    rows.filter(({ principal }) => principal.type === "token").map(({ principal }) => principal.name);

  const make = async (name: keyof typeof ids, limits: object) => {
    const made = await created<{ id: string; token: string }>("/tokens", {
      name: `${name} token`,
      ...limits,
    });
    ids[name] = made.id;
    secrets[name] = made.token;
  };
  await make("free", {});
  await make("scoped", { scopes: { skill: ["read"] } });
  await make("boxed", { scopes: { skill: ["read", "update"] }, allowedFolderIds: [vault.id] });
  await make("ended", {});
  await service.call("DELETE", `/api/tenants/${org.id}/tokens/${ids.ended}`, { token: owner.token });

  it("follow the members with their limits, and can do what is listed", async () => {
    const rows = (await list(owner, `/api/skills/${kept()}/effective`)).data;
    assert.deepEqual(tokensIn(rows), ["boxed token", "scoped token", "free token"]);
    assert.ok(rows.slice(0, -3).every(({ principal }) => principal.type === "member"));

    const found = Object.fromEntries(rows.map((row) => [row.principal.id, row]));
    assert.deepEqual(
      [ids.free, ids.scoped, ids.boxed].map((id) => [
        found[id]!.can.join(" "),
        found[id]!.reasons.map(({ kind }) => kind).join(" "),
      ]),
      [
        ["read update delete manage", "token bypass"],
        ["", "token ungranted"],
        ["read update", "token"],
      ],
    );
    assert.deepEqual(found[ids.boxed]!.reasons[0], {
      kind: "token",
      id: ids.boxed,
      name: "boxed token",
      limits: { scopes: { skill: ["read", "update"] }, allowedFolders: [{ id: vault.id, path: "vault" }] },
    });
    assert.deepEqual(found[ids.free]!.reasons[0]!.limits, {});
    for (const name of ["free", "scoped", "boxed"] as const) {
      const read = await service.call("GET", `/api/skills/${kept()}`, { token: secrets[name]! });
      assert.equal(read.status === 200, found[ids[name]]!.can.includes("read"), name);
    }
  });

  it("are shown only to those who may manage tokens", async () => {
    const path = `/api/folders/${vault.id}/effective`;
    assert.deepEqual(tokensIn((await list(people.manager, path)).data), []);
    assert.equal((await check(people.manager, ids.free, "read")).status, 404);
    assert.equal((await check(people.manager, "0".repeat(24), "read")).status, 404);
    const cursor = writeCursor("/api/folders/:folder/effective", encodeCursor([""]));
    assert.deepEqual((await list(people.manager, `${path}?cursor=${cursor}`)).data, []);
    assert.equal((await list(people.granted, `${path}?cursor=${cursor}`)).status, 403);
    assert.equal((await list(people["left out"], `${path}?cursor=${cursor}`)).status, 404);
  });

  it("are in the same pages, are found by name, and are left out of the members of a role", async () => {
    const path = `/api/folders/${vault.id}/effective`;
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const at: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await service.call<EffectiveAccessPayload[]>("GET", `${path}?limit=2${at}`, {
        token: owner.token,
      });
      assert.equal(page.status, 200, JSON.stringify(page.body));
      names.push(...page.data.map(({ principal }) => principal.name));
      cursor = page.nextCursor ?? null;
    }
    const whole = (await list(owner, path)).data.map(({ principal }) => principal.name);
    assert.deepEqual(names, whole);
    assert.deepEqual(tokensIn((await list(owner, `${path}?query=BOX`)).data), ["boxed token"]);
    assert.deepEqual(tokensIn((await list(owner, `${path}?query=.oxed`)).data), []);
    assert.deepEqual(tokensIn((await list(owner, `${path}?role=admin`)).data), []);
  });

  it("are part of a planned change and of the check, not those of others or revoked ones", async () => {
    const planned = await service.call<PlannedAccessPayload[]>("POST", `/api/folders/${vault.id}/effective`, {
      token: owner.token,
      body: { restricted: false, grants: [] },
    });
    const scoped = planned.data.find(({ principal }) => principal.id === ids.scoped)!;
    assert.deepEqual([scoped.before, scoped.can], [[], ["read"]]);

    const boxed = await check(owner, ids.boxed, "update");
    const refused = await check(owner, ids.scoped, "read");
    assert.deepEqual([boxed.data.allowed, refused.data.allowed], [true, false]);
    assert.equal((await check(owner, ids.ended, "read")).status, 404);

    const { owner: other, org: elsewhere } = await newOrganization(service);
    const theirs = await service.call<{ id: string }>("POST", `/api/tenants/${elsewhere.id}/tokens`, {
      token: other.token,
      body: { name: "theirs" },
    });
    assert.equal(theirs.status, 201, JSON.stringify(theirs.body));
    assert.equal((await check(owner, theirs.data.id, "read")).status, 404);
    assert.equal((await check(other, ids.free, "read")).status, 404);
    assert.equal((await check(other, ids.free, "read", elsewhere.slug)).status, 404);
  });
});
