import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NamePayload } from "../../contract/payloads/organizations/names.ts";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import {
  confirmAddress,
  governed,
  newFolder,
  newMember,
  publishSkill,
  restrict,
} from "../support/organization.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();
const member = await newMember(service, org, "member");
const other = await newOrganization(service);
const at = `/api/tenants/${org.slug}`;

async function create(path: string, body: object): Promise<string> {
  const { data, status } = await service.call<{ id: string }>("POST", `${at}/${path}`, {
    token: owner.token,
    body,
  });
  assert.equal(status, 201);
  return data.id;
}

const team = await create("teams", { name: "Platform" });
const role = await create("roles", { name: "Release manager", permissions: { skill: ["read"] } });
const vault = await newFolder(service, org, owner, "ops/vault");
const { skill: hidden } = await publish("Secret plans", "ops/vault", "private");
const { skill: open } = await publish("Code review", "ops", "public");
await restrict(service, owner, vault.id, []);
await governed(service, org);

async function publish(name: string, folder: string, visibility: string) {
  const content = `# ${name}\n`;
  const skill: SkillPayload = await publishSkill(service, org, owner, { name, content, folder, visibility });
  return { skill };
}

const ids = [org.id, owner.id, team, role, vault.id, hidden.id, open.id];

async function names(token: string | undefined, asked: readonly unknown[] = ids) {
  const answer = await service.call<NamePayload[]>("POST", "/api/names", { token, body: { ids: asked } });
  return { ...answer, names: answer.data?.map(({ kind, name }) => `${kind} ${name}`) };
}

describe("names of ids", () => {
  it("are those of what the caller may see, in the order of the ids", async () => {
    const owned = await names(owner.token);
    const ofMember = await names(member.token);

    assert.deepEqual(
      owned.data.map(({ id }) => id),
      ids,
    );
    assert.deepEqual(owned.names, [
      `organization ${org.slug}`,
      `user ${owner.username}`,
      "team Platform",
      "role Release manager",
      "folder ops/vault",
      "skill Secret plans",
      "skill Code review",
    ]);
    assert.deepEqual(
      ofMember.data.map(({ id }) => id),
      [org.id, owner.id, team, role, open.id],
    );
  });

  it("do not show to a stranger which ids exist, except for a public skill", async () => {
    const asked = [...ids, "0".repeat(24), "no id", member.id];

    const { names: found, data } = await names(other.owner.token, asked);
    assert.deepEqual(found, ["skill Code review"]);
    assert.equal(data[0]!.tenantId, org.id);
  });

  it("require a sign-in, and take at most 200 ids", async () => {
    const anonymous = await names(undefined);
    const many = await names(
      owner.token,
      Array.from({ length: 201 }, () => org.id),
    );
    const repeated = await names(owner.token, [org.id, org.id]);

    assert.equal(anonymous.status, 401);
    assert.equal(many.status, 400);
    assert.equal(repeated.data.length, 1);
  });
});

describe("single objects by their id", () => {
  it("are roles, built-in ones by their name", async () => {
    const read = (id: string, token = owner.token) =>
      service.call<{ name: string }>("GET", `${at}/roles/${id}`, { token });

    assert.equal((await read(role)).data.name, "Release manager");
    assert.equal((await read("viewer")).data.name, "viewer");
    for (const id of ["0".repeat(24), "nothing"]) assert.equal((await read(id)).status, 404);
    for (const id of [role, "viewer"]) assert.equal((await read(id, other.owner.token)).status, 404);
  });

  it("are open invitations, for those who may invite", async () => {
    await confirmAddress(service, owner);
    const id = await create("invitations", { email: "new@example.com", role: "viewer" });
    const read = (token: string) =>
      service.call<{ email: string }>("GET", `${at}/invitations/${id}`, { token });

    assert.equal((await read(owner.token)).data.email, "new@example.com");
    assert.equal((await read(member.token)).status, 403);
    assert.equal((await read(other.owner.token)).status, 404);
    await service.call("DELETE", `${at}/invitations/${id}`, { token: owner.token });
    assert.equal((await read(owner.token)).status, 404);
  });

  it("are tokens of one's own and of an organization, without their secrets", async () => {
    const { cookie } = owner;
    const body = { name: "Laptop" };
    const headers = { origin: service.url };
    const made = await service.call<{ id: string }>("POST", "/api/user/tokens", { cookie, body, headers });
    const ofOrg = await service.call<{ id: string }>("POST", `${at}/tokens`, { cookie, body, headers });
    assert.deepEqual([made.status, ofOrg.status], [201, 201]);
    for (const path of [`/api/user/tokens/${made.data.id}`, `${at}/tokens/${ofOrg.data.id}`]) {
      const read = await service.call<{ name: string }>("GET", path, { token: owner.token });
      assert.equal(read.data.name, "Laptop");
      assert.ok(!("token" in read.data));
      assert.equal((await service.call("GET", path, { token: other.owner.token })).status, 404);
      await service.call("DELETE", path, { cookie, headers });
      assert.equal((await service.call("GET", path, { token: owner.token })).status, 404);
    }
  });

  it("are versions, by number or exact semver", async () => {
    const path = `/api/skills/${open.id}/versions`;
    for (const ref of ["1", "1.0.0"]) {
      const read = await service.call<{ semver: string }>("GET", `${path}/${ref}`, { token: owner.token });
      assert.equal(read.data.semver, "1.0.0");
    }
    assert.equal((await service.call("GET", `${path}/1`)).status, 200);
    assert.equal((await service.call("GET", `${path}/2`)).status, 404);
    assert.equal((await service.call("GET", `${path}/^1`)).status, 400);
  });
});
