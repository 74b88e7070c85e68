/** Pull-request mode: edits on either branch, closed requests, failures, and the change of the mode. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { secretScanningHook } from "../support/git-host.ts";
import { inStep, ourBranch, skillFile, startGround, type Ground } from "../support/sync/proposals.ts";

let ground: Ground;
before(async () => {
  ground = await startGround();
});
after(() => ground.close());

const edited = (text: string, words: string) => text.replace(/\n\n[^\n]*$/, `\n\n${words}\n`);

describe("an edit in the repository", () => {
  it("of the connected branch is imported, and is a conflict if something else was proposed", async () => {
    const world = await inStep(ground, "One", "Two");
    const one = await world.publish("One", "ours");
    world.on("main", ({ read, write }) =>
      write({
        [skillFile("one")]: edited(read(skillFile("one")), "theirs"),
        "skills/new/SKILL.md": "# New\n",
      }),
    );

    await world.sync();
    assert.match(await world.textOf(one.id), /theirs/);
    assert.deepEqual([await world.versions(one.id), await world.conflicts()], [3, 1]);

    const two = await world.publish("Two", "ours");
    await world.sync();
    world.on("main", ({ read, write }) =>
      write({ [skillFile("two")]: edited(read(skillFile("two")), "theirs") }),
    );
    await world.sync();
    assert.match(await world.textOf(two.id), /theirs/);
    assert.equal(await world.conflicts(), 2, "what is only proposed was not before whoever edits the branch");
    world.merge();
    assert.equal(await world.sync(), "done");
    assert.deepEqual([(await world.proposal()).state, (await world.state()).syncedSkills], ["none", 3]);
    await world.assertStill();
  });

  for (const how of ["merge", "squash"] as const)
    it(`of the proposal is kept, and imported by a ${how} without a conflict`, async () => {
      const world = await inStep(ground, "One", "Two");
      const one = await world.publish("One", "ours");
      await world.publish("New", "ours");
      await world.sync();
      const theirs = world.on(ourBranch, ({ read, write }) =>
        write({
          [skillFile("one")]: edited(read(skillFile("one")), "ours, reviewed"),
          [skillFile("new")]: edited(read(skillFile("new")), "ours, reviewed"),
        }),
      );
      await world.publish("Two", "later");

      assert.equal(await world.sync(), "done");

      assert.deepEqual([world.tip(), (await world.proposal()).state], [theirs, "edited"]);
      assert.match((await world.proposal()).message, /left alone/);
      assert.match(await world.textOf(one.id), /ours\n/);
      world.on("main", ({ write }) => write({ "skills/side/SKILL.md": "# Side\n" }));
      await world.sync();
      assert.equal((await world.state()).syncedSkills, 3, "imports go on");
      assert.equal(world.tip(), theirs);
      world.merge(how);
      assert.equal(await world.sync(), "done");
      assert.match(await world.textOf(one.id), /ours, reviewed/);
      assert.deepEqual([await world.versions(one.id), await world.conflicts()], [3, 0]);
      assert.deepEqual([world.pulls().length, (await world.proposal()).state], [3, "open"]);
      assert.match(world.show(ourBranch, skillFile("two")), /later/);
      assert.match(world.show(ourBranch, skillFile("one")), /ours, reviewed/);
      await world.assertStill();
    });

  it("of the proposal stays in the branch's history when the request is closed", async () => {
    const world = await inStep(ground, "One");
    await world.publish("One", "ours");
    await world.sync();
    const theirs = world.on(ourBranch, ({ write }) => write({ [skillFile("one")]: "# No\n" }));
    await world.sync();
    world.pulls()[1]!.state = "closed";

    await world.sync();
    assert.deepEqual([world.tip(), (await world.proposal()).state], [theirs, "closed"]);

    await world.publish("One", "ours, better");
    assert.equal(await world.sync(), "done");
    assert.match(world.show(ourBranch, skillFile("one")), /ours, better/);
    assert.equal(world.git("merge-base", ourBranch, theirs), theirs);
    assert.deepEqual([world.pulls().length, (await world.proposal()).number], [3, 3]);
    await world.assertStill();
  });

  it("that reverts a part of the proposal is kept as well", async () => {
    const world = await ground.world();
    await world.publish("One", "first");
    await world.publish("Two", "first");
    await world.sync();
    const theirs = world.on(ourBranch, ({ write }) => write({ "skills/two": null }));

    await world.sync();
    assert.deepEqual([world.tip(), (await world.proposal()).state], [theirs, "edited"]);

    world.merge();
    assert.equal(await world.sync(), "done");
    assert.deepEqual([world.pulls().length, world.pulls()[1]!.title], [2, "Sync skills/two"]);
  });

  it("that only updates the proposal from the connected branch does not block it", async () => {
    const world = await inStep(ground, "One");
    await world.publish("One", "ours");
    await world.sync();
    world.repository.repo.pull();
    world.on("main", ({ write }) => write({ "code.txt": "more\n", "skills/new/SKILL.md": "# New\n" }));
    const merged = world.on(ourBranch, ({ git }) => git("merge", "-q", "--no-edit", "origin/main"));
    world.on("main", ({ write }) => write({ "code.txt": "even more\n" }));

    assert.equal(await world.sync(), "done");

    assert.equal((await world.proposal()).state, "open");
    assert.equal(world.git("merge-base", ourBranch, merged), merged);
    assert.equal(world.git("diff", "--name-only", "main", ourBranch, "--", ".", ":!skills"), "");
    await world.assertStill();
  });
});

describe("a request that a person closes", () => {
  it("stays closed until something else is proposed, or a sync is run by a person", async () => {
    const world = await ground.world();
    await world.publish("One", "first");
    await world.sync();
    world.pulls()[0]!.state = "closed";

    await world.sync();
    assert.deepEqual([world.pulls().length, (await world.proposal()).state], [1, "closed"]);
    assert.equal((await world.proposal()).number, 1);
    world.repository.repo.commit({ "code.txt": "more\n" });
    await world.assertStill();

    await world.publish("One", "second");
    await world.sync();
    assert.deepEqual([world.pulls().length, (await world.proposal()).state], [2, "open"]);
    world.pulls()[1]!.state = "closed";
    await world.sync({ full: true });
    assert.deepEqual([world.pulls().length, (await world.proposal()).number], [3, 3]);
  });

  it("and opens again is continued", async () => {
    const world = await ground.world();
    await world.publish("One", "first");
    await world.sync();
    const pull = world.pulls()[0]!;
    pull.state = "closed";
    await world.sync();
    pull.state = "open";
    await world.publish("One", "second");

    assert.equal(await world.sync(), "done");

    assert.deepEqual([world.pulls().length, pull.state, pull.sha !== undefined], [1, "open", true]);
    assert.equal((await world.proposal()).state, "open");
    assert.match(pull.body, /1\.0\.1/);
  });

  it("by deleting its branch counts as closed, and the branch is created again for the next", async () => {
    const world = await ground.world();
    await world.publish("One", "first");
    await world.sync();
    world.deleteBranch();

    await world.sync();
    assert.deepEqual([world.tip(), (await world.proposal()).state], [undefined, "closed"]);

    await world.publish("One", "second");
    await world.sync();
    assert.equal(world.git("log", "-1", "--format=%P", ourBranch), world.tip("main"));
    assert.deepEqual([world.pulls().length, (await world.proposal()).state], [2, "open"]);
    await world.assertStill();
  });
});

describe("a failure of a proposal", () => {
  it("for lack of a permission is reported with its name, and imports continue", async () => {
    const world = await ground.world({ by: "app" });
    world.repository.allowsPulls = false;
    await world.publish("One", "first");
    world.on("main", ({ write }) => write({ "skills/new/SKILL.md": "# New\n" }));

    assert.equal(await world.sync(), "blocked");

    const { connection, proposal } = await world.state();
    assert.deepEqual([connection?.problem?.code, proposal?.state], ["pull_requests_denied", "branch"]);
    assert.match(connection!.problem!.message, /"Pull requests: read and write"/);
    assert.ok(world.paths().includes(skillFile("one")));
    assert.equal((await world.state()).syncedSkills, 1);
    world.repository.allowsPulls = true;
    assert.equal(await world.sync(), "done");
    assert.deepEqual([world.pulls().length, (await world.proposal()).state], [1, "open"]);
    await world.assertStill();
  });

  it("for one skill leaves the others", async () => {
    const world = await ground.world();
    world.repository.repo.hook("pre-receive", secretScanningHook);
    await world.publish("Clean", "first");
    await world.publish("Leaky", "SECRET-TOKEN");

    assert.equal(await world.sync(), "done");

    assert.deepEqual(world.paths(), ["code.txt", skillFile("clean")]);
    assert.deepEqual((await world.lastRun()).refusals[0]?.path, "skills/leaky");
    assert.equal((await world.proposal()).skills, 1);
    await world.assertStill();
  });

  it("in an empty repository is reported, until the repository has a branch", async () => {
    const world = await ground.world({ files: {} });
    await world.publish("One", "first");

    assert.equal(await world.sync(), "blocked");
    assert.equal((await world.state()).connection?.problem?.code, "branch_missing");

    world.repository.repo.commit({ "code.txt": "first\n" });
    assert.equal(await world.sync(), "done");
    assert.equal(world.pulls().length, 1);
  });
});

describe("the mode of a connection", () => {
  it("can change from pushing to proposing and back, which closes the open request", async () => {
    const world = await ground.world();
    const base = `/api/tenants/${world.org.id}/repo-sync`;
    await world.publish("One", "first");
    await world.sync();

    const changed = await world.call<{ mode: string; pending: boolean }>("PATCH", base, { mode: "push" });
    assert.deepEqual([changed.mode, changed.pending], ["push", true]);
    assert.equal(await world.sync(), "done");

    assert.deepEqual(world.paths("main"), ["code.txt", skillFile("one")]);
    assert.equal(world.pulls()[0]!.state, "closed");
    assert.equal((await world.state()).proposal, null);
    const main = world.tip("main");
    await world.call("PATCH", base, { mode: "pull_request" });
    await world.call("PATCH", base, { mode: "pull_request" });
    await world.publish("One", "second");
    assert.equal(await world.sync(), "done");
    assert.deepEqual([world.tip("main"), world.pulls().length], [main, 2]);
    assert.match(world.show(ourBranch, skillFile("one")), /second/);
    const { entries } = await world.call<{ entries: { metadata: { changes: unknown } }[] }>(
      "GET",
      `/api/tenants/${world.org.id}/audit-log?action=repohost_sync.update`,
    );
    assert.deepEqual(
      entries.map(({ metadata }) => metadata.changes),
      [{ mode: { from: "push", to: "pull_request" } }, { mode: { from: "pull_request", to: "push" } }],
    );
  });
});
