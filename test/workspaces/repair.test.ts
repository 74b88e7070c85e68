import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { FolderAccessPayload } from "../../contract/payloads/organizations/folders.ts";
import type { WorkspacePayload } from "../../contract/payloads/organizations/workspaces.ts";
import { changeTree } from "../../src/folders/tree/change.ts";
import type { FolderDoc } from "../../storage/folders/folders.ts";
import { processors } from "../../workers/processors.ts";
import { addMember, governed, newFolder, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture } from "./fixture.ts";

const { service } = await setUpService();
const fixture = await makeFixture(service);
await fixture.enable();

/** Changes a managed folder directly in the database. */
async function damage(folderId: string, change: (folder: FolderDoc) => Partial<FolderDoc>): Promise<void> {
  await changeTree(service.app, fixture.org.id, async () => {
    const folder = await service.app.storage.folders.find(folderId);
    return { rows: [{ ...folder!, ...change(folder!) }], events: [] };
  });
}

async function newWorkspace(): Promise<{ user: TestUser; folderId: string }> {
  const user = await fixture.join();
  await fixture.sync();
  return { user, folderId: (await fixture.overview(user)).own!.folderId! };
}

const repair = async () => {
  const answer = await fixture.at<{ checked: number; repaired: number }>(
    fixture.owner,
    "POST",
    "/repair",
    {},
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  await fixture.sync();
  return answer.data.repaired;
};
const mendedOf = async (user: TestUser) =>
  (await fixture.events("personal_workspace.repaired"))
    .filter((event) => event.userId === user.id)
    .map((event) => event.metadata["repaired"]);

async function assertWhole(user: TestUser): Promise<void> {
  const row = (await fixture.workspaceOf(user))!;
  assert.deepEqual([row.state, row.path], ["provisioned", `personal/${user.username}`]);
  const access = await service.call<FolderAccessPayload>("GET", `/api/folders/${row.folderId}/access`, {
    token: fixture.owner.token,
  });
  assert.equal(access.data.restricted, true);
  assert.deepEqual(
    access.data.grants.map(({ principal, level }) => [principal.id, level]),
    [[user.id, "editor"]],
  );
  assert.equal((await fixture.publish(user, `Proof of ${user.username}`)).status, 201);
}

describe("repairing workspaces", () => {
  it("changes nothing if nothing is wrong", async () => {
    const { user } = await newWorkspace();

    assert.equal(await repair(), 0);
    assert.deepEqual(await mendedOf(user), []);
  });

  for (const [what, change, flaw] of [
    ["a missing restriction", () => ({ restricted: false }), "restriction"],
    ["a missing grant", () => ({ grants: [] }), "grants"],
    [
      "a grant with another level",
      (f: FolderDoc) => ({ grants: f.grants.map((g) => ({ ...g, level: "viewer" as const })) }),
      "grants",
    ],
    [
      "an extra grant",
      (f: FolderDoc) => ({
        grants: [...f.grants, { type: "member" as const, id: fixture.owner.id, level: "viewer" as const }],
      }),
      "grants",
    ],
    ["a folder in another parent", () => ({ parentId: null }), "parent"],
    ["a folder with another name", () => ({ name: "odd", slug: "odd" }), "name"],
  ] as const)
    it(`repairs ${what}, and reports it`, async () => {
      const { user, folderId } = await newWorkspace();
      await damage(folderId, change);

      assert.equal(await repair(), 1);
      await assertWhole(user);
      assert.deepEqual(await mendedOf(user), [[flaw]]);
      assert.equal(await repair(), 0);
    });

  it("creates a missing row for a folder, and a missing folder for a row", async () => {
    const [first, second] = [await newWorkspace(), await newWorkspace()];
    const rows = service.app.storage.database.raw.collection("workspaces");
    await rows.deleteOne({ userId: first.user.id });
    await damage(second.folderId, () => ({ deletedAt: service.app.now() }));
    await service.app.storage.pathReservations.releaseAllOf(second.folderId);

    assert.equal(await repair(), 2);
    await assertWhole(first.user);
    await assertWhole(second.user);
    assert.equal((await fixture.overview(first.user)).own?.folderId, first.folderId);
    assert.deepEqual([await mendedOf(first.user), await mendedOf(second.user)], [[["record"]], [["folder"]]]);
  });

  it("removes the grant of a former member", async () => {
    const { user, folderId } = await newWorkspace();
    await fixture.leave(user);
    await damage(folderId, () => ({ grants: [{ type: "member", id: user.id, level: "editor" }] }));

    assert.equal(await repair(), 1);
    assert.deepEqual((await service.app.storage.folders.find(folderId))?.grants, []);
    assert.equal((await fixture.workspaceOf(user))?.state, "left");
  });

  it("renames a folder after its owner's new user name, and not before", async () => {
    const { user } = await newWorkspace();
    const username = `renamed-${user.username}`;
    const renamed = await service.call("PATCH", "/api/user/profile", {
      cookie: user.cookie,
      body: { username },
    });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    await service.settled();
    await fixture.sync();
    assert.equal((await fixture.workspaceOf(user))?.path, `personal/${user.username}`);

    assert.equal(await repair(), 1);
    await assertWhole({ ...user, username });
    // The previous name is free again.
    const { pathReservations } = service.app.storage;
    const root = (await fixture.overview()).folder!.id;
    const freed = {
      _id: "x",
      tenantId: fixture.org.id,
      parentId: root,
      slug: user.username,
      kind: "folder",
      ownerId: "x",
      createdAt: service.app.now(),
    } as const;
    assert.equal(await pathReservations.reserve(freed), "reserved");
    await pathReservations.release(freed);
  });

  it("creates the parent folder again if it is missing", async () => {
    const root = (await fixture.overview()).folder!.id;
    const { user } = await newWorkspace();
    await damage(root, () => ({ deletedAt: service.app.now() }));
    await service.app.storage.pathReservations.releaseAllOf(root);
    const waiting = await fixture.join();
    await fixture.sync();
    const failed = await fixture.workspaceOf(waiting);
    assert.equal(failed?.state, "failed");
    assert.match(failed?.error ?? "", /repair the workspaces/);

    assert.ok((await repair()) >= 1);
    await assertWhole(user);
    assert.equal((await fixture.at(fixture.owner, "POST", "/retry", { userId: waiting.id })).status, 200);
    await fixture.sync();
    await assertWhole(waiting);
  });
});

describe("a restriction inside a workspace", () => {
  /** A subfolder of a new workspace with a skill in it, restricted as earlier versions allowed. */
  async function lockedOut() {
    const { user, folderId } = await newWorkspace();
    const inner = await newFolder(service, fixture.org, user, `personal/${user.username}/inner`);
    await damage(inner.id, () => ({
      restricted: true,
      grants: [{ type: "member", id: stranger.id, level: "viewer" }],
    }));
    const made = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
      token: fixture.owner.token,
      body: {
        tenantId: fixture.org.slug,
        name: `In ${user.username}`,
        content: "x\n",
        folder: `personal/${user.username}/inner`,
      },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await governed(service, fixture.org);
    return { user, folderId, inner, skillId: made.data.skill.id };
  }
  let stranger: TestUser;
  before(async () => {
    stranger = await fixture.join();
  });
  const isLifted = async (id: string) => {
    const folder = (await service.app.storage.folders.find(id))!;
    return [folder.restricted, folder.grants.length];
  };

  it("never locks its member out: they can read, list and write in it", async () => {
    const { user, inner, skillId } = await lockedOut();

    const read = await service.call("GET", `/api/skills/${skillId}`, { token: user.token });
    const written = await service.call("PUT", `/api/skills/${skillId}`, {
      token: user.token,
      body: { tags: ["mine"] },
    });
    const access = await service.call<FolderAccessPayload>("GET", `/api/folders/${inner.id}/access`, {
      token: user.token,
    });

    assert.deepEqual([read.status, written.status], [200, 200], JSON.stringify(read.body));
    assert.equal((await fixture.skills(user, `&folder_id=${inner.id}`)).length, 1);
    assert.equal((await fixture.skills(user, "&personal=true")).length, 1);
    assert.equal(access.data.level, "editor");
    const other = await fixture.join();
    assert.equal((await service.call("GET", `/api/skills/${skillId}`, { token: other.token })).status, 404);
  });

  it("is reported and lifted by repair, and by the job that reconciles workspaces", async () => {
    const first = await lockedOut();

    assert.equal(await repair(), 1);
    assert.deepEqual(await mendedOf(first.user), [["nested restriction"]]);
    assert.deepEqual(await isLifted(first.inner.id), [false, 0]);
    const seen = await service.call("GET", `/api/skills/${first.skillId}`, { token: stranger.token });
    assert.equal(seen.status, 404);
    const second = await lockedOut();
    await fixture.at(fixture.owner, "POST", "/disable");
    await fixture.sync();
    assert.deepEqual(await isLifted(second.inner.id), [false, 0]);
    await service.settled();
    assert.deepEqual(await mendedOf(second.user), [["nested restriction"]]);
    await fixture.enable();
  });

  it("can't be set or moved in, and is removed when the workspace is reassigned", async () => {
    const { user, inner } = await lockedOut();
    await repair();
    const outside = await newFolder(service, fixture.org, fixture.owner, `team-${user.username}/closed`);
    await restrict(service, fixture.owner, outside.id, []);
    const path = `/api/folders/${inner.id}/access`;

    for (const restricted of [true, false]) {
      const set = await service.call("PUT", path, {
        token: fixture.owner.token,
        body: { restricted, grants: [] },
      });
      assert.deepEqual([set.status, set.code], [422, "managed_folder"], JSON.stringify(set.body));
    }
    for (const id of [outside.id, outside.parentId]) {
      const moved = await service.call("PATCH", `/api/folders/${id}`, {
        token: fixture.owner.token,
        body: { parentId: inner.id },
      });
      assert.deepEqual([moved.status, moved.code], [422, "managed_folder"], JSON.stringify(moved.body));
    }
    await damage(inner.id, () => ({ restricted: true }));
    await fixture.leave(user);
    const heir = await newWorkspace();
    const given = await fixture.at(fixture.owner, "POST", "/reassign", {
      userId: user.id,
      toUserId: heir.user.id,
    });
    assert.equal(given.status, 200, JSON.stringify(given.body));
    assert.deepEqual(await isLifted(inner.id), [false, 0]);
  });
});

describe("two user names with the same slug", () => {
  it("get a number, which repair keeps", async () => {
    const [first, second] = [await service.newUser("con"), await service.newUser("con-folder")];
    for (const user of [first, second]) await addMember(service, fixture.org, user, "member");
    await fixture.sync();

    const paths = [await fixture.workspaceOf(first), await fixture.workspaceOf(second)].map(
      (one) => one?.path,
    );
    assert.deepEqual(new Set(paths), new Set(["personal/con-folder", "personal/con-folder-2"]));
    assert.equal(await repair(), 0);
    await fixture.publish(first, "Of con");
    assert.deepEqual(await fixture.skills(second, "&personal=true"), []);
    assert.deepEqual((await fixture.skills(first, "&personal=true")).length, 1);
  });
});

describe("the parent folder of workspaces", () => {
  it("gets a number if a folder or a skill has its name", async () => {
    for (const kind of ["folder", "skill"]) {
      const crowded = await makeFixture(service);
      if (kind === "folder") await newFolder(service, crowded.org, crowded.owner, "personal");
      else await crowded.publish(crowded.owner, "Personal", { personal: false });
      await crowded.enable();

      const { folder } = await crowded.overview();
      assert.deepEqual([folder?.path, folder?.name], ["personal-2", "Personal 2"], kind);
      const moved = await newFolder(service, crowded.org, crowded.owner, "inner");
      assert.equal((await crowded.at(crowded.owner, "POST", "/move", { parentId: moved.id })).status, 200);
      assert.equal((await crowded.overview()).folder?.path, "inner/personal-2");
    }
  });

  it("keeps its name when workspaces are enabled again", async () => {
    const again = await makeFixture(service);
    await again.enable({ name: "Private places" });
    await again.at(again.owner, "POST", "/disable", {});
    await again.enable({ name: "Other" });

    assert.equal((await again.overview()).folder?.path, "private-places");
    assert.equal((await again.events("personal_workspace.enabled")).length, 2);
    assert.equal((await again.events("personal_workspace.disabled")).length, 1);
  });
});

describe("provisioning that fails", () => {
  const { foldersPerOrganization } = limits;
  // As many folders as there may be take a minute to insert on a busy machine.
  before(() => Object.assign(limits, { foldersPerOrganization: 40 }));
  after(() => Object.assign(limits, { foldersPerOrganization }));

  it("is recorded with a message, and retried on request", async () => {
    const full = await makeFixture(service);
    await full.enable();
    const user = await full.join();
    const root = (await full.overview()).folder!.id;
    const filler = Array.from({ length: limits.foldersPerOrganization - 2 }, (_, i) => ({
      _id: service.app.newId(),
      tenantId: full.org.id,
      parentId: null,
      slug: `filler-${i}`,
      name: `filler-${i}`,
      restricted: false,
      grants: [],
      revision: 1000,
      createdBy: "test",
      createdAt: service.app.now(),
      updatedAt: service.app.now(),
    }));
    const { raw } = service.app.storage.database;
    await raw.collection<FolderDoc>("folders").insertMany(filler);
    const setRevision = (revision: number) =>
      raw.collection<{ _id: string }>("folder_trees").updateOne({ _id: full.org.id }, { $set: { revision } });
    await setRevision(1000);

    await full.sync();
    const failed = await full.workspaceOf(user);
    assert.deepEqual([failed?.state, failed?.attempts], ["failed", 1]);
    assert.match(failed?.error ?? "", /40 folders, which is the limit/);
    const overview = await full.overview();
    assert.deepEqual([overview.counts?.failed, overview.failed?.[0]?.userId], [1, user.id]);
    const list = await full.at<WorkspacePayload[]>(full.owner, "GET", "/members?state=failed");
    assert.deepEqual(
      list.data.map((one) => one.userId),
      [user.id],
    );
    const refused = await full.publish(user, "No place");
    assert.equal(refused.code, "refused");
    assert.match(refused.error!, /the limit.*An owner or admin of the organization can retry it/);

    const gone = filler.slice(0, 2).map((one) => one._id);
    await raw
      .collection<FolderDoc>("folders")
      .updateMany({ _id: { $in: gone } }, { $set: { deletedAt: service.app.now(), revision: 1001 } });
    await setRevision(1001);
    const retried = await full.at(full.owner, "POST", "/retry", {});
    await full.sync();

    assert.deepEqual(retried.data, { scheduled: 1 });
    assert.equal((await full.workspaceOf(user))?.state, "provisioned");
    assert.equal((await full.overview()).folder?.id, root);
    const [event] = await full.events("personal_workspace.retry_scheduled");
    assert.equal(event?.userId, user.id);
    assert.deepEqual((await full.at(full.owner, "POST", "/retry", { userId: user.id })).data, {
      scheduled: 0,
    });
    await processors(service.app)["maintenance.purge"]({});
  });
});
