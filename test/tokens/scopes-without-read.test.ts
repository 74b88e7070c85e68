/** Tokens whose scopes allow changes without `skill: read`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CreatedFolderPayload, FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { PublishResult, SkillPayload, VersionResult } from "../../contract/payloads/skills/skills.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();
const member = await newMember(service, org, "member");
const vault = await newFolder(service, org, owner, "vault");
await restrict(service, owner, vault.id, []);

const mint = async (path: string, token: string, scopes: object) => {
  const answer = await service.call<{ token: string }>("POST", path, {
    token,
    body: { name: "narrow", scopes },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.data.token;
};
const personal = (scopes: object) => mint("/api/user/tokens", member.token, scopes);
const organizations = (scopes: object) => mint(`/api/tenants/${org.id}/tokens`, owner.token, scopes);
const publish = (token: string, name: string, fields: object = {}) =>
  service.call<PublishResult>("POST", "/api/skills", {
    token,
    body: { tenantId: org.slug, name, content: `${name}\n`, ...fields },
  });

describe("a token with scopes for folders only", () => {
  for (const [whose, mintOne] of Object.entries({
    "a member's": personal,
    "the organization's": organizations,
  }))
    it(`creates, reads, renames, moves and deletes folders (${whose})`, async () => {
      const token = await mintOne({ folder: ["create", "update", "delete"] });
      const folders = `/api/tenants/${org.slug}/folders`;
      const outer = `outer ${whose.replace(/\W/g, "")}`;

      const made = await service.call<CreatedFolderPayload>("POST", folders, {
        token,
        body: { path: `${outer}/inner`, parents: true },
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { id } = made.data.folder;
      const read = await service.call<FolderPayload>("GET", `/api/folders/${id}`, { token });
      const renamed = await service.call("PATCH", `/api/folders/${id}`, { token, body: { name: "other" } });
      const moved = await service.call("PATCH", `/api/folders/${id}`, { token, body: { parentId: null } });
      const listed = await service.call<FolderPayload[]>("GET", folders, { token });
      const removed = await service.call("DELETE", `/api/folders/${id}`, { token });

      assert.equal(read.status, 200, JSON.stringify(read.body));
      assert.deepEqual([renamed.status, moved.status, removed.status], [200, 200, 200]);
      assert.ok(listed.data.some((folder) => folder.id === id));
      assert.ok(!listed.data.some((folder) => folder.id === vault.id), "restricted folders stay hidden");
    });

  it("does only what its scopes name, and neither reads nor counts skills", async () => {
    const shelf = await newFolder(service, org, owner, "shelf");
    const { skill } = (await publish(owner.token, "On the shelf", { folder: "shelf" })).data;
    const token = await personal({ folder: ["update"] });

    const made = await service.call("POST", `/api/tenants/${org.slug}/folders`, {
      token,
      body: { parentId: shelf.id, name: "more" },
    });
    const read = await service.call<FolderPayload>("GET", `/api/folders/${shelf.id}`, { token });
    const skillRead = await service.call("GET", `/api/skills/${skill.publicId}`, { token });
    const list = await service.call<SkillPayload[]>("GET", "/api/skills", { token });
    const hidden = await service.call("GET", `/api/folders/${vault.id}`, { token });
    const hiddenChange = await service.call("PATCH", `/api/folders/${vault.id}`, {
      token,
      body: { name: "open" },
    });

    assert.deepEqual([made.status, made.code], [403, "forbidden"]);
    assert.deepEqual([read.status, read.data.skillCount], [200, 0]);
    assert.deepEqual([skillRead.code, list.data.length], ["not_found", 0]);
    assert.deepEqual([hidden.code, hiddenChange.code], ["not_found", "not_found"]);
  });
});

describe("a token with scopes for skills without reading", () => {
  it("creates a skill in a folder, and appends to none without skill: update", async () => {
    await newFolder(service, org, owner, "inbox");
    const token = await personal({ skill: ["create"] });

    const made = await publish(token, "Deposited", { folder: "inbox" });
    const read = await service.call("GET", `/api/skills/${made.data.skill.publicId}`, { token });
    const push = await service.call("POST", `/api/skills/${made.data.skill.publicId}/versions`, {
      token,
      body: { content: "changed\n" },
    });

    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.deepEqual([read.code, push.code], ["not_found", "not_found"]);
  });

  it("changes skills with skill: update, by reference and by name", async () => {
    const { skill } = (await publish(owner.token, "Changed blindly")).data;
    const token = await personal({ skill: ["create", "update"] });

    const pushed = await service.call<VersionResult>("POST", `/api/skills/${skill.publicId}/versions`, {
      token,
      body: { content: "second\n" },
    });
    const again = await publish(token, "Changed blindly", { content: "third\n" });
    const settings = await service.call<SkillPayload>("PUT", `/api/skills/${skill.publicId}`, {
      token,
      body: { description: "changed" },
    });
    const content = await service.call("GET", `/api/skills/${skill.publicId}/content`, { token });
    const removed = await service.call("DELETE", `/api/skills/${skill.publicId}`, { token });

    assert.equal(pushed.status, 201, JSON.stringify(pushed.body));
    assert.deepEqual([again.data.skill.id, again.data.version.version], [skill.id, 3]);
    assert.equal(settings.status, 200, JSON.stringify(settings.body));
    assert.deepEqual([content.code, removed.code], ["not_found", "not_found"]);
  });

  it("deletes skills with skill: delete, but none that the holder can't see", async () => {
    const { skill } = (await publish(owner.token, "Deleted blindly")).data;
    const { skill: hidden } = (await publish(owner.token, "Hidden", { folder: "vault" })).data;
    const token = await organizations({ skill: ["delete"] });

    const refused = await service.call("DELETE", `/api/skills/${hidden.publicId}`, { token });
    const removed = await service.call("DELETE", `/api/skills/${skill.publicId}`, { token });

    assert.equal(refused.code, "not_found");
    assert.equal(removed.status, 200, JSON.stringify(removed.body));
  });
});
