import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newFolder } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture, type Fixture } from "./fixture.ts";

const { service } = await setUpService();
const [fixture, other] = [await makeFixture(service), await makeFixture(service)];
const alice = await fixture.join();
await fixture.enable();
await other.enable({ name: "Own" });
const root = (await fixture.overview()).folder!.id;
/** Alice's workspace. */
const home = (await fixture.overview(alice)).own!.folderId!;
const ordinary = await newFolder(service, fixture.org, fixture.owner, "ordinary");
const skill = (await fixture.publish(alice, "Mine")).data.skill;

const send = (user: TestUser, method: string, target: string, body?: unknown) =>
  service.call(method, target, { token: user.token, body });

describe("managed folders", () => {
  it("reject every generic operation, by owners too", async () => {
    const folders = `/api/tenants/${fixture.org.slug}/folders`;
    const access = { restricted: false, grants: [] };
    for (const folder of [root, home]) {
      for (const [method, target, body] of [
        ["PATCH", `/api/folders/${folder}`, { name: "renamed" }],
        ["PATCH", `/api/folders/${folder}`, { parentId: ordinary.id }],
        ["DELETE", `/api/folders/${folder}`],
        ["PUT", `/api/folders/${folder}/access`, access],
      ] as const) {
        const refused = await send(fixture.owner, method, target, body);

        assert.deepEqual([refused.status, refused.code], [422, "managed_folder"], `${method} ${target}`);
      }
    }
    for (const [method, target, body] of [
      ["POST", folders, { name: "more", parentId: root }],
      ["POST", folders, { path: "personal/more" }],
      ["PATCH", `/api/folders/${ordinary.id}`, { parentId: root }],
      ["POST", `/api/skills/${skill.id}/move`, { folderId: root }],
      ["POST", "/api/skills", { tenantId: fixture.org.slug, name: "x", content: "x\n", folder: "personal" }],
    ] as const) {
      const refused = await send(fixture.owner, method, target, body);

      assert.deepEqual([refused.status, refused.code], [422, "managed_folder"], `${method} ${target}`);
    }
  });

  it("reject what an editor may not do, by their owner too", async () => {
    const refused = await send(alice, "PUT", `/api/folders/${home}/access`, {
      restricted: false,
      grants: [],
    });
    const renamed = await send(alice, "PATCH", `/api/folders/${home}`, { name: "renamed" });
    const inside = await newFolder(service, fixture.org, alice, `personal/${alice.username}/tools`);
    const renamedInside = await send(alice, "PATCH", `/api/folders/${inside.id}`, { name: "things" });

    assert.equal(refused.status, 403);
    assert.equal(renamed.code, "managed_folder");
    assert.equal(renamedInside.status, 200);
  });

  it("can be moved and renamed by their own operation only, by the rules of folders", async () => {
    const move = (body: object, user = fixture.owner) => fixture.at(user, "POST", "/move", body);
    const cycle = await move({ parentId: home });
    const itself = await move({ parentId: root });
    const taken = await move({ name: "Ordinary" });
    const nowhere = await move({ parentId: "0".repeat(24) });
    const empty = await move({});
    const moved = await move({ name: "People", parentId: ordinary.id });

    assert.deepEqual([cycle.status, cycle.code], [422, "refused"]);
    assert.deepEqual([itself.status, itself.code], [422, "refused"]);
    assert.equal(taken.code, "already_exists");
    assert.equal(nowhere.status, 404);
    assert.equal(empty.status, 400);
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    assert.equal((await fixture.overview()).folder?.path, "ordinary/people");
    assert.equal((await fixture.overview(alice)).own?.path, `ordinary/people/${alice.username}`);
    assert.equal((await send(alice, "GET", `/api/skills/${skill.id}`)).status, 200);
    const again = await fixture.publish(alice, "Mine", { content: "moved\n" });
    assert.equal(again.data.skill.id, skill.id);
    const [event] = await fixture.events("personal_workspace.namespace_updated");
    assert.deepEqual(event?.metadata, { from: "personal", to: "ordinary/people", name: "People" });
    assert.equal((await move({ name: "Personal", parentId: null })).status, 200);
  });
});

describe("the operations of workspaces", () => {
  const operations = (w: Fixture, userId: string, toUserId: string) =>
    [
      ["POST", "/enable", {}],
      ["POST", "/move", { name: "Elsewhere" }],
      ["POST", "/retry", {}],
      ["POST", "/repair", {}],
      ["GET", "/members", undefined],
      ["POST", "/reassign", { userId, toUserId }],
      ["DELETE", `/members/${userId}`, undefined],
      ["POST", "/disable", {}],
    ].map(([method, path, body]) => ({
      method: method as string,
      target: `/api/tenants/${w.org.id}/personal-workspaces${path as string}`,
      body,
    }));

  it("require the permission, which members and viewers lack", async () => {
    for (const role of ["member", "viewer"]) {
      const user = await fixture.join(role);
      for (const { method, target, body } of operations(fixture, alice.id, user.id))
        assert.equal((await send(user, method, target, body)).status, 403, `${role} ${method} ${target}`);
      const overview = await fixture.overview(user);
      assert.deepEqual(
        [overview.folder, overview.counts, overview.failed],
        [undefined, undefined, undefined],
      );
    }
  });

  const joinAs = async (name: string, permissions: object) => {
    const made = await service.call<{ id: string }>("POST", `/api/tenants/${fixture.org.id}/roles`, {
      token: fixture.owner.token,
      body: { name, permissions: { personalWorkspace: ["manage"], ...permissions } },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return fixture.join(made.data.id);
  };

  it("rename or move the restricted parent only for callers who may do so with any such folder", async () => {
    const update = { folder: ["create", "update"] };
    const manageAcl = { folder: ["create", "update", "manageAcl"] };
    const [caretaker, editor, onlyAcl, manager] = await Promise.all([
      joinAs("Path caretaker", { skill: ["read"] }),
      joinAs("Path editor", { skill: ["read", "update"], ...update }),
      joinAs("Grants only", { skill: ["read"], folder: ["manageAcl"] }),
      joinAs("Path manager", { skill: ["read", "update"], ...manageAcl }),
    ]);
    const path = (await fixture.overview()).folder?.path;

    for (const [name, user] of Object.entries({ caretaker, editor, onlyAcl }))
      for (const body of [{ name: "Freed" }, { parentId: ordinary.id }, { name: "Freed", dryRun: true }]) {
        const refused = await fixture.at(user, "POST", "/move", body);
        const why = `${name} ${JSON.stringify(body)} ${JSON.stringify(refused.body)}`;
        assert.deepEqual([refused.status, refused.code], [403, "forbidden"], why);
        assert.match(refused.error!, user === onlyAcl ? /folder:update/ : /folder:manageAcl/, why);
      }
    assert.equal((await fixture.overview()).folder?.path, path);
    const renamed = await fixture.at(manager, "POST", "/move", { name: "Renamed by its manager" });
    const back = await fixture.at(manager, "POST", "/move", { name: "Personal" });

    assert.deepEqual([renamed.status, back.status], [200, 200], JSON.stringify(renamed.body));
    assert.equal((await fixture.overview()).folder?.path, path);
  });

  it("require further permissions to reassign or delete the workspaces of former members", async () => {
    const [caretaker, leaver] = [await joinAs("Caretaker", { skill: ["read"] }), await fixture.join()];
    const cleaner = await joinAs("Cleaner", { skill: ["read", "delete"] });
    await fixture.sync();
    const left = (await fixture.publish(leaver, "Left behind")).data.skill;
    await fixture.leave(leaver);
    const body = { userId: leaver.id, toUserId: caretaker.id };
    const given = await fixture.at(caretaker, "POST", "/reassign", body);
    const deleted = await fixture.at(caretaker, "DELETE", `/members/${leaver.id}`);
    const retried = await fixture.at(caretaker, "POST", "/retry", {});

    assert.deepEqual([given.status, deleted.status, retried.status], [403, 403, 200]);
    assert.match(given.error!, /folder:manageAcl/);
    assert.match(deleted.error!, /skill:delete/);
    const unseen = await fixture.at(cleaner, "DELETE", `/members/${leaver.id}`);
    assert.equal((await send(cleaner, "GET", `/api/skills/${left.publicId}`)).code, "not_found");
    assert.deepEqual([unseen.status, unseen.code], [403, "forbidden"], "the cleaner sees none of the skills");
    assert.match(unseen.error!, /folder:manageAcl/);
    assert.equal((await fixture.workspaceOf(leaver))?.state, "left");
    // A viewer's workspace is read-only: the role counts as well.
    assert.equal((await fixture.publish(caretaker, "No")).status, 403);
  });

  it("return not_found for another organization, in any parameter", async () => {
    const stranger = other.owner;
    for (const { method, target, body } of operations(fixture, alice.id, alice.id)) {
      const hidden = await send(stranger, method, target, body);
      assert.deepEqual([hidden.status, hidden.code], [404, "not_found"], `${method} ${target}`);
    }
    const foreign = [
      ["POST", "/retry", { userId: alice.id }],
      ["POST", "/reassign", { userId: alice.id, toUserId: stranger.id }],
      ["DELETE", `/members/${alice.id}`],
      ["POST", "/move", { parentId: ordinary.id }],
      ["POST", "/move", { parentId: home }],
      ["POST", "/retry", { userId: "not an id" }],
      ["DELETE", "/members/..%2f"],
    ] as const;
    for (const [method, path, body] of foreign) {
      const unknown = await other.at(stranger, method, path, body);
      assert.deepEqual([unknown.status, unknown.code], [404, "not_found"], `${method} ${path}`);
    }
    const leaver = await fixture.join();
    await fixture.sync();
    await fixture.leave(leaver);
    for (const toUserId of [stranger.id, leaver.id, "0".repeat(24), "nobody"]) {
      const unknown = await fixture.at(fixture.owner, "POST", "/reassign", { userId: leaver.id, toUserId });
      assert.deepEqual([unknown.status, unknown.code], [404, "not_found"], toUserId);
    }
    const publish = await service.call("POST", "/api/skills", {
      token: stranger.token,
      body: { tenantId: fixture.org.slug, name: "x", content: "x\n", personal: true },
    });
    assert.equal(publish.status, 404);
    assert.equal(
      (await send(stranger, "GET", `/api/skills?personal=true&tenant_id=${fixture.org.id}`)).status,
      404,
    );
  });

  it("can't reassign or delete the workspaces of members", async () => {
    const body = { userId: alice.id, toUserId: fixture.owner.id };
    const given = await fixture.at(fixture.owner, "POST", "/reassign", body);
    const deleted = await fixture.at(fixture.owner, "DELETE", `/members/${alice.id}`);

    for (const refused of [given, deleted]) {
      assert.deepEqual([refused.status, refused.code], [422, "refused"]);
      assert.match(refused.error!, /its owner is a member/);
    }
  });

  it("are refused to a narrowed token", async () => {
    for (const narrowed of [
      { scopes: { skill: ["read", "create", "update", "delete"], folder: ["create"] } },
      { allowedFolderIds: [ordinary.id] },
    ]) {
      const minted = await service.call<{ token: string }>("POST", "/api/user/tokens", {
        cookie: fixture.owner.cookie,
        body: { name: "narrow", ...narrowed },
      });
      assert.equal(minted.status, 201, JSON.stringify(minted.body));
      const token = { ...fixture.owner, token: minted.data.token };
      for (const { method, target, body } of operations(fixture, alice.id, fixture.owner.id))
        assert.equal((await send(token, method, target, body)).status, 403, target);
      if (!("allowedFolderIds" in narrowed)) continue;
      assert.equal((await fixture.publish(token, "Outside")).status, 403);
      assert.deepEqual(await fixture.skills(token, "&personal=true"), []);
    }
  });

  it("are open to an organization's token, which has no workspace itself", async () => {
    const minted = await service.call<{ token: string }>("POST", `/api/tenants/${fixture.org.id}/tokens`, {
      token: fixture.owner.token,
      body: { name: "ci" },
    });
    assert.equal(minted.status, 201, JSON.stringify(minted.body));
    const token = { ...fixture.owner, token: minted.data.token };
    const published = await fixture.publish(token, "Mine");
    const listed = await send(token, "GET", "/api/skills?personal=true");
    const repaired = await fixture.at(token, "POST", "/repair", {});

    for (const refused of [published, listed]) {
      assert.deepEqual([refused.status, refused.code], [422, "refused"]);
      assert.match(refused.error!, /no personal workspace/);
    }
    assert.equal(repaired.status, 200);
    assert.equal((await fixture.overview(token)).own, null);
  });

  it("reject unknown fields and invalid values", async () => {
    for (const [path, body] of [
      ["/enable", { name: "a/b" }],
      ["/enable", { name: "" }],
      ["/enable", { root: "x" }],
      ["/disable", { force: true }],
      ["/move", { name: 1 }],
      ["/retry", { userId: [alice.id] }],
      ["/reassign", { userId: alice.id }],
      ["/reassign", { userId: { $ne: null }, toUserId: alice.id }],
    ] as const)
      assert.equal((await fixture.at(fixture.owner, "POST", path, body)).status, 400, JSON.stringify(body));
    assert.equal((await fixture.at(fixture.owner, "GET", "/members?state=gone")).status, 400);
    assert.equal((await fixture.at(fixture.owner, "GET", "/members?cursor=bm8")).status, 400);
    const both = await fixture.publish(alice, "x", { folder: "ordinary" });
    assert.equal(both.status, 400);
  });
});
