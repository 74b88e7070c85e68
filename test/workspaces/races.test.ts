import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { processors } from "../../workers/processors.ts";
import { addMember, newFolder } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture, type Fixture } from "./fixture.ts";

const { service } = await setUpService();

const times = <T>(count: number, run: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => run(at)));
const statusesOf = (answers: { status: number }[]) => answers.map((answer) => answer.status);
const countOf = <T>(list: readonly T[], one: T) => list.filter((item) => item === one).length;

/** The folders of the workspaces that exist, whatever the rows contain. */
const foldersOf = (fixture: Fixture) =>
  service.app.storage.database.raw
    .collection("folders")
    .find({ tenantId: fixture.org.id, managed: { $exists: true }, deletedAt: { $exists: false } })
    .toArray();

describe("concurrent calls", () => {
  it("enable once", async () => {
    const fixture = await makeFixture(service);
    const answers = await times(30, (at) =>
      fixture.at(fixture.owner, "POST", "/enable", { name: `Space ${at}` }),
    );
    await times(5, () => fixture.sync());

    assert.deepEqual([...new Set(statusesOf(answers))], [200]);
    assert.deepEqual(
      (await foldersOf(fixture)).map((folder) => (folder["managed"] as { kind: string }).kind).sort(),
      ["root", "workspace"],
    );
    for (const name of ["enabled", "backfill_scheduled", "provisioned"])
      assert.equal((await fixture.events(`personal_workspace.${name}`)).length, 1, name);
    const places = await service.app.storage.database.raw
      .collection("places")
      .countDocuments({ tenantId: fixture.org.id });
    assert.equal(places, 2);
  });

  it("provision each member once, alongside each other and alongside publishes that create the workspace", async () => {
    const fixture = await makeFixture(service);
    const members = await times(8, () => fixture.join());
    await fixture.at(fixture.owner, "POST", "/enable", {});
    const [, published] = await Promise.all([
      times(6, () => fixture.sync()),
      times(8, (at) => fixture.publish(members[at]!, "Same name")),
    ]);
    await fixture.sync();

    assert.deepEqual(
      countOf(statusesOf(published), 201),
      8,
      JSON.stringify(published.map((one) => one.error)),
    );
    assert.equal((await foldersOf(fixture)).length, 10);
    assert.equal((await fixture.overview()).counts?.provisioned, 9);
    const events = await fixture.events("personal_workspace.provisioned");
    assert.equal(new Set(events.map((event) => event.userId)).size, 9);
    assert.equal(events.length, 9);
    for (const [at, member] of members.entries()) {
      assert.equal((await fixture.workspaceOf(member))?.path, `personal/${member.username}`);
      assert.deepEqual(await fixture.skills(member, "&personal=true"), [published[at]!.data.skill.slug]);
    }
  });

  it("publish one skill of a name into a workspace that does not exist yet", async () => {
    const fixture = await makeFixture(service);
    await fixture.enable();
    const alice = await fixture.join();
    const answers = await times(20, (at) => fixture.publish(alice, "Race", { content: `# ${at}\n` }));

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
    assert.equal((await foldersOf(fixture)).length, 3);
  });

  it("either reassign or delete a workspace, once, and never half of both", async () => {
    for (let round = 0; round < 2; round++) {
      const fixture = await makeFixture(service);
      const [alice, ...heirs] = await times(4, () => fixture.join());
      await fixture.enable();
      const skill = (await fixture.publish(alice!, "Wanted")).data.skill;
      await fixture.leave(alice!);
      const given = times(9, (at) =>
        fixture.at(fixture.owner, "POST", "/reassign", { userId: alice!.id, toUserId: heirs[at % 3]!.id }),
      );
      const deleted = times(3, () => fixture.at(fixture.owner, "DELETE", `/members/${alice!.id}`));
      const answers = [...(await given), ...(await deleted)];
      await processors(service.app)["workspaces.delete"]({ tenantId: fixture.org.id, userId: alice!.id });
      await service.settled();

      assert.equal(countOf(statusesOf(answers), 200) >= 1, true);
      assert.equal(countOf(statusesOf(answers), 500), 0);
      const events = (await fixture.events()).map((event) => event.name);
      const isGiven = countOf(events, "personal_workspace.reassigned");
      const isDeleted = countOf(events, "personal_workspace.deleted");
      assert.ok(isGiven <= 1 && isDeleted <= 1 && isGiven + isDeleted >= 1, `${isGiven} ${isDeleted}`);
      const holders = [];
      for (const heir of heirs)
        if ((await fixture.skills(heir, "&personal=true")).includes(skill.slug)) holders.push(heir);
      assert.equal(holders.length, isGiven);
      assert.equal(await fixture.workspaceOf(alice!), undefined);
    }
  });

  it("leave and rejoin without losing or exposing anything", async () => {
    const fixture = await makeFixture(service);
    const alice = await fixture.join();
    await fixture.enable();
    const skill = (await fixture.publish(alice, "Mine")).data.skill;
    for (let round = 0; round < 3; round++) {
      await Promise.all([fixture.leave(alice), times(3, () => fixture.sync())]);
      const read = await service.call("GET", `/api/skills/${skill.id}`, { token: alice.token });
      assert.equal(read.status, 404);
      assert.equal((await fixture.workspaceOf(alice))?.state, "left");
      await addMember(service, fixture.org, alice, "member");
      const [, again] = await Promise.all([
        times(3, () => fixture.sync()),
        fixture.publish(alice, "Mine", { content: `# ${round}\n` }),
      ]);
      assert.equal(again.status, 201, JSON.stringify(again.body));
      assert.equal(again.data.skill.id, skill.id);
    }
    assert.equal((await foldersOf(fixture)).length, 3);
  });

  it("end either enabled or disabled, with complete workspaces", async () => {
    const fixture = await makeFixture(service);
    await fixture.enable();
    const members = await times(4, () => fixture.join());
    await times(20, (at) => fixture.at(fixture.owner, "POST", at % 2 === 0 ? "/disable" : "/enable", {}));
    await times(3, () => fixture.sync());
    await fixture.enable();

    const names = (await fixture.events()).map((event) => event.name);
    const enabled = countOf(names, "personal_workspace.enabled");
    const disabled = countOf(names, "personal_workspace.disabled");
    assert.equal(enabled, disabled + 1);
    assert.equal((await foldersOf(fixture)).length, members.length + 2);
  });

  it("retry and repair each workspace once", async () => {
    const fixture = await makeFixture(service);
    const [alice] = await times(3, () => fixture.join());
    await fixture.enable();
    const { folders } = service.app.storage;
    const folder = (await folders.find((await fixture.workspaceOf(alice!))!.folderId!))!;
    await service.app.storage.database.raw
      .collection<{ _id: string }>("folders")
      .updateOne({ _id: folder._id }, { $set: { restricted: false } });
    const answers = await times(10, (at) =>
      fixture.at<{ repaired?: number }>(fixture.owner, "POST", at % 3 === 0 ? "/retry" : "/repair", {}),
    );

    assert.deepEqual([...new Set(statusesOf(answers))], [200]);
    assert.equal((await folders.find(folder._id))?.restricted, true);
    const repaired = await fixture.events("personal_workspace.repaired");
    assert.deepEqual(
      repaired.map((event) => event.userId),
      [alice!.id],
    );
  });

  it("move the parent folder while members publish", async () => {
    const fixture = await makeFixture(service);
    const members = await times(4, () => fixture.join());
    await fixture.enable();
    const shelves = [
      await newFolder(service, fixture.org, fixture.owner, "shelf-a"),
      await newFolder(service, fixture.org, fixture.owner, "shelf-b"),
    ];
    const [moved, published] = await Promise.all([
      times(8, (at) => fixture.at(fixture.owner, "POST", "/move", { parentId: shelves[at % 2]!.id })),
      times(12, (at) => fixture.publish(members[at % 4]!, `Skill ${at}`)),
    ]);

    assert.deepEqual([...new Set(statusesOf(moved))], [200]);
    assert.deepEqual([...new Set(statusesOf(published))], [201]);
    const readable = (user: TestUser) => fixture.skills(user, "&personal=true");
    for (const member of members) assert.equal((await readable(member)).length, 3);
    assert.match((await fixture.overview()).folder!.path, /^shelf-[ab]\/personal$/);
  });
});
