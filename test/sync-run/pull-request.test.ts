/** Pull-request mode, at a host that has pull requests: what is proposed, and what people may do with it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closedAfter } from "../support/set-up.ts";
import { inStep, ourBranch, skillFile, startProposalEnvironment } from "../support/sync/proposals.ts";

const environment = await closedAfter(startProposalEnvironment());

describe("a connection in pull-request mode", () => {
  it("proposes everything by one request, and leaves the connected branch unchanged", async () => {
    const fixture = await environment.newFixture();
    const main = fixture.tip("main");
    await fixture.publish("One", "hello", { description: "Says `it` @ada." });
    await fixture.publish("Two", "hello", { folder: "ops", createFolders: true });

    assert.equal(await fixture.sync(), "done");

    assert.equal(fixture.tip("main"), main);
    assert.deepEqual(fixture.paths(), ["code.txt", skillFile("one"), skillFile("ops/two")]);
    const [pull, ...others] = fixture.pulls();
    assert.deepEqual(
      [others, pull!.state, pull!.head, pull!.base, pull!.title],
      [[], "open", ourBranch, "main", "Sync 2 skills"],
    );
    assert.match(pull!.body, /^- `skills\/one` `1\.0\.0`\n- `skills\/ops\/two` `1\.0\.0`\n$/m);
    assert.equal(fixture.git("merge-base", "main", ourBranch), main);
    const proposal = await fixture.proposal();
    assert.deepEqual(
      [proposal.state, proposal.number, proposal.branch, proposal.commit, proposal.skills],
      ["open", 1, ourBranch, fixture.tip(), 2],
    );
    assert.ok(proposal.url?.endsWith("/pull/1"));
    const { connection, syncedSkills } = await fixture.state();
    assert.deepEqual(
      [connection?.mode, connection?.status, connection?.lastCommit, syncedSkills],
      ["pull_request", "active", main, 0],
    );
    assert.equal((await fixture.lastRun()).exported, 2);
    await fixture.assertStill();
  });

  it("keeps the one request up to date, and keeps a title that a person has written", async () => {
    const fixture = await environment.newFixture();
    const one = await fixture.publish("One", "first");
    await fixture.sync();
    await fixture.publish("One", "second");
    await fixture.publish("Two", "first");

    assert.equal(await fixture.sync(), "done");

    assert.equal(fixture.pulls().length, 1);
    assert.equal(fixture.pulls()[0]!.title, "Sync 2 skills");
    assert.match(fixture.pulls()[0]!.body, /`skills\/one` `1\.0\.1`/);
    assert.match(fixture.show(ourBranch, skillFile("one")), /second/);
    assert.equal((await fixture.lastRun()).exported, 2);
    await fixture.assertStill();
    fixture.pulls()[0]!.title = "What the others may see";
    await fixture.call("DELETE", `/api/skills/${one.id}`);
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual(fixture.paths(), ["code.txt", skillFile("two")]);
    assert.equal(fixture.pulls()[0]!.title, "What the others may see", "a title by a person stays");
    assert.match(fixture.pulls()[0]!.body, /^- `skills\/two`/m);
    assert.doesNotMatch(fixture.pulls()[0]!.body, /skills\/one/);
    await fixture.assertStill();
  });

  it("pushes nothing if the connected branch changed outside its skills", async () => {
    const fixture = await environment.newFixture();
    await fixture.publish("One", "first");
    await fixture.sync();
    const tip = fixture.tip();
    fixture.repository.repo.commit({ "code.txt": "more\n" });

    assert.equal(await fixture.sync(), "done");

    assert.equal(fixture.tip(), tip);
    await fixture.publish("One", "second");
    await fixture.sync();
    assert.deepEqual(fixture.git("diff", "--name-only", "main", ourBranch).split("\n").toSorted(), [
      "skills/README.md",
      "skills/one/.svc.json",
      skillFile("one"),
    ]);
    assert.equal(fixture.git("log", "-1", "--format=%P", ourBranch), `${tip} ${fixture.tip("main")}`);
  });

  it("proposes marketplace files, is in sync once they are merged, and proposes their removal", async () => {
    const fixture = await inStep(environment, "One");
    const path = `/api/tenants/${fixture.org.id}/repo-sync`;
    const list = ".claude-plugin/marketplace.json";
    await fixture.call("PATCH", path, { marketplace: true });
    assert.equal(await fixture.sync(), "done");
    assert.ok(!fixture.paths("main").includes(list));
    assert.ok(fixture.paths().includes(list));
    assert.equal((await fixture.proposal()).state, "open");
    await fixture.assertStill();
    const tip = fixture.tip();
    fixture.repository.repo.pull();
    fixture.repository.repo.commit({ "code.txt": "more\n" });
    assert.equal(await fixture.sync(), "done");
    assert.equal(fixture.tip(), tip, "a change elsewhere needs no commit");

    fixture.merge("squash");
    assert.equal(await fixture.sync(), "done");
    assert.equal((await fixture.proposal()).state, "none");
    await fixture.assertStill();
    await fixture.publish("One", "two");
    assert.equal(await fixture.sync(), "done");
    assert.match(fixture.show(ourBranch, list), /1\.0\.1/);
    fixture.merge();

    await fixture.call("PATCH", path, { marketplace: false });
    assert.equal(await fixture.sync(), "done");
    assert.ok(!fixture.paths().includes(list));
    fixture.merge();
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual(fixture.paths("main"), ["code.txt", skillFile("one")]);
    await fixture.assertStill();
  });

  for (const how of ["merge", "squash", "rebase"] as const)
    for (const isDeleted of [true, false])
      it(`is in sync after a ${how}, its branch ${isDeleted ? "deleted" : "left"}, and starts a new proposal from there`, async () => {
        const fixture = await environment.newFixture();
        const one = await fixture.publish("One", "first");
        await fixture.sync();
        fixture.repository.repo.pull();
        fixture.repository.repo.commit({ "code.txt": `${how}\n` });
        fixture.merge(how);
        if (isDeleted) fixture.deleteBranch();

        assert.equal(await fixture.sync(), "done");

        assert.deepEqual([(await fixture.state()).syncedSkills, await fixture.versions(one.id)], [1, 1]);
        assert.equal((await fixture.proposal()).state, "none");
        await fixture.assertStill();
        await fixture.publish("One", "second");
        assert.equal(await fixture.sync(), "done");
        assert.deepEqual(
          fixture.pulls().map(({ state }) => state),
          ["closed", "open"],
        );
        assert.equal(fixture.git("merge-base", "main", ourBranch), fixture.tip("main"));
        assert.deepEqual((await fixture.proposal()).number, 2);
        assert.deepEqual([await fixture.versions(one.id), await fixture.conflicts()], [2, 0]);
      });

  it("stays ahead if an older proposal is merged", async () => {
    const fixture = await inStep(environment, "One");
    const { id } = await fixture.publish("One", "two");
    await fixture.publish("New", "two");
    await fixture.sync();
    fixture.merge("squash");
    await fixture.publish("One", "three");
    await fixture.publish("New", "three");

    assert.equal(await fixture.sync(), "done");

    assert.match(await fixture.textOf(id), /three/);
    assert.deepEqual([await fixture.versions(id), await fixture.conflicts()], [3, 0]);
    assert.match(fixture.show("main", skillFile("one")), /two/);
    assert.match(fixture.show(ourBranch, skillFile("one")), /three/);
    assert.deepEqual((await fixture.proposal()).number, 3);
    await fixture.assertStill();
    fixture.merge("merge");
    assert.equal(await fixture.sync(), "done");
    assert.equal((await fixture.proposal()).state, "none");
    assert.deepEqual(await environment.service.app.storage.syncProposed.listOf(fixture.id), []);
    fixture.on("main", ({ git }) => git("revert", "-m", "1", "--no-edit", "HEAD"));
    assert.equal(await fixture.sync(), "done");
    assert.match(await fixture.textOf(id), /two/, "taking a proposal back afterwards is an edit");
    assert.deepEqual([await fixture.versions(id), await fixture.conflicts()], [4, 0]);
  });

  it("proposes the rest if a part of it is merged", async () => {
    const fixture = await environment.newFixture();
    await fixture.publish("One", "first");
    await fixture.publish("Two", "first");
    await fixture.sync();
    fixture.on("main", ({ git }) => {
      git("checkout", `origin/${ourBranch}`, "--", "skills/one");
      git("commit", "-q", "-m", "one is enough");
    });

    assert.equal(await fixture.sync(), "done");

    assert.equal((await fixture.state()).syncedSkills, 1);
    assert.deepEqual(
      [fixture.pulls().length, fixture.pulls()[0]!.title, (await fixture.proposal()).skills],
      [1, "Sync skills/two", 1],
    );
    assert.equal(fixture.git("merge-base", "main", ourBranch), fixture.tip("main"));
    await fixture.assertStill();
  });

  it("proposes moves and removals, and recognizes them whichever part is merged first", async () => {
    const fixture = await inStep(environment, "Mover", "Goner");
    const skills = await fixture.call<{ id: string; slug: string }[]>(
      "GET",
      `/api/skills?tenant_id=${fixture.org.id}&limit=10`,
    );
    const idOf = (slug: string) => skills.find((skill) => skill.slug === slug)!.id;
    await fixture.call("POST", `/api/skills/${idOf("mover")}/move`, { folder: "ops", createFolders: true });
    await fixture.call("DELETE", `/api/skills/${idOf("goner")}`);
    await fixture.service.settled();

    assert.equal(await fixture.sync(), "done");

    assert.deepEqual(fixture.paths(), ["code.txt", skillFile("ops/mover")]);
    assert.match(
      fixture.pulls()[1]!.body,
      /`skills\/goner` is removed\n- `skills\/mover` becomes `skills\/ops\/mover`/,
    );
    assert.equal((await fixture.state()).syncedSkills, 2);
    await fixture.assertStill();
    fixture.on("main", ({ git }) => {
      git("checkout", `origin/${ourBranch}`, "--", "skills/ops");
      git("commit", "-q", "-m", "the new place, and the old one");
    });
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual(fixture.paths(), ["code.txt", skillFile("ops/mover")]);
    fixture.merge("squash");
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual(fixture.paths("main"), ["code.txt", skillFile("ops/mover")]);
    assert.deepEqual([(await fixture.proposal()).state, (await fixture.state()).syncedSkills], ["none", 1]);
    const left = await fixture.call<{ slug: string }[]>(
      "GET",
      `/api/skills?tenant_id=${fixture.org.id}&limit=10`,
    );
    assert.deepEqual(
      left.map(({ slug }) => slug),
      ["mover"],
    );
    await fixture.assertStill();
  });

  it("proposes the removal of a new skill that was deleted here while it was merged there", async () => {
    const fixture = await environment.newFixture();
    const one = await fixture.publish("One", "first");
    await fixture.sync();
    fixture.merge();
    await fixture.call("DELETE", `/api/skills/${one.id}`);

    assert.equal(await fixture.sync(), "done");

    assert.deepEqual(fixture.paths(), ["code.txt"]);
    assert.equal(fixture.pulls().at(-1)!.title, "Remove skills/one");
    assert.deepEqual(await fixture.call("GET", `/api/skills?tenant_id=${fixture.org.id}&limit=10`), []);
    await fixture.assertStill();
  });

  it("restores what the repository deleted or moved with a full sync, and keeps proposing it", async () => {
    const fixture = await inStep(environment, "One", "Two");
    fixture.on("main", ({ git }) => {
      git("rm", "-q", "-r", "skills/one");
      git("mv", "skills/two", "skills/three");
      git("commit", "-q", "-m", "less");
    });
    assert.equal(await fixture.sync(), "done");
    assert.equal((await fixture.proposal()).state, "none");

    assert.equal(await fixture.sync({ full: true }), "done");

    assert.deepEqual(fixture.paths(), ["code.txt", skillFile("one"), skillFile("two")]);
    await fixture.publish("More", "first");
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual(fixture.paths(), ["code.txt", skillFile("more"), skillFile("one"), skillFile("two")]);
    fixture.merge();
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual([(await fixture.proposal()).state, (await fixture.state()).syncedSkills], ["none", 3]);
    await fixture.assertStill();
  });

  it("closes the request when nothing is left of it, and opens another one for the next change", async () => {
    const fixture = await inStep(environment, "One");
    const { id } = await fixture.publish("One", "two");
    await fixture.sync();
    const tip = fixture.tip();
    await fixture.call("POST", `/api/skills/${id}/revert`, { version: 1 });
    await fixture.service.settled();

    assert.equal(await fixture.sync(), "done");

    assert.deepEqual(
      [fixture.pulls()[1]!.state, (await fixture.proposal()).state, (await fixture.proposal()).number],
      ["closed", "none", null],
    );
    assert.equal(fixture.tip(), tip);
    await fixture.assertStill();
    await fixture.publish("One", "three");
    await fixture.sync();
    assert.deepEqual([fixture.pulls().length, fixture.pulls()[2]!.state], [3, "open"]);
    assert.equal(fixture.git("merge-base", tip!, ourBranch), tip);
  });
});
