import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  FolderAccessPayload,
  FolderPayload,
  MovedSkillPayload,
} from "../../contract/payloads/organizations/folders.ts";
import type { WorkspacePayload } from "../../contract/payloads/organizations/workspaces.ts";
import type { CatalogItem, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { processors } from "../../workers/processors.ts";
import { addMember, governed } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture } from "./fixture.ts";

/** A skill of Alice in her workspace. */
let notes: SkillPayload;

const { service } = await setUpService();
const fixture = await makeFixture(service);
const [alice, bob] = [await fixture.join(), await fixture.join()];

const get = <T = Record<string, unknown>>(user: TestUser | undefined, target: string) =>
  service.call<T>("GET", target, { token: user?.token });

describe("personal workspaces, from enabling to deletion", () => {
  it("are refused until they are enabled", async () => {
    const refused = await fixture.publish(alice, "Notes");
    const overview = await fixture.overview(alice);

    assert.deepEqual([refused.status, refused.code], [422, "refused"]);
    assert.match(refused.error!, /not enabled in/);
    assert.deepEqual(overview, { enabled: false, own: null });
  });

  it("are created for every member when they are enabled", async () => {
    await fixture.enable();

    const { counts, folder, enabled } = await fixture.overview();
    assert.deepEqual(
      [enabled, counts, folder?.path],
      [true, { scheduled: 0, provisioned: 3, failed: 0, left: 0, deleting: 0 }, "personal"],
    );
    const own = (await fixture.overview(alice)).own;
    assert.deepEqual([own?.state, own?.path], ["provisioned", `personal/${alice.username}`]);
    const access = await get<FolderAccessPayload>(fixture.owner, `/api/folders/${own!.folderId}/access`);
    assert.equal(access.data.restricted, true);
    assert.deepEqual(
      access.data.grants.map(({ principal, level }) => [principal.type, principal.id, level]),
      [["member", alice.id, "editor"]],
    );
    const events = await fixture.events();
    assert.deepEqual(events.map((event) => event.name).sort(), [
      "personal_workspace.backfill_scheduled",
      "personal_workspace.enabled",
      "personal_workspace.provisioned",
      "personal_workspace.provisioned",
      "personal_workspace.provisioned",
    ]);
  });

  it("are created for later members by an event of their own", async () => {
    const carol = await fixture.join();
    await fixture.sync();

    assert.equal((await fixture.workspaceOf(carol))?.state, "provisioned");
    const scheduled = await fixture.events("personal_workspace.provisioning_scheduled");
    assert.deepEqual(
      scheduled.map((event) => event.userId),
      [carol.id],
    );
  });

  it("accept what is published with personal, and append to it by name", async () => {
    const made = await fixture.publish(alice, "Notes");
    const again = await fixture.publish(alice, "Notes", { content: "# Notes\nmore\n" });

    assert.equal(made.status, 201, JSON.stringify(made.body));
    notes = made.data.skill;
    const { own } = await fixture.overview(alice);
    assert.deepEqual([notes.visibility, notes.folderId, notes.restricted], ["private", own!.folderId, true]);
    assert.deepEqual([again.data.action, again.data.skill.id], ["updated", notes.id]);
  });

  it("reject any visibility but private", async () => {
    for (const visibility of ["public", "unlisted"]) {
      const refused = await fixture.publish(alice, "Open", { visibility });

      assert.deepEqual([refused.status, refused.code], [422, "refused"]);
      assert.match(refused.error!, /private/);
    }
    assert.equal((await fixture.publish(alice, "Notes", { visibility: "private" })).status, 201);
  });

  it("lose what their member moves out, who is shown who can read it then", async () => {
    const { id } = (await fixture.publish(alice, "Outgoing")).data.skill;
    const move = (user: TestUser, body: object) =>
      service.call<MovedSkillPayload>("POST", `/api/skills/${id}/move`, { token: user.token, body });

    const tried = await move(alice, { folder: "/", dryRun: true });
    const byOther = await move(bob, { folder: "/" });
    const moved = await move(alice, { folder: "/" });

    assert.deepEqual(
      [
        tried.data.exposure.before.visibility,
        tried.data.exposure.after.visibility,
        tried.data.exposure.widened,
      ],
      ["restricted", "organization", true],
    );
    assert.equal(byOther.code, "not_found");
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    assert.equal((await get(bob, `/api/skills/${id}`)).status, 200);
    await service.call("DELETE", `/api/skills/${id}`, { token: fixture.owner.token });
  });

  it("are separate namespaces", async () => {
    const shared = await fixture.publish(fixture.owner, "Shared", { personal: false });
    const own = await fixture.publish(alice, "Shared");
    const bobs = await fixture.publish(bob, "Notes");
    const everybodys = await fixture.publish(bob, "Notes", { personal: false });
    const appended = await fixture.publish(bob, "Notes", { personal: false, content: "new\n" });
    const byPath = await fixture.publish(alice, "Notes", {
      personal: undefined,
      folder: `personal/${alice.username}`,
      content: "by path\n",
    });
    const missing = await fixture.publish(bob, "Shared", { mode: "update" });

    assert.deepEqual(
      [shared, own, bobs, everybodys, appended, byPath].map(({ data }) => data.action),
      ["created", "created", "created", "created", "updated", "updated"],
    );
    assert.notEqual(own.data.skill.id, shared.data.skill.id);
    assert.notEqual(bobs.data.skill.id, notes.id);
    assert.equal(everybodys.data.skill.folderId, null);
    assert.equal(appended.data.skill.id, everybodys.data.skill.id);
    assert.equal(byPath.data.skill.id, notes.id);
    assert.equal(missing.code, "not_found");
  });

  it("are readable by their owner and by those exempt from restrictions, and by no one else", async () => {
    await governed(service, fixture.org);
    await service.call("PUT", `/api/skills/${notes.id}`, {
      token: alice.token,
      body: { visibility: "public", tags: ["zebra"] },
    });
    await service.settled();

    for (const stranger of [bob, await service.newUser(), undefined]) {
      const expected = stranger ? 404 : 401;
      for (const target of [
        `/api/skills/${notes.id}`,
        `/api/skills/${notes.publicId}/content`,
        `/api/skills/${fixture.org.slug}~${notes.slug}/versions`,
        `/api/skills/resolve?ref=${notes.slug}`,
        `/api/skills/resolve?ref=${fixture.org.slug}/${notes.slug}`,
      ])
        assert.equal((await get(stranger, target)).status, expected, target);
      const explored = await get<CatalogItem[]>(stranger, "/api/explore?query=zebra");
      assert.deepEqual(
        explored.data.filter((item) => item.publicId === notes.publicId),
        [],
      );
      if (!stranger) continue;
      for (const query of ["", "&query=zebra", "&query=notes", "&tag=zebra", "&personal=true"])
        assert.ok(!(await fixture.skills(stranger, query)).includes(notes.slug), query);
    }
    const seen = await get<FolderPayload[]>(bob, `/api/tenants/${fixture.org.slug}/folders`);
    assert.deepEqual(seen.data.map((folder) => folder.path).sort(), ["personal", `personal/${bob.username}`]);
    assert.equal((await get(alice, `/api/skills/${notes.id}`)).status, 200);
    assert.equal((await get(fixture.owner, `/api/skills/${notes.id}`)).status, 200);
  });

  it("are listed by personal, with the folders in them", async () => {
    const deep = await fixture.publish(alice, "Deep", {
      personal: undefined,
      folder: `personal/${alice.username}/tools/old`,
      createFolders: true,
    });
    await service.settled();

    assert.equal(deep.status, 201, JSON.stringify(deep.body));
    assert.deepEqual(
      (await fixture.skills(alice, "&personal=true")).sort(),
      [deep.data.skill.slug, notes.slug, "shared-2"].sort(),
    );
    assert.deepEqual(await fixture.skills(alice, "&personal=true&query=deep"), [deep.data.skill.slug]);
    assert.deepEqual(await fixture.skills(bob, "&personal=true"), ["notes-2"]);
    assert.deepEqual(await fixture.skills(await service.newUser(), "&personal=true"), []);
    // A caller who sees everything still has only their own workspace.
    assert.deepEqual(await fixture.skills(fixture.owner, "&personal=true"), []);
    const page = await get<SkillPayload[]>(alice, "/api/skills?personal=true&limit=2");
    const rest = await get<SkillPayload[]>(
      alice,
      `/api/skills?personal=true&limit=2&cursor=${page.nextCursor}`,
    );
    assert.equal(new Set([...page.data, ...rest.data].map((skill) => skill.id)).size, 3);
    assert.equal(rest.nextCursor, null);
  });

  it("keep their contents while they are disabled, and accept nothing by personal", async () => {
    const off = await fixture.at(fixture.owner, "POST", "/disable", {});
    const refused = await fixture.publish(alice, "Notes", { content: "off\n" });
    const dave = await fixture.join();
    await fixture.sync();

    assert.equal(off.status, 200);
    assert.equal(refused.code, "refused");
    assert.equal(await fixture.workspaceOf(dave), undefined);
    assert.ok((await fixture.skills(alice, "&personal=true")).includes(notes.slug));
    const pushed = await service.call("POST", `/api/skills/${notes.id}/versions`, {
      token: alice.token,
      body: { content: "still mine\n" },
    });
    assert.equal(pushed.status, 201);
    assert.equal((await get(bob, `/api/skills/${notes.id}`)).status, 404);
    await fixture.enable();
    assert.equal((await fixture.workspaceOf(dave))?.state, "provisioned");
  });

  it("are kept when their owner leaves, readable by the organization only", async () => {
    await fixture.leave(alice);

    assert.equal((await fixture.workspaceOf(alice))?.state, "left");
    assert.equal((await get(alice, `/api/skills/${notes.id}`)).status, 404);
    assert.equal((await get(bob, `/api/skills/${notes.id}`)).status, 404);
    assert.equal((await get(fixture.owner, `/api/skills/${notes.id}`)).status, 200);
    const folderId = (await fixture.workspaceOf(alice))!.folderId;
    const access = await get<FolderAccessPayload>(fixture.owner, `/api/folders/${folderId}/access`);
    assert.deepEqual([access.data.restricted, access.data.grants], [true, []]);
  });

  it("belong to their owner again after rejoining", async () => {
    await addMember(service, fixture.org, alice, "member");
    await fixture.sync();

    assert.equal((await get(alice, `/api/skills/${notes.id}`)).status, 200);
    assert.ok((await fixture.skills(alice, "&personal=true")).includes(notes.slug));
    const provisioned = await fixture.events("personal_workspace.provisioned");
    assert.deepEqual(
      provisioned.filter((event) => event.metadata["returned"]).map((event) => event.userId),
      [alice.id],
    );
  });

  it("can be reassigned to another member, as a folder in that member's workspace", async () => {
    await fixture.leave(alice);
    const body = { userId: alice.id, toUserId: bob.id };
    const given = await fixture.at<{ path: string }>(fixture.owner, "POST", "/reassign", body);
    await governed(service, fixture.org);

    assert.equal(given.status, 200, JSON.stringify(given.body));
    assert.equal(given.data.path, `personal/${bob.username}/${alice.username}`);
    assert.equal((await get(bob, `/api/skills/${notes.id}`)).status, 200);
    assert.ok((await fixture.skills(bob, "&personal=true")).includes(notes.slug));
    assert.equal(await fixture.workspaceOf(alice), undefined);
    const again = await fixture.at(fixture.owner, "POST", "/reassign", body);
    assert.equal(again.status, 404);
    await addMember(service, fixture.org, alice, "member");
    await fixture.sync();
    assert.equal((await get(alice, `/api/skills/${notes.id}`)).status, 404);
    assert.deepEqual(await fixture.skills(alice, "&personal=true"), []);
    assert.equal((await fixture.workspaceOf(alice))?.path, `personal/${alice.username}`);
    const [event] = await fixture.events("personal_workspace.reassigned");
    assert.equal(event?.metadata["toUserId"], bob.id);
  });

  it("can be deleted with their skills once their owner has left", async () => {
    const gone = (
      await fixture.publish(bob, "Gone", {
        personal: undefined,
        folder: `personal/${bob.username}/x`,
        createFolders: true,
      })
    ).data.skill;
    await fixture.leave(bob);
    const accepted = await fixture.at(fixture.owner, "DELETE", `/members/${bob.id}`);
    const jobs = processors(service.app);
    await jobs["workspaces.delete"]({ tenantId: fixture.org.id, userId: bob.id });
    await jobs["maintenance.reconcile"]({});
    await service.settled();

    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    assert.equal(await fixture.workspaceOf(bob), undefined);
    for (const skill of [notes, gone])
      assert.equal((await get(fixture.owner, `/api/skills/${skill.id}`)).status, 404);
    const folders = await get<FolderPayload[]>(fixture.owner, `/api/tenants/${fixture.org.slug}/folders`);
    assert.deepEqual(
      folders.data.filter((folder) => folder.path.includes(bob.username)),
      [],
    );
    assert.equal((await fixture.events("personal_workspace.deleted")).length, 1);
    assert.ok((await fixture.events("skill.deleted")).length >= 3);
    const again = await fixture.at(fixture.owner, "DELETE", `/members/${bob.id}`);
    assert.equal(again.status, 404);
    const list = await fixture.at<WorkspacePayload[]>(fixture.owner, "GET", "/members?state=left");
    assert.deepEqual(list.data, []);
  });
});
