import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MovedSkillPayload } from "../../contract/payloads/folders.ts";
import { newFolder, newMember, publishInFolder, restrict } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import type { TestOrg, TestService, TestUser } from "../support/service.ts";

let service: TestService;
let owner: TestUser;
let org: TestOrg;

setUpOrganization((made) => ({ service, user: owner, org } = made));

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
    const outside = await publishInFolder(service, org, owner, {
      name: "Outside",
      folder: "open",
      ...fields,
    });
    const inside = await publishInFolder(service, org, owner, { name: "Inside", folder: "vault", ...fields });
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
