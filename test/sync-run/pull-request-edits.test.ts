/** Pull-request mode: edits on either branch, closed requests, failures, and the change of the mode. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { secretScanningHook } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { inStep, ourBranch, skillFile, startProposalEnvironment } from "../support/sync/proposals.ts";

const environment = await closedAfter(startProposalEnvironment());

const edited = (text: string, words: string) => text.replace(/\n\n[^\n]*$/, `\n\n${words}\n`);

describe("an edit in the repository", () => {
  it("of the connected branch is imported, and is a conflict if something else was proposed", async () => {
    const fixture = await inStep(environment, "One", "Two");
    const one = await fixture.publish("One", "ours");
    fixture.on("main", ({ read, write }) =>
      write({
        [skillFile("one")]: edited(read(skillFile("one")), "theirs"),
        "skills/new/SKILL.md": "# New\n",
      }),
    );

    await fixture.sync();
    assert.match(await fixture.textOf(one.id), /theirs/);
    assert.deepEqual([await fixture.versions(one.id), await fixture.conflicts()], [3, 1]);

    const two = await fixture.publish("Two", "ours");
    await fixture.sync();
    fixture.on("main", ({ read, write }) =>
      write({ [skillFile("two")]: edited(read(skillFile("two")), "theirs") }),
    );
    await fixture.sync();
    assert.match(await fixture.textOf(two.id), /theirs/);
    assert.equal(await fixture.conflicts(), 2, "an editor of the branch has not seen what is only proposed");
    fixture.merge();
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual([(await fixture.proposal()).state, (await fixture.state()).syncedSkills], ["none", 3]);
    await fixture.assertStill();
  });

  for (const how of ["merge", "squash"] as const)
    it(`of the proposal is kept, and imported by a ${how} without a conflict`, async () => {
      const fixture = await inStep(environment, "One", "Two");
      const one = await fixture.publish("One", "ours");
      await fixture.publish("New", "ours");
      await fixture.sync();
      const theirs = fixture.on(ourBranch, ({ read, write }) =>
        write({
          [skillFile("one")]: edited(read(skillFile("one")), "ours, reviewed"),
          [skillFile("new")]: edited(read(skillFile("new")), "ours, reviewed"),
        }),
      );
      await fixture.publish("Two", "later");

      assert.equal(await fixture.sync(), "done");

      assert.deepEqual([fixture.tip(), (await fixture.proposal()).state], [theirs, "edited"]);
      assert.match((await fixture.proposal()).message, /is not changed until/);
      assert.match(await fixture.textOf(one.id), /ours\n/);
      fixture.on("main", ({ write }) => write({ "skills/side/SKILL.md": "# Side\n" }));
      await fixture.sync();
      assert.equal((await fixture.state()).syncedSkills, 3, "imports go on");
      assert.equal(fixture.tip(), theirs);
      fixture.merge(how);
      assert.equal(await fixture.sync(), "done");
      assert.match(await fixture.textOf(one.id), /ours, reviewed/);
      assert.deepEqual([await fixture.versions(one.id), await fixture.conflicts()], [3, 0]);
      assert.deepEqual([fixture.pulls().length, (await fixture.proposal()).state], [3, "open"]);
      assert.match(fixture.show(ourBranch, skillFile("two")), /later/);
      assert.match(fixture.show(ourBranch, skillFile("one")), /ours, reviewed/);
      await fixture.assertStill();
    });

  it("of the proposal stays in the branch's history when the request is closed", async () => {
    const fixture = await inStep(environment, "One");
    await fixture.publish("One", "ours");
    await fixture.sync();
    const theirs = fixture.on(ourBranch, ({ write }) => write({ [skillFile("one")]: "# No\n" }));
    await fixture.sync();
    fixture.pulls()[1]!.state = "closed";

    await fixture.sync();
    assert.deepEqual([fixture.tip(), (await fixture.proposal()).state], [theirs, "closed"]);

    await fixture.publish("One", "ours, better");
    assert.equal(await fixture.sync(), "done");
    assert.match(fixture.show(ourBranch, skillFile("one")), /ours, better/);
    assert.equal(fixture.git("merge-base", ourBranch, theirs), theirs);
    assert.deepEqual([fixture.pulls().length, (await fixture.proposal()).number], [3, 3]);
    await fixture.assertStill();
  });

  it("that reverts a part of the proposal is kept as well", async () => {
    const fixture = await environment.newFixture();
    await fixture.publish("One", "first");
    await fixture.publish("Two", "first");
    await fixture.sync();
    const theirs = fixture.on(ourBranch, ({ write }) => write({ "skills/two": null }));

    await fixture.sync();
    assert.deepEqual([fixture.tip(), (await fixture.proposal()).state], [theirs, "edited"]);

    fixture.merge();
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual([fixture.pulls().length, fixture.pulls()[1]!.title], [2, "Sync skills/two"]);
  });

  it("that only updates the proposal from the connected branch does not block it", async () => {
    const fixture = await inStep(environment, "One");
    await fixture.publish("One", "ours");
    await fixture.sync();
    fixture.repository.repo.pull();
    fixture.on("main", ({ write }) => write({ "code.txt": "more\n", "skills/new/SKILL.md": "# New\n" }));
    const merged = fixture.on(ourBranch, ({ git }) => git("merge", "-q", "--no-edit", "origin/main"));
    fixture.on("main", ({ write }) => write({ "code.txt": "even more\n" }));

    assert.equal(await fixture.sync(), "done");

    assert.equal((await fixture.proposal()).state, "open");
    assert.equal(fixture.git("merge-base", ourBranch, merged), merged);
    assert.equal(fixture.git("diff", "--name-only", "main", ourBranch, "--", ".", ":!skills"), "");
    await fixture.assertStill();
  });
});

describe("a request that a person closes", () => {
  it("stays closed until something else is proposed, or a sync is run by a person", async () => {
    const fixture = await environment.newFixture();
    await fixture.publish("One", "first");
    await fixture.sync();
    fixture.pulls()[0]!.state = "closed";

    await fixture.sync();
    assert.deepEqual([fixture.pulls().length, (await fixture.proposal()).state], [1, "closed"]);
    assert.equal((await fixture.proposal()).number, 1);
    fixture.repository.repo.commit({ "code.txt": "more\n" });
    await fixture.assertStill();

    await fixture.publish("One", "second");
    await fixture.sync();
    assert.deepEqual([fixture.pulls().length, (await fixture.proposal()).state], [2, "open"]);
    fixture.pulls()[1]!.state = "closed";
    await fixture.sync({ full: true });
    assert.deepEqual([fixture.pulls().length, (await fixture.proposal()).number], [3, 3]);
  });

  it("and opens again is continued", async () => {
    const fixture = await environment.newFixture();
    await fixture.publish("One", "first");
    await fixture.sync();
    const pull = fixture.pulls()[0]!;
    pull.state = "closed";
    await fixture.sync();
    pull.state = "open";
    await fixture.publish("One", "second");

    assert.equal(await fixture.sync(), "done");

    assert.deepEqual([fixture.pulls().length, pull.state, pull.sha !== undefined], [1, "open", true]);
    assert.equal((await fixture.proposal()).state, "open");
    assert.match(pull.body, /1\.0\.1/);
  });

  it("by deleting its branch counts as closed, and the branch is created again for the next", async () => {
    const fixture = await environment.newFixture();
    await fixture.publish("One", "first");
    await fixture.sync();
    fixture.deleteBranch();

    await fixture.sync();
    assert.deepEqual([fixture.tip(), (await fixture.proposal()).state], [undefined, "closed"]);

    await fixture.publish("One", "second");
    await fixture.sync();
    assert.equal(fixture.git("log", "-1", "--format=%P", ourBranch), fixture.tip("main"));
    assert.deepEqual([fixture.pulls().length, (await fixture.proposal()).state], [2, "open"]);
    await fixture.assertStill();
  });
});

describe("a failure of a proposal", () => {
  it("for lack of a permission is reported with its name, and imports continue", async () => {
    const fixture = await environment.newFixture({ by: "app" });
    fixture.repository.allowsPulls = false;
    await fixture.publish("One", "first");
    fixture.on("main", ({ write }) => write({ "skills/new/SKILL.md": "# New\n" }));

    assert.equal(await fixture.sync(), "blocked");

    const { connection, proposal } = await fixture.state();
    assert.deepEqual([connection?.problem?.code, proposal?.state], ["pull_requests_denied", "branch"]);
    assert.match(connection!.problem!.message, /"Pull requests: read and write"/);
    assert.ok(fixture.paths().includes(skillFile("one")));
    assert.equal((await fixture.state()).syncedSkills, 1);
    fixture.repository.allowsPulls = true;
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual([fixture.pulls().length, (await fixture.proposal()).state], [1, "open"]);
    await fixture.assertStill();
  });

  it("for one skill leaves the others", async () => {
    const fixture = await environment.newFixture();
    fixture.repository.repo.hook("pre-receive", secretScanningHook);
    await fixture.publish("Clean", "first");
    await fixture.publish("Leaky", "SECRET-TOKEN");

    assert.equal(await fixture.sync(), "done");

    assert.deepEqual(fixture.paths(), ["code.txt", skillFile("clean")]);
    assert.deepEqual((await fixture.lastRun()).refusals[0]?.path, "skills/leaky");
    assert.equal((await fixture.proposal()).skills, 1);
    await fixture.assertStill();
  });

  it("in an empty repository is reported, until the repository has a branch", async () => {
    const fixture = await environment.newFixture({ files: {} });
    await fixture.publish("One", "first");

    assert.equal(await fixture.sync(), "blocked");
    assert.equal((await fixture.state()).connection?.problem?.code, "branch_missing");

    fixture.repository.repo.commit({ "code.txt": "first\n" });
    assert.equal(await fixture.sync(), "done");
    assert.equal(fixture.pulls().length, 1);
  });
});

describe("the mode of a connection", () => {
  it("can change from pushing to proposing and back, which closes the open request", async () => {
    const fixture = await environment.newFixture();
    const base = `/api/tenants/${fixture.org.id}/repo-sync`;
    await fixture.publish("One", "first");
    await fixture.sync();

    const changed = await fixture.call<{ mode: string; pending: boolean }>("PATCH", base, { mode: "push" });
    assert.deepEqual([changed.mode, changed.pending], ["push", true]);
    assert.equal(await fixture.sync(), "done");

    assert.deepEqual(fixture.paths("main"), ["code.txt", skillFile("one")]);
    assert.equal(fixture.pulls()[0]!.state, "closed");
    assert.equal((await fixture.state()).proposal, null);
    const main = fixture.tip("main");
    await fixture.call("PATCH", base, { mode: "pull_request" });
    await fixture.call("PATCH", base, { mode: "pull_request" });
    await fixture.publish("One", "second");
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual([fixture.tip("main"), fixture.pulls().length], [main, 2]);
    assert.match(fixture.show(ourBranch, skillFile("one")), /second/);
    const { entries } = await fixture.call<{ entries: { metadata: { changes: unknown } }[] }>(
      "GET",
      `/api/tenants/${fixture.org.id}/audit-log?action=repohost_sync.update`,
    );
    assert.deepEqual(
      entries.map(({ metadata }) => metadata.changes),
      [{ mode: { from: "push", to: "pull_request" } }, { mode: { from: "pull_request", to: "push" } }],
    );
  });
});
