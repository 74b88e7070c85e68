import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChangedFolderPayload, FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

const everything = ["read", "publish", "create", "update", "delete", "manage"];
const get = async <T>(path: string, by: { token?: string }) => {
  const answer = await service.call<T>("GET", path, by);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data;
};

describe("the acts that a caller may do", () => {
  it("on a folder follow role, restriction and grants, in lists as well", async () => {
    const [viewer, editor, member] = [
      await newMember(service, org, "viewer"),
      await newMember(service, org, "member"),
      await newMember(service, org, "member"),
    ];
    const open = await newFolder(service, org, owner, "open");
    const vault = await newFolder(service, org, owner, "vault");
    const inner = await newFolder(service, org, owner, "vault/inner");
    await restrict(service, owner, vault.id, [
      { type: "member", id: editor.id, level: "editor" },
      { type: "member", id: viewer.id, level: "manager" },
    ]);
    const listed = async (user: TestUser) => {
      const folders = await get<FolderPayload[]>(`/api/tenants/${org.id}/folders`, user);
      return Object.fromEntries(folders.map(({ id, can }) => [id, can]));
    };

    const [ofOwner, ofViewer, ofEditor, ofMember] = [
      await listed(owner),
      await listed(viewer),
      await listed(editor),
      await listed(member),
    ];

    assert.deepEqual([ofOwner[open.id], ofOwner[vault.id]], [everything, everything]);
    assert.deepEqual(ofViewer, { [open.id]: ["read"], [vault.id]: ["read"], [inner.id]: ["read"] });
    const editing = ["read", "publish", "create", "update", "delete"];
    assert.deepEqual(ofEditor, { [open.id]: editing, [vault.id]: editing, [inner.id]: editing });
    assert.deepEqual(ofMember, { [open.id]: editing });
    const single = await get<FolderPayload>(`/api/folders/${inner.id}`, editor);
    assert.deepEqual(single.can, editing);
  });

  it("on a skill are those that the calls would allow, in lists as well", async () => {
    const [viewer, member] = [
      await newMember(service, org, "viewer"),
      await newMember(service, org, "member"),
    ];
    await newFolder(service, org, owner, "shelf");
    const skill = { name: "Acted on", folder: "shelf", visibility: "public" };
    const { id } = await publishSkill(service, org, owner, skill);
    const can = async (by: { token?: string }) => (await get<SkillPayload>(`/api/skills/${id}`, by)).can;
    const inList = async (by: { token: string }) => {
      const all = await get<SkillPayload[]>(`/api/skills?tenant_id=${org.id}`, by);
      return all.find((one) => one.id === id)?.can;
    };
    const narrowed = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: owner.cookie,
      body: { name: "reads", scopes: { skill: ["read"] } },
    });

    assert.deepEqual(await can(owner), ["read", "update", "delete", "manage", "analytics", "review"]);
    assert.deepEqual(await inList(owner), await can(owner));
    assert.deepEqual(await inList(member), await can(member));
    assert.ok((await can(member))!.includes("update"));
    assert.ok(!(await can(viewer))!.includes("update"));
    assert.deepEqual(await can({}), ["read"]);
    assert.deepEqual(await can({ token: narrowed.data.token }), ["read"]);
    const put = await service.call("PUT", `/api/skills/${id}`, { token: viewer.token, body: { name: "x" } });
    assert.equal(put.code, "forbidden");
  });
});

describe("the plan of a folder's move", () => {
  it("counts and names the members who gain or lose access, and changes nothing", async () => {
    const fresh = await service.newOrg(owner);
    const [granted, other] = [
      await newMember(service, fresh, "member"),
      await newMember(service, fresh, "member"),
    ];
    const vault = await newFolder(service, fresh, owner, "vault");
    const inner = await newFolder(service, fresh, owner, "vault/plans");
    const open = await newFolder(service, fresh, owner, "open");
    await restrict(service, owner, vault.id, [{ type: "member", id: granted.id, level: "editor" }]);
    const plan = async (id: string, parentId: string | null) => {
      const body = { parentId, dryRun: true };
      const sent = await service.call<ChangedFolderPayload>("PATCH", `/api/folders/${id}`, {
        token: owner.token,
        body,
      });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      return sent.data.readers;
    };

    const out = await plan(inner.id, null);
    const into = await plan(open.id, vault.id);
    const whole = await plan(vault.id, open.id);

    assert.deepEqual(out, {
      before: 2,
      after: 3,
      gain: 1,
      lose: 0,
      gaining: [{ id: other.id, name: other.username }],
      losing: [],
    });
    assert.deepEqual([into?.before, into?.after, into?.lose, into?.losing?.[0]?.id], [3, 2, 1, other.id]);
    assert.deepEqual([whole?.before, whole?.after, whole?.gain, whole?.lose], [2, 2, 0, 0]);
    const { parentId } = await get<FolderPayload>(`/api/folders/${inner.id}`, owner);
    assert.equal(parentId, vault.id);
  });
});
