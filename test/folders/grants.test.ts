import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FolderAccessPayload, FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { CatalogItem, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import {
  addMember,
  governed,
  newFolder,
  newMember,
  restrict,
  publishSkill,
} from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();
const stranger = await service.newUser();
const member = await newMember(service, org, "member");

const publish = (name: string, folder: string, visibility: string) =>
  publishSkill(service, org, owner, { name, folder, visibility });

const list = async (token: string | undefined) =>
  (await service.call<SkillPayload[]>("GET", "/api/skills?limit=200", { token })).data.map(
    (skill) => skill.slug,
  );
const explore = async (token: string | undefined, query = "") =>
  (await service.call<CatalogItem[]>("GET", `/api/explore?limit=200${query}`, { token })).data.map(
    (item) => item.slug,
  );

describe("grants", () => {
  it("cap each role: a viewer reads, an editor changes, a manager grants", async () => {
    const folder = await newFolder(service, org, owner, "levels");
    const skill = await publish("Levelled", "levels", "private");
    const people = {
      viewer: await newMember(service, org, "member"),
      editor: await newMember(service, org, "member"),
      manager: await newMember(service, org, "member"),
      "manager who may only view": await newMember(service, org, "viewer"),
    };
    await restrict(service, owner, folder.id, [
      { type: "member", id: people.viewer.id, level: "viewer" },
      { type: "member", id: people.editor.id, level: "editor" },
      { type: "member", id: people.manager.id, level: "manager" },
      { type: "member", id: people["manager who may only view"].id, level: "manager" },
    ]);
    const outcome = async (user: TestUser) => {
      const { token } = user;
      const calls = [
        await service.call("GET", `/api/skills/${skill.id}`, { token }),
        await service.call("PUT", `/api/skills/${skill.id}`, { token, body: { description: "d" } }),
        await service.call("POST", `/api/tenants/${org.slug}/folders`, {
          token,
          body: { path: `levels/by-${user.username}` },
        }),
        await service.call("PUT", `/api/folders/${folder.id}/access`, {
          token,
          body: { restricted: true, grants: [], revision: -1 },
        }),
      ];
      return calls.map((answer) => answer.status);
    };

    assert.deepEqual(await outcome(people.viewer), [200, 403, 403, 403]);
    assert.deepEqual(await outcome(people.editor), [200, 200, 201, 403]);
    assert.deepEqual(await outcome(people.manager), [200, 200, 201, 409], "refused by its revision alone");
    assert.deepEqual(await outcome(people["manager who may only view"]), [200, 403, 403, 403]);
  });

  it("apply only if they are on the deepest restricted folder", async () => {
    const [outer, inner] = [
      await newFolder(service, org, owner, "outer"),
      await newFolder(service, org, owner, "outer/inner"),
    ];
    const [outside, inside] = [
      await publish("Outside", "outer", "private"),
      await publish("Inside", "outer/inner", "private"),
    ];
    const [one, two] = [await newMember(service, org, "member"), await newMember(service, org, "member")];
    await restrict(service, owner, outer.id, [{ type: "member", id: one.id, level: "manager" }]);
    await restrict(service, owner, inner.id, [{ type: "member", id: two.id, level: "viewer" }]);
    const sees = async (user: TestUser) => {
      const answers = await Promise.all(
        [outside, inside].map((skill) =>
          service.call("GET", `/api/skills/${skill.id}`, { token: user.token }),
        ),
      );
      return answers.map((answer) => answer.status === 200);
    };

    assert.deepEqual(await sees(one), [true, false]);
    assert.deepEqual(await sees(two), [false, true]);
    const tree = await service.call<FolderPayload[]>("GET", `/api/tenants/${org.slug}/folders`, {
      token: two.token,
    });
    const shown = tree.data.filter((folder) => folder.path.startsWith("outer"));
    assert.deepEqual(
      shown.map((folder) => [folder.path, folder.skillCount]),
      [
        ["outer", 0],
        ["outer/inner", 1],
      ],
      "the way to it is shown, and nothing of it is counted",
    );
    await restrict(service, owner, inner.id, [], false);
    assert.deepEqual(await sees(one), [true, true]);
    assert.deepEqual(await sees(two), [false, false]);
  });

  it("to teams and to members combine to the highest level", async () => {
    const folder = await newFolder(service, org, owner, "teams");
    const skill = await publish("Shared by teams", "teams", "private");
    const teamIds = [service.app.newId(), service.app.newId()];
    for (const [at, _id] of teamIds.entries())
      await service.app.storage.teams.insert({
        _id,
        tenantId: org.id,
        name: `team ${at}`,
        nameKey: `team ${at}`,
        roleIds: [],
        active: true,
        revision: 0,
        createdBy: owner.id,
        createdAt: new Date(),
        updatedAt: new Date(),
      });
    const user = await newMember(service, org, "member", teamIds);
    await restrict(service, owner, folder.id, [
      { type: "team", id: teamIds[0]!, level: "viewer" },
      { type: "team", id: teamIds[1]!, level: "editor" },
      { type: "member", id: user.id, level: "viewer" },
    ]);

    const access = await service.call<FolderAccessPayload>("GET", `/api/folders/${folder.id}/access`, {
      token: user.token,
    });
    const changed = await service.call("PUT", `/api/skills/${skill.id}`, {
      token: user.token,
      body: { description: "by a team's grant" },
    });

    assert.equal(access.data.level, "editor");
    assert.equal(access.data.canManage, false);
    assert.equal(access.data.grants.length, 3, "one's own grants are shown");
    assert.equal(changed.status, 200);
  });

  it("take effect at the next request", async () => {
    const folder = await newFolder(service, org, owner, "fickle");
    const skill = await publish("Fickle", "fickle", "private");
    const user = await newMember(service, org, "member");
    const read = async () =>
      (await service.call("GET", `/api/skills/${skill.id}`, { token: user.token })).status;
    for (let round = 0; round < 5; round++) {
      await restrict(service, owner, folder.id, []);
      assert.equal(await read(), 404);
      assert.ok(!(await list(user.token)).includes(skill.slug), "before any job has run");
      await restrict(service, owner, folder.id, [{ type: "member", id: user.id, level: "viewer" }]);
      assert.equal(await read(), 200);
    }
    await restrict(service, owner, folder.id, [], false);
    assert.equal(await read(), 200);
    await governed(service, org);
    assert.ok((await list(user.token)).includes(skill.slug));
  });

  it("can be given to members and teams of the organization, once each, and to at most a thousand", async () => {
    const folder = await newFolder(service, org, owner, "grantees");
    const put = (grants: unknown[]) =>
      service.call("PUT", `/api/folders/${folder.id}/access`, {
        token: owner.token,
        body: { restricted: true, grants },
      });
    const grant = (id: string, type = "member", level = "viewer") => ({ principal: { type, id }, level });

    for (const [code, grants] of [
      ["not_found", [grant(stranger.id)]],
      ["not_found", [grant(member.id, "team")]],
      ["not_found", [grant("nobody")]],
      ["invalid_request", [grant(member.id), grant(member.id, "member", "editor")]],
      ["invalid_request", [grant(member.id, "member", "owner")]],
      ["invalid_request", [grant(member.id, "org")]],
      ["limit_reached", Array.from({ length: 10_000 }, (_, at) => grant(String(at).padStart(24, "0")))],
    ] as const)
      assert.equal((await put([...grants])).code, code);
    const access = await service.call<FolderAccessPayload>("GET", `/api/folders/${folder.id}/access`, {
      token: owner.token,
    });
    assert.deepEqual([access.data.restricted, access.data.grants], [false, []], "nothing was half done");
  });

  it("are audited with the added and removed grants", async () => {
    const folder = await newFolder(service, org, owner, "recorded");
    await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "viewer" }]);
    await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "viewer" }]);
    await restrict(service, owner, folder.id, [], false);
    await service.settled();

    const events = await service.app.storage.database.raw
      .collection("audit_events")
      .find({ resourceId: folder.id, name: "folder.acl_updated" })
      .sort({ _id: 1 })
      .toArray();
    assert.deepEqual(
      events.map((event) => event["metadata"] as unknown),
      [
        {
          path: "recorded",
          restricted: true,
          granted: [`member:${member.id}=viewer`],
          revoked: [],
          total: 1,
        },
        {
          path: "recorded",
          restricted: false,
          granted: [],
          revoked: [`member:${member.id}=viewer`],
          total: 1,
        },
      ],
    );
  });

  it("of a folder move with it, and moving a folder changes who manages its contents", async () => {
    const locked = await newFolder(service, org, owner, "locked");
    const plain = await newFolder(service, org, owner, "plain");
    const skill = await publish("Mover", "plain", "public");
    await restrict(service, owner, locked.id, []);
    const read = async (token: string | undefined) =>
      (await service.call("GET", `/api/skills/${skill.id}`, { token })).status;

    assert.equal(await read(undefined), 200);
    const byMember = await service.call("PATCH", `/api/folders/${plain.id}`, {
      token: member.token,
      body: { parentId: locked.id },
    });
    await service.call("PATCH", `/api/folders/${plain.id}`, {
      token: owner.token,
      body: { parentId: locked.id },
    });

    assert.equal(byMember.code, "not_found");
    assert.equal(await read(undefined), 401);
    assert.equal(await read(member.token), 404);
    assert.ok(!(await explore(undefined)).includes(skill.slug), "before any job has run");
    await governed(service, org);
    await service.call("PATCH", `/api/folders/${plain.id}`, { token: owner.token, body: { parentId: null } });
    await governed(service, org);
    assert.equal(await read(undefined), 200);
    assert.ok((await explore(undefined)).includes(skill.slug));
    assert.ok((await explore(undefined, "&query=mover")).includes(skill.slug));
  });

  it("of former members have no effect, even before they are cleaned up", async () => {
    const folder = await newFolder(service, org, owner, "left");
    const skill = await publish("Left behind", "left", "private");
    const user = await service.newUser();
    await addMember(service, org, user, "member");
    await restrict(service, owner, folder.id, [{ type: "member", id: user.id, level: "manager" }]);
    const raw = service.app.storage.database.raw.collection("memberships");

    await raw.updateOne({ tenantId: org.id, userId: user.id }, { $unset: { active: "" } });

    assert.equal((await service.call("GET", `/api/skills/${skill.id}`, { token: user.token })).status, 404);
  });
});
