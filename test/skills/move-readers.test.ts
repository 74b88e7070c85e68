import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MovedSkillPayload } from "../../contract/payloads/organizations/folders.ts";
import type { AudienceSizePayload } from "../../contract/payloads/skills/exposure.ts";
import type { ChangedSkillPayload } from "../../contract/payloads/skills/skills.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

describe("the plan of a skill's move", () => {
  it("counts the members who gain or lose access, and names them to those who may manage it", async () => {
    const [granted, other] = [
      await newMember(service, org, "member"),
      await newMember(service, org, "member"),
    ];
    const vault = await newFolder(service, org, owner, "vault");
    const open = await newFolder(service, org, owner, "open");
    await restrict(service, owner, vault.id, [{ type: "member", id: granted.id, level: "editor" }]);
    const fields = { visibility: "private" };
    const outside = await publishSkill(service, org, owner, {
      name: "Outside",
      folder: "open",
      ...fields,
    });
    const inside = await publishSkill(service, org, owner, { name: "Inside", folder: "vault", ...fields });
    const plan = async (id: string, who: TestUser, body: object) => {
      const sent = await service.call<MovedSkillPayload>("POST", `/api/skills/${id}/move`, {
        token: who.token,
        body: { ...body, dryRun: true },
      });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      return sent.data.readers;
    };

    const loser = { id: other.id, name: other.username };
    assert.deepEqual(await plan(outside.id, owner, { folderId: vault.id }), {
      before: 3,
      after: 2,
      gain: 0,
      lose: 1,
      gaining: [],
      losing: [loser],
    });
    assert.deepEqual(await plan(inside.id, owner, { folder: "brand/new", createFolders: true }), {
      before: 2,
      after: 3,
      gain: 1,
      lose: 0,
      gaining: [loser],
      losing: [],
    });
    assert.deepEqual(await plan(outside.id, granted, { folderId: vault.id }), {
      before: 3,
      after: 2,
      gain: 0,
      lose: 1,
    });
    const hidden = await service.call("POST", `/api/skills/${outside.id}/move`, {
      token: other.token,
      body: { folderId: vault.id, dryRun: true },
    });
    assert.equal(hidden.code, "not_found");
    const moved = await service.call<MovedSkillPayload>("POST", `/api/skills/${outside.id}/move`, {
      token: owner.token,
      body: { folderId: open.id },
    });
    assert.equal(moved.data.moved, false);
    assert.equal(moved.data.readers, undefined);
  });
});

describe("the plan of a skill's visibility", () => {
  it("counts the members who can read before and after, without a change", async () => {
    const outsider = await newMember(service, org, (await roleWithoutSkills()).id);
    const skill = await publishSkill(service, org, owner, {
      name: "Planned",
      folder: "open",
      visibility: "private",
    });
    const plan = (body: object) =>
      service.call<ChangedSkillPayload>("PUT", `/api/skills/${skill.id}`, { token: owner.token, body });

    const tried = await plan({ visibility: "unlisted", dryRun: true });
    assert.equal(tried.status, 200, JSON.stringify(tried.body));
    const { before, after, gain, lose, gaining } = tried.data.readers!;
    assert.deepEqual({ change: after - before, gain, lose }, { change: 1, gain: 1, lose: 0 });
    assert.deepEqual(gaining, [{ id: outsider.id, name: outsider.username }]);
    assert.equal((await plan({ tags: ["x"], dryRun: true })).data.readers, undefined);
    const saved = await plan({ visibility: "unlisted" });
    assert.equal(saved.data.readers, undefined);
  });

  it("counts the readers of a skill that is not published yet, for those who may publish it there", async () => {
    const member = await newMember(service, org, "member");
    const closed = await newFolder(service, org, owner, "closed");
    await restrict(service, owner, closed.id, [{ type: "member", id: member.id, level: "editor" }]);
    const read = (query: string, { token }: TestUser) =>
      service.call<AudienceSizePayload>("GET", `/api/tenants/${org.slug}/access/readers?${query}`, { token });

    const everyone = await read("visibility=public", member);
    assert.equal(everyone.data.visibility, "public");
    const restricted = await read("folder=closed&visibility=public", member);
    assert.deepEqual(restricted.data, { visibility: "restricted", members: 2 });
    assert.ok(everyone.data.members > 2);
    const viewer = await newMember(service, org, "viewer");
    assert.equal((await read("", viewer)).code, "forbidden");
    assert.equal((await read("folder=closed", viewer)).code, "not_found");
    assert.equal((await read("", await service.newUser())).code, "not_found");
  });
});

/** A role that reads no skill. */
async function roleWithoutSkills(): Promise<{ id: string }> {
  const made = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
    token: owner.token,
    body: { name: "Auditors", permissions: { auditLog: ["read"] } },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data;
}
