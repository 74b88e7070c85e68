import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { processors } from "../../workers/processors.ts";
import { addMember, newFolder } from "../support/organization.ts";
import { startService, type TestService, type TestUser } from "../support/service.ts";
import { makeWorld, type World } from "./world.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const times = <T>(count: number, run: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => run(at)));
const statusesOf = (answers: { status: number }[]) => answers.map((answer) => answer.status);
const countOf = <T>(list: readonly T[], one: T) => list.filter((item) => item === one).length;

/** The folders of the workspaces that exist, whatever the rows contain. */
const foldersOf = (world: World) =>
  service.app.storage.database.raw
    .collection("folders")
    .find({ tenantId: world.org.id, managed: { $exists: true }, deletedAt: { $exists: false } })
    .toArray();

describe("concurrent calls", () => {
  it("enable once", async () => {
    const world = await makeWorld(service);
    const answers = await times(30, (at) =>
      world.at(world.owner, "POST", "/enable", { name: `Space ${at}` }),
    );
    await times(5, () => world.sync());

    assert.deepEqual([...new Set(statusesOf(answers))], [200]);
    assert.deepEqual(
      (await foldersOf(world)).map((folder) => (folder["managed"] as { kind: string }).kind).sort(),
      ["root", "workspace"],
    );
    for (const name of ["enabled", "backfill_scheduled", "provisioned"])
      assert.equal((await world.events(`personal_workspace.${name}`)).length, 1, name);
    const places = await service.app.storage.database.raw
      .collection("places")
      .countDocuments({ tenantId: world.org.id });
    assert.equal(places, 2);
  });

  it("provision each member once, alongside each other and alongside publishes that create the workspace", async () => {
    const world = await makeWorld(service);
    const members = await times(8, () => world.join());
    await world.at(world.owner, "POST", "/enable", {});
    const [, published] = await Promise.all([
      times(6, () => world.sync()),
      times(8, (at) => world.publish(members[at]!, "Same name")),
    ]);
    await world.sync();

    assert.deepEqual(
      countOf(statusesOf(published), 201),
      8,
      JSON.stringify(published.map((one) => one.error)),
    );
    assert.equal((await foldersOf(world)).length, 10);
    assert.equal((await world.overview()).counts?.provisioned, 9);
    const events = await world.events("personal_workspace.provisioned");
    assert.equal(new Set(events.map((event) => event.userId)).size, 9);
    assert.equal(events.length, 9);
    for (const [at, member] of members.entries()) {
      assert.equal((await world.workspaceOf(member))?.path, `personal/${member.username}`);
      assert.deepEqual(await world.skills(member, "&personal=true"), [published[at]!.data.skill.slug]);
    }
  });

  it("publish one skill of a name into a workspace that does not exist yet", async () => {
    const world = await makeWorld(service);
    await world.enable();
    const alice = await world.join();
    const answers = await times(20, (at) => world.publish(alice, "Race", { content: `# ${at}\n` }));

    const done = answers.filter((answer) => answer.status === 201);
    assert.equal(done.length, 20, JSON.stringify(answers.map((one) => one.error)));
    assert.equal(new Set(done.map((answer) => answer.data.skill.id)).size, 1);
    assert.equal(
      countOf(
        done.map((answer) => answer.data.action),
        "created",
      ),
      1,
    );
    assert.equal((await foldersOf(world)).length, 3);
  });

  it("either reassign or delete a workspace, once, and never half of both", async () => {
    for (let round = 0; round < 2; round++) {
      const world = await makeWorld(service);
      const [alice, ...heirs] = await times(4, () => world.join());
      await world.enable();
      const skill = (await world.publish(alice!, "Wanted")).data.skill;
      await world.leave(alice!);
      const given = times(9, (at) =>
        world.at(world.owner, "POST", "/reassign", { userId: alice!.id, toUserId: heirs[at % 3]!.id }),
      );
      const deleted = times(3, () => world.at(world.owner, "DELETE", `/members/${alice!.id}`));
      const answers = [...(await given), ...(await deleted)];
      await processors(service.app)["workspaces.delete"]({ tenantId: world.org.id, userId: alice!.id });
      await service.settled();

      assert.equal(countOf(statusesOf(answers), 200) >= 1, true);
      assert.equal(countOf(statusesOf(answers), 500), 0);
      const events = (await world.events()).map((event) => event.name);
      const isGiven = countOf(events, "personal_workspace.reassigned");
      const isDeleted = countOf(events, "personal_workspace.deleted");
      assert.ok(isGiven <= 1 && isDeleted <= 1 && isGiven + isDeleted >= 1, `${isGiven} ${isDeleted}`);
      const holders = [];
      for (const heir of heirs)
        if ((await world.skills(heir, "&personal=true")).includes(skill.slug)) holders.push(heir);
      assert.equal(holders.length, isGiven);
      assert.equal(await world.workspaceOf(alice!), undefined);
    }
  });

  it("leave and rejoin without losing or exposing anything", async () => {
    const world = await makeWorld(service);
    const alice = await world.join();
    await world.enable();
    const skill = (await world.publish(alice, "Mine")).data.skill;
    for (let round = 0; round < 3; round++) {
      await Promise.all([world.leave(alice), times(3, () => world.sync())]);
      const read = await service.call("GET", `/api/skills/${skill.id}`, { token: alice.token });
      assert.equal(read.status, 404);
      assert.equal((await world.workspaceOf(alice))?.state, "left");
      await addMember(service, world.org, alice, "member");
      const [, again] = await Promise.all([
        times(3, () => world.sync()),
        world.publish(alice, "Mine", { content: `# ${round}\n` }),
      ]);
      assert.equal(again.status, 201, JSON.stringify(again.body));
      assert.equal(again.data.skill.id, skill.id);
    }
    assert.equal((await foldersOf(world)).length, 3);
  });

  it("end either enabled or disabled, with complete workspaces", async () => {
    const world = await makeWorld(service);
    await world.enable();
    const members = await times(4, () => world.join());
    await times(20, (at) => world.at(world.owner, "POST", at % 2 === 0 ? "/disable" : "/enable", {}));
    await times(3, () => world.sync());
    await world.enable();

    const names = (await world.events()).map((event) => event.name);
    const enabled = countOf(names, "personal_workspace.enabled");
    const disabled = countOf(names, "personal_workspace.disabled");
    assert.equal(enabled, disabled + 1);
    assert.equal((await foldersOf(world)).length, members.length + 2);
  });

  it("retry and repair each workspace once", async () => {
    const world = await makeWorld(service);
    const [alice] = await times(3, () => world.join());
    await world.enable();
    const { folders } = service.app.storage;
    const folder = (await folders.find((await world.workspaceOf(alice!))!.folderId!))!;
    await service.app.storage.database.raw
      .collection<{ _id: string }>("folders")
      .updateOne({ _id: folder._id }, { $set: { restricted: false } });
    const answers = await times(10, (at) =>
      world.at<{ repaired?: number }>(world.owner, "POST", at % 3 === 0 ? "/retry" : "/repair", {}),
    );

    assert.deepEqual([...new Set(statusesOf(answers))], [200]);
    assert.equal((await folders.find(folder._id))?.restricted, true);
    const repaired = await world.events("personal_workspace.repaired");
    assert.deepEqual(
      repaired.map((event) => event.userId),
      [alice!.id],
    );
  });

  it("move the parent folder while members publish", async () => {
    const world = await makeWorld(service);
    const members = await times(4, () => world.join());
    await world.enable();
    const shelves = [
      await newFolder(service, world.org, world.owner, "shelf-a"),
      await newFolder(service, world.org, world.owner, "shelf-b"),
    ];
    const [moved, published] = await Promise.all([
      times(8, (at) => world.at(world.owner, "POST", "/move", { parentId: shelves[at % 2]!.id })),
      times(12, (at) => world.publish(members[at % 4]!, `Skill ${at}`)),
    ]);

    assert.deepEqual([...new Set(statusesOf(moved))], [200]);
    assert.deepEqual([...new Set(statusesOf(published))], [201]);
    const readable = (user: TestUser) => world.skills(user, "&personal=true");
    for (const member of members) assert.equal((await readable(member)).length, 3);
    assert.match((await world.overview()).folder!.path, /^shelf-[ab]\/personal$/);
  });
});
