/**
 * Unusual content of repositories, over real smart HTTP: what can't be imported is reported, and affects nothing else.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { openHost } from "../../src/sync/connection/open-host.ts";
import { runSync } from "../../src/sync/run/run-sync.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { runGit, secretScanningHook } from "../support/host/git-host.ts";
import { feedGit } from "../support/native-git.ts";
import { closedAfter } from "../support/set-up.ts";
import { hourMs, edited, startHosted } from "../support/sync/hosted.ts";

const hosted = await closedAfter(startHosted());

describe("a repository", () => {
  it("in which skills is a file is reported, unchanged, and written to once the file is gone", async () => {
    const customer = await hosted.connected({ skills: "a list of skills\n" });
    await hosted.publish(customer, "Patient", "one");
    await hosted.run(customer);
    await hosted.assertReported(customer, "blocked", "skills_blocked");
    assert.deepEqual(customer.repository.paths(), ["skills"]);

    customer.repository.commit({ skills: null, "list.txt": "a list of skills\n" });
    await hosted.wait(customer, 10 * 60_000);

    await hosted.assertInStep(customer);
    assert.ok(customer.repository.paths().includes("skills/patient/SKILL.md"));
    assert.equal(customer.repository.show("list.txt"), "a list of skills");
  });

  it("whose branch is missing is reported, never treated as empty, and continued when the branch is back", async () => {
    const customer = await hosted.connected();
    await hosted.publish(customer, "Steady", "one");
    await hosted.run(customer);
    const tip = customer.repository.head()!;
    runGit(customer.repository.directory, "branch", "-m", "main", "elsewhere");
    await hosted.publish(customer, "Steady", "two");

    await hosted.run(customer);

    await hosted.assertReported(customer, "blocked", "branch_missing");
    assert.equal(customer.repository.head("elsewhere"), tip);
    runGit(customer.repository.directory, "branch", "-m", "elsewhere", "main");
    await hosted.wait(customer, 2 * hourMs);
    await hosted.assertInStep(customer);
    assert.match(customer.repository.show("skills/steady/SKILL.md"), /two/);
  });

  it("whose last branch was deleted is reported, and gets a branch again only from a sync run by a person", async () => {
    const customer = await hosted.connected();
    await hosted.publish(customer, "Erased", "one");
    await hosted.run(customer);
    runGit(customer.repository.directory, "update-ref", "-d", "refs/heads/main");
    await hosted.publish(customer, "Erased", "two");
    const runByHand = async () => {
      await hosted.service.call("POST", `${customer.base}/run`, { token: customer.owner.token });
      await hosted.run(customer);
    };

    // Running a sync before the loss is reported is not a request for a new branch.
    await runByHand();
    await hosted.assertReported(customer, "blocked", "branch_missing");
    await hosted.publish(customer, "Erased", "three");
    await hosted.wait(customer, 3 * hourMs);
    await hosted.assertReported(customer, "blocked", "branch_missing");
    assert.equal(runGit(customer.repository.directory, "for-each-ref"), "");

    await runByHand();
    await hosted.assertInStep(customer);
    assert.match(customer.repository.show("skills/erased/SKILL.md"), /three/);
  });

  it("whose last branch was deleted gets one by a retry of the sync that a person ran, and by no later sync", async () => {
    const customer = await hosted.connected();
    await hosted.publish(customer, "Retried", "one");
    await hosted.run(customer);
    const deleteBranch = () => runGit(customer.repository.directory, "update-ref", "-d", "refs/heads/main");
    deleteBranch();
    await hosted.publish(customer, "Retried", "two");
    await hosted.run(customer);
    await hosted.assertReported(customer, "blocked", "branch_missing");

    await hosted.host.trouble({ on: "fetch-refs", answer: { status: 503 } });
    await hosted.service.call("POST", `${customer.base}/run`, { token: customer.owner.token });
    await hosted.run(customer);
    await hosted.assertReported(customer, "failing", "remote_failed");
    await hosted.host.calm();
    await hosted.wait(customer, 2 * hourMs);

    await hosted.assertInStep(customer);
    assert.match(customer.repository.show("skills/retried/SKILL.md"), /two/);
    deleteBranch();
    await hosted.publish(customer, "Retried", "three");
    await hosted.run(customer);
    await hosted.assertReported(customer, "blocked", "branch_missing");
  });

  it("whose history was rewritten keeps edits of both sides", async () => {
    const customer = await hosted.connected();
    await hosted.publish(customer, "Held", "one");
    await hosted.publish(customer, "Moved", "one");
    await hosted.run(customer);
    customer.repository.pull();
    const { copy } = customer.repository;
    runGit(copy, "checkout", "-q", "--orphan", "anew");
    runGit(copy, "commit", "-q", "-m", "a new beginning");
    runGit(copy, "push", "-q", "--force", "origin", "HEAD:refs/heads/main");
    customer.repository.commit({ "skills/moved/SKILL.md": edited("moved", "after the rewrite") });
    await hosted.publish(customer, "Held", "two");

    await hosted.wait(customer, 10 * 60_000);

    await hosted.assertInStep(customer);
    assert.match(await hosted.contentOf(customer, "moved"), /after the rewrite/);
    assert.match(customer.repository.show("skills/held/SKILL.md"), /two/);
    assert.match(runGit(customer.repository.directory, "log", "--format=%s", "main"), /a new beginning$/);
  });

  it("whose branch is pushed again without the commit of the first sync gets it again", async () => {
    const customer = await hosted.connected();
    const { repository } = customer;
    const texts = {
      bare: "# Bare\n\nwithout frontmatter\n",
      named: "---\nname: named\n---\n\n# Named\n",
      whole: edited("whole", "one"),
    };
    const files = Object.entries(texts).map(([slug, text]) => [`skills/${slug}/SKILL.md`, text]);
    const pushed = repository.commit(Object.fromEntries(files));
    await hosted.run(customer);
    repository.pull();
    assert.match(repository.show("skills/bare/.svc.json"), /"semver": "1\.0\.0"/);

    runGit(repository.copy, "push", "-q", "--force", "origin", `${pushed}:refs/heads/main`);
    await hosted.wait(customer, 10 * 60_000);

    await hosted.assertInStep(customer);
    for (const slug of Object.keys(texts))
      assert.match(repository.show(`skills/${slug}/.svc.json`), /"semver": "1\.0\.0"/, slug);
  });

  it("with a long history of large files is fetched by its tip only, and one too large is reported as such", async () => {
    const customer = await hosted.connected();
    const { repository } = customer;
    for (let i = 0; i < 12; i++) repository.commit({ "video.bin": randomBytes(500_000) });
    repository.commit({ "video.bin": null, "skills/small/SKILL.md": edited("small", "one") });
    const maxBytes = 400_000;
    const bounded = async () =>
      runSync(hosted.service.app, customer.id, {
        hostOf: (connection, guard) => openHost(hosted.service.app, connection, guard),
        mirrors: {
          ...hosted.service.app.mirrors,
          open: (of) => {
            const mirror = hosted.service.app.mirrors.open(of);
            return {
              ...mirror,
              fetch: (remote, branch, options) => mirror.fetch(remote, branch, { ...options, maxBytes }),
            };
          },
        },
      });
    assert.equal(await bounded(), "done");
    assert.match(await hosted.contentOf(customer, "small"), /one/);

    repository.pull();
    repository.commit({
      "video.bin": randomBytes(2 * maxBytes),
      "skills/small/SKILL.md": edited("small", "two"),
    });
    await hosted.publish(customer, "Other", "waits");
    assert.equal(await bounded(), "blocked");
    await hosted.assertReported(customer, "blocked", "remote_too_large");
    assert.match((await hosted.state(customer)).connection.problem!.message, new RegExp(`${maxBytes} bytes`));

    repository.commit({ "video.bin": null });
    await hosted.wait(customer, 10 * 60_000);
    await hosted.assertInStep(customer);
    assert.match(await hosted.contentOf(customer, "small"), /two/);
    assert.ok(repository.paths().includes("skills/other/SKILL.md"));
  });

  it("with unusual content is synced except for it, each item is reported, and none is changed", async () => {
    const customer = await hosted.connected();
    await hosted.publish(customer, "Known", "one");
    await hosted.run(customer);
    customer.repository.pull();
    const { copy, directory } = customer.repository;
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
    const blob = (text: string) => feedGit(copy, text, "hash-object", "-w", "--stdin").toString().trim();
    const skill = blob(edited("odd", "one"));
    const entries: [mode: string, path: string, oid: string][] = [
      ["160000", "skills/module", "1".repeat(40)],
      ["120000", "skills/link", blob("../elsewhere")],
      ["100644", "skills/lfs/SKILL.md", skill],
      ["100644", "skills/lfs/art.psd", blob(pointer)],
      ["100644", "skills/back/SKILL.md", skill],
      ["100644", "skills/back/a\\b", blob("x")],
      ["100644", "skills/with-module/SKILL.md", skill],
      ["160000", "skills/with-module/dependency", "2".repeat(40)],
      ["100644", "skills/with-link/SKILL.md", skill],
      ["120000", "skills/with-link/passwd", blob("/etc/passwd")],
      ["120000", "skills/linked/SKILL.md", blob("../known/SKILL.md")],
      ["100644", "skills/deep/SKILL.md", blob(`---\nname: deep\nx: ${"[".repeat(1500)}\n---\none\n`)],
      ["100644", "skills/fine/SKILL.md", skill],
    ];
    for (const [mode, at, oid] of entries)
      runGit(copy, "update-index", "--add", "--cacheinfo", `${mode},${oid},${at}`);
    runGit(copy, "commit", "-q", "-m", "odd things");
    runGit(copy, "push", "-q", "origin", "HEAD:main");

    await hosted.wait(customer, 10 * 60_000);

    const { connection, skillProblems } = await hosted.state(customer);
    assert.equal(connection.status, "active", JSON.stringify(connection.problem));
    assert.deepEqual(
      skillProblems.map(({ path, skillId }) => `${path} ${skillId}`).toSorted(),
      ["back", "deep", "lfs", "link", "linked/SKILL.md", "module", "with-link", "with-module"].map(
        (name) => `skills/${name} null`,
      ),
    );
    for (const { problem } of skillProblems) assert.match(problem.message, /\S.*\.$/s);
    assert.match(await hosted.contentOf(customer, "fine"), /one/);
    const listed = runGit(directory, "ls-tree", "-rz", "main").split("\0");
    for (const [mode, at, oid] of entries.filter(([, file]) => !file.startsWith("skills/fine/")))
      assert.ok(
        listed.some((line) => line.startsWith(`${mode} `) && line.endsWith(` ${oid}\t${at}`)),
        at,
      );

    // Repaired one by one, each is imported then.
    customer.repository.pull();
    runGit(copy, "rm", "-rq", "--cached", "skills/module", "skills/with-module/dependency");
    runGit(
      copy,
      "rm",
      "-rq",
      "skills/link",
      "skills/linked",
      "skills/with-link/passwd",
      "skills/lfs/art.psd",
      "skills/deep",
    );
    runGit(copy, "rm", "-q", "skills/back/a\\\\b");
    customer.repository.commit({});
    await hosted.wait(customer, 10 * 60_000);
    await hosted.assertInStep(customer);
    for (const slug of ["back", "lfs", "with-link", "with-module"])
      assert.match(await hosted.contentOf(customer, slug), /one/);
  });

  it("is synced except for its oddly named directories, and each is reported", async () => {
    const refused = [
      "a\\b",
      "a\tb",
      "a\u007f",
      "a\u0085",
      ".git",
      ".GIT",
      ".git ",
      ".git.",
      ".git::$INDEX_ALLOCATION",
      ".g\u200cit",
      "git~1",
      ".gitmodules",
      "C:",
      "SKILL.md",
      "rule.md",
      ".svc.json",
      ".",
      "..",
      "x".repeat(256),
    ];
    const odd = ["con", "ends. ", "a stream: here", "Fine", "fine", "naïve 漢字"];
    for (const mode of ["push", "pull_request"]) {
      const customer = await hosted.connected();
      await hosted.publish(customer, "Known", "one");
      await hosted.run(customer);
      customer.repository.pull();
      const { copy, directory } = customer.repository;
      const blob = feedGit(copy, edited("odd", "one"), "hash-object", "-w", "--stdin").toString().trim();
      const mktree = (rows: string) => feedGit(copy, rows, "mktree", "-z", "--missing").toString().trim();
      const skill = mktree(`100644 blob ${blob}\tSKILL.md\0`);
      const around = mktree(`040000 tree ${skill}\tinner\0`);
      const rows = runGit(copy, "ls-tree", "-z", "HEAD:skills");
      // As a skill's own directory, and as a folder around one.
      const own = [...refused, ...odd].map((name) => `040000 tree ${skill}\t${name}\0`).join("");
      const outer = [...refused, ...odd].map((name) => `040000 tree ${around}\t${name}\0`).join("");
      const skills = mktree(`${rows}${own}040000 tree ${mktree(outer)}\taround\0`);
      const root = mktree(runGit(copy, "ls-tree", "-z", "HEAD").replace(/\0.*\tskills\0/, "\0"));
      const whole = mktree(`${runGit(copy, "ls-tree", "-z", root)}040000 tree ${skills}\tskills\0`);
      const commit = feedGit(
        copy,
        "odd names",
        "-c",
        "user.name=Remote Author",
        "-c",
        "user.email=g@example.com",
        "commit-tree",
        whole,
        "-p",
        "HEAD",
      )
        .toString()
        .trim();
      runGit(copy, "push", "-q", "origin", `${commit}:refs/heads/main`);
      const patched = await hosted.service.call("PATCH", customer.base, {
        token: customer.owner.token,
        body: { mode },
      });
      assert.equal(patched.status, 200, JSON.stringify(patched.body));

      await hosted.wait(customer, 10 * 60_000);

      const { connection, skillProblems } = await hosted.state(customer);
      assert.equal(connection.status, "active", JSON.stringify(connection.problem));
      const expected = refused.flatMap((name) => [`skills/${name}`, `skills/around/${name}`]);
      assert.deepEqual(
        skillProblems.map(({ path }) => path).toSorted(),
        expected.toSorted(),
        JSON.stringify(skillProblems),
      );
      const found = await hosted.service.app.storage.database.collection<SkillDoc>("skills").countDocuments({
        tenantId: customer.org.id,
      });
      assert.equal(found, 1 + 2 * odd.length, "the others are imported");
      const listed = runGit(directory, "ls-tree", "-z", "main:skills").split("\0");
      for (const name of refused) assert.ok(listed.includes(`040000 tree ${skill}\t${name}`), name);
    }
  });

  it("that names ids of another organization gets nothing of it, and changes nothing there", async () => {
    const [customer, other] = [await hosted.connected(), await hosted.connected()];
    const theirs = await hosted.publish(other, "Secret", "for nobody else");
    await hosted.run(other);
    customer.repository.commit({
      "skills/secret/SKILL.md": edited("secret", "of this customer"),
      "skills/secret/.svc.json": JSON.stringify({ id: theirs, version: 1, visibility: "public" }),
      "skills/again/SKILL.md": edited("again", "of this customer"),
      "skills/again/.svc.json": JSON.stringify({ id: other.id }),
    });

    await hosted.wait(customer, 10 * 60_000);

    await hosted.assertInStep(customer);
    assert.match(await hosted.contentOf(customer, "secret"), /of this customer/);
    assert.match(await hosted.contentOf(other, "secret"), /for nobody else/);
    const { id } = JSON.parse(customer.repository.show("skills/secret/.svc.json")) as { id: string };
    assert.notEqual(id, theirs);
    assert.doesNotMatch(customer.repository.show("skills/README.md"), /nobody else/);
  });
});

describe("a secret that the host rejects", () => {
  it("blocks its own skill only, is named, and ends when it is removed", async () => {
    const customer = await hosted.connected();
    await hosted.publish(customer, "Known", "one");
    await hosted.run(customer);
    customer.repository.hook("pre-receive", secretScanningHook);
    await hosted.publish(customer, "Fresh", "with a SECRET-TOKEN in it");
    await hosted.publish(customer, "Known", "with a SECRET-TOKEN too");
    for (let i = 0; i < 5; i++) await hosted.publish(customer, `Fine ${i}`, "without");

    await hosted.run(customer);

    const { connection, skillProblems } = await hosted.state(customer);
    assert.equal(connection.status, "active", JSON.stringify(connection.problem));
    assert.deepEqual(
      skillProblems.map(({ path, problem }) => `${path} ${problem.code}`).toSorted(),
      ["fresh", "known"].map((name) => `skills/${name} push_rejected`),
    );
    for (const { problem } of skillProblems) assert.match(problem.message, /PUSH PROTECTION/);
    for (let i = 0; i < 5; i++) assert.ok(customer.repository.paths().includes(`skills/fine-${i}/SKILL.md`));
    assert.match(customer.repository.show("skills/known/SKILL.md"), /one/);
    assert.doesNotMatch(customer.repository.show("skills/README.md"), /SECRET/);

    await hosted.publish(customer, "Fresh", "clean");
    await hosted.publish(customer, "Known", "clean");
    await hosted.run(customer);
    await hosted.assertInStep(customer);
    assert.match(customer.repository.show("skills/fresh/SKILL.md"), /clean/);
    assert.match(customer.repository.show("skills/known/SKILL.md"), /clean/);
  });
});
