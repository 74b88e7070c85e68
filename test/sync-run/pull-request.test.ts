/** Pull-request mode, at a host that has pull requests: what is proposed, and what people may do with it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { inStep, ourBranch, skillFile, startGround, type Ground } from "../support/sync/proposals.ts";

let ground: Ground;
before(async () => {
  ground = await startGround();
});
after(() => ground.close());

describe("a connection in pull-request mode", () => {
  it("proposes everything by one request, and leaves the connected branch unchanged", async () => {
    const world = await ground.world();
    const main = world.tip("main");
    await world.publish("One", "hello", { description: "Says `it` @ada." });
    await world.publish("Two", "hello", { folder: "ops", createFolders: true });

    assert.equal(await world.sync(), "done");

    assert.equal(world.tip("main"), main);
    assert.deepEqual(world.paths(), ["code.txt", skillFile("one"), skillFile("ops/two")]);
    const [pull, ...others] = world.pulls();
    assert.deepEqual(
      [others, pull!.state, pull!.head, pull!.base, pull!.title],
      [[], "open", ourBranch, "main", "Sync 2 skills"],
    );
    assert.match(pull!.body, /^- `skills\/one` `1\.0\.0`\n- `skills\/ops\/two` `1\.0\.0`\n$/m);
    assert.equal(world.git("merge-base", "main", ourBranch), main);
    const proposal = await world.proposal();
    assert.deepEqual(
      [proposal.state, proposal.number, proposal.branch, proposal.commit, proposal.skills],
      ["open", 1, ourBranch, world.tip(), 2],
    );
    assert.ok(proposal.url?.endsWith("/pull/1"));
    const { connection, syncedSkills } = await world.state();
    assert.deepEqual(
      [connection?.mode, connection?.status, connection?.lastCommit, syncedSkills],
      ["pull_request", "active", main, 0],
    );
    assert.equal((await world.lastRun()).exported, 2);
    await world.assertStill();
  });

  it("keeps the one request up to date, and keeps a title that a person has written", async () => {
    const world = await ground.world();
    const one = await world.publish("One", "first");
    await world.sync();
    await world.publish("One", "second");
    await world.publish("Two", "first");

    assert.equal(await world.sync(), "done");

    assert.equal(world.pulls().length, 1);
    assert.equal(world.pulls()[0]!.title, "Sync 2 skills");
    assert.match(world.pulls()[0]!.body, /`skills\/one` `1\.0\.1`/);
    assert.match(world.show(ourBranch, skillFile("one")), /second/);
    assert.equal((await world.lastRun()).exported, 2);
    await world.assertStill();
    world.pulls()[0]!.title = "What the others may see";
    await world.call("DELETE", `/api/skills/${one.id}`);
    assert.equal(await world.sync(), "done");
    assert.deepEqual(world.paths(), ["code.txt", skillFile("two")]);
    assert.equal(world.pulls()[0]!.title, "What the others may see", "somebody's own words stay");
    assert.match(world.pulls()[0]!.body, /^- `skills\/two`/m);
    assert.doesNotMatch(world.pulls()[0]!.body, /skills\/one/);
    await world.assertStill();
  });

  it("pushes nothing if the connected branch changed outside its skills", async () => {
    const world = await ground.world();
    await world.publish("One", "first");
    await world.sync();
    const tip = world.tip();
    world.repository.repo.commit({ "code.txt": "more\n" });

    assert.equal(await world.sync(), "done");

    assert.equal(world.tip(), tip);
    await world.publish("One", "second");
    await world.sync();
    assert.deepEqual(world.git("diff", "--name-only", "main", ourBranch).split("\n").toSorted(), [
      "skills/README.md",
      "skills/one/.svc.json",
      skillFile("one"),
    ]);
    assert.equal(world.git("log", "-1", "--format=%P", ourBranch), `${tip} ${world.tip("main")}`);
  });

  for (const how of ["merge", "squash", "rebase"] as const)
    for (const isDeleted of [true, false])
      it(`is in sync after a ${how}, its branch ${isDeleted ? "deleted" : "left"}, and starts a new proposal from there`, async () => {
        const world = await ground.world();
        const one = await world.publish("One", "first");
        await world.sync();
        world.repository.repo.pull();
        world.repository.repo.commit({ "code.txt": `${how}\n` });
        world.merge(how);
        if (isDeleted) world.deleteBranch();

        assert.equal(await world.sync(), "done");

        assert.deepEqual([(await world.state()).syncedSkills, await world.versions(one.id)], [1, 1]);
        assert.equal((await world.proposal()).state, "none");
        await world.assertStill();
        await world.publish("One", "second");
        assert.equal(await world.sync(), "done");
        assert.deepEqual(
          world.pulls().map(({ state }) => state),
          ["closed", "open"],
        );
        assert.equal(world.git("merge-base", "main", ourBranch), world.tip("main"));
        assert.deepEqual((await world.proposal()).number, 2);
        assert.deepEqual([await world.versions(one.id), await world.conflicts()], [2, 0]);
      });

  it("stays ahead if an older proposal is merged", async () => {
    const world = await inStep(ground, "One");
    const { id } = await world.publish("One", "two");
    await world.publish("New", "two");
    await world.sync();
    world.merge("squash");
    await world.publish("One", "three");
    await world.publish("New", "three");

    assert.equal(await world.sync(), "done");

    assert.match(await world.textOf(id), /three/);
    assert.deepEqual([await world.versions(id), await world.conflicts()], [3, 0]);
    assert.match(world.show("main", skillFile("one")), /two/);
    assert.match(world.show(ourBranch, skillFile("one")), /three/);
    assert.deepEqual((await world.proposal()).number, 3);
    await world.assertStill();
    world.merge("merge");
    assert.equal(await world.sync(), "done");
    assert.equal((await world.proposal()).state, "none");
    assert.deepEqual(await ground.service.app.storage.syncProposed.listOf(world.id), []);
    world.on("main", ({ git }) => git("revert", "-m", "1", "--no-edit", "HEAD"));
    assert.equal(await world.sync(), "done");
    assert.match(await world.textOf(id), /two/, "taking a proposal back afterwards is an edit");
    assert.deepEqual([await world.versions(id), await world.conflicts()], [4, 0]);
  });

  it("proposes the rest if a part of it is merged", async () => {
    const world = await ground.world();
    await world.publish("One", "first");
    await world.publish("Two", "first");
    await world.sync();
    world.on("main", ({ git }) => {
      git("checkout", `origin/${ourBranch}`, "--", "skills/one");
      git("commit", "-q", "-m", "one is enough");
    });

    assert.equal(await world.sync(), "done");

    assert.equal((await world.state()).syncedSkills, 1);
    assert.deepEqual(
      [world.pulls().length, world.pulls()[0]!.title, (await world.proposal()).skills],
      [1, "Sync skills/two", 1],
    );
    assert.equal(world.git("merge-base", "main", ourBranch), world.tip("main"));
    await world.assertStill();
  });

  it("proposes moves and removals, and recognizes them whichever part is merged first", async () => {
    const world = await inStep(ground, "Mover", "Goner");
    const skills = await world.call<{ id: string; slug: string }[]>(
      "GET",
      `/api/skills?tenant_id=${world.org.id}&limit=10`,
    );
    const idOf = (slug: string) => skills.find((skill) => skill.slug === slug)!.id;
    await world.call("POST", `/api/skills/${idOf("mover")}/move`, { folder: "ops", createFolders: true });
    await world.call("DELETE", `/api/skills/${idOf("goner")}`);
    await world.service.settled();

    assert.equal(await world.sync(), "done");

    assert.deepEqual(world.paths(), ["code.txt", skillFile("ops/mover")]);
    assert.match(
      world.pulls()[1]!.body,
      /`skills\/goner` is removed\n- `skills\/mover` becomes `skills\/ops\/mover`/,
    );
    assert.equal((await world.state()).syncedSkills, 2);
    await world.assertStill();
    world.on("main", ({ git }) => {
      git("checkout", `origin/${ourBranch}`, "--", "skills/ops");
      git("commit", "-q", "-m", "the new place, and the old one");
    });
    assert.equal(await world.sync(), "done");
    assert.deepEqual(world.paths(), ["code.txt", skillFile("ops/mover")]);
    world.merge("squash");
    assert.equal(await world.sync(), "done");
    assert.deepEqual(world.paths("main"), ["code.txt", skillFile("ops/mover")]);
    assert.deepEqual([(await world.proposal()).state, (await world.state()).syncedSkills], ["none", 1]);
    const left = await world.call<{ slug: string }[]>(
      "GET",
      `/api/skills?tenant_id=${world.org.id}&limit=10`,
    );
    assert.deepEqual(
      left.map(({ slug }) => slug),
      ["mover"],
    );
    await world.assertStill();
  });

  it("proposes the removal of a new skill that was deleted here while it was merged there", async () => {
    const world = await ground.world();
    const one = await world.publish("One", "first");
    await world.sync();
    world.merge();
    await world.call("DELETE", `/api/skills/${one.id}`);

    assert.equal(await world.sync(), "done");

    assert.deepEqual(world.paths(), ["code.txt"]);
    assert.equal(world.pulls().at(-1)!.title, "Remove skills/one");
    assert.deepEqual(await world.call("GET", `/api/skills?tenant_id=${world.org.id}&limit=10`), []);
    await world.assertStill();
  });

  it("restores what the repository deleted or moved with a full sync, and keeps proposing it", async () => {
    const world = await inStep(ground, "One", "Two");
    world.on("main", ({ git }) => {
      git("rm", "-q", "-r", "skills/one");
      git("mv", "skills/two", "skills/three");
      git("commit", "-q", "-m", "less");
    });
    assert.equal(await world.sync(), "done");
    assert.equal((await world.proposal()).state, "none");

    assert.equal(await world.sync({ full: true }), "done");

    assert.deepEqual(world.paths(), ["code.txt", skillFile("one"), skillFile("two")]);
    await world.publish("More", "first");
    assert.equal(await world.sync(), "done");
    assert.deepEqual(world.paths(), ["code.txt", skillFile("more"), skillFile("one"), skillFile("two")]);
    world.merge();
    assert.equal(await world.sync(), "done");
    assert.deepEqual([(await world.proposal()).state, (await world.state()).syncedSkills], ["none", 3]);
    await world.assertStill();
  });

  it("closes the request when nothing is left of it, and opens another one for the next change", async () => {
    const world = await inStep(ground, "One");
    const { id } = await world.publish("One", "two");
    await world.sync();
    const tip = world.tip();
    await world.call("POST", `/api/skills/${id}/revert`, { version: 1 });
    await world.service.settled();

    assert.equal(await world.sync(), "done");

    assert.deepEqual(
      [world.pulls()[1]!.state, (await world.proposal()).state, (await world.proposal()).number],
      ["closed", "none", null],
    );
    assert.equal(world.tip(), tip);
    await world.assertStill();
    await world.publish("One", "three");
    await world.sync();
    assert.deepEqual([world.pulls().length, world.pulls()[2]!.state], [3, "open"]);
    assert.equal(world.git("merge-base", tip!, ourBranch), tip);
  });
});
