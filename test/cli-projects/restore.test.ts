/** `svc restore` in one process: what a lock restores, and which locks are rejected. */
import assert from "node:assert/strict";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { kit, makeFixture, type Fixture } from "../cli/fixture.ts";
import { svc } from "../cli/harness.ts";
import { keepContract } from "../support/cli-contract.ts";
import { cloned, install, lockOf, restore, saved, verify } from "./project-fixture.ts";

describe("svc restore", () => {
  it("restores exactly the version of the lock, whatever is current", async (t) => {
    const w = await saved(t);
    await install(w, "kit", "cursor,claude");
    const other = await cloned(t, w);
    other.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    other.skills[0]!.description = "Said otherwise since";
    assert.deepEqual(await verify(other), [
      ["notInstalled", "acme/kit", "claude"],
      ["notInstalled", "acme/kit", "cursor"],
      ["notInstalled", "acme/review", "claude"],
      ["notInstalled", "acme/review", "codex"],
    ]);

    const done = await restore(other);

    assert.deepEqual(done.summary, { restored: 2, upToDate: 0, failed: 0 });
    assert.deepEqual(
      done.skills.map(({ outcome }) => outcome),
      ["installed", "installed"],
    );
    for (const path of [".claude/skills/review/SKILL.md", "AGENTS.md", ".cursor/skills/kit/scripts/run.sh"])
      assert.equal(await other.read(other.project, path), await w.read(w.project, path), path);
    assert.deepEqual(await verify(other), []);
    assert.equal((await other.config()).profiles["default"]!.installed["review"]!.installs[0]!.range, "^1");
  });

  it("needs no service if everything is in place, repairs the rest, and keeps edits", async (t) => {
    const w = await saved(t);
    const env = { SVC_API_URL: "http://127.0.0.1:1" };
    const offline = await svc(["restore", "-o", "json"], { home: w.home, cwd: w.project, env });
    assert.deepEqual(keepContract("restore", offline.data).summary, { restored: 0, upToDate: 1, failed: 0 });

    await rm(join(w.project, ".claude"), { recursive: true });
    assert.deepEqual(await verify(w), [["missing", "review", "claude"]]);
    assert.equal((await restore(w)).skills[0]!.outcome, "repaired");

    await writeFile(
      join(w.project, "AGENTS.md"),
      (await w.read(w.project, "AGENTS.md")).replace("one", "mine"),
    );
    assert.deepEqual(await verify(w), [["edited", "review", "codex"]]);
    const spared = await restore(w);
    assert.deepEqual(
      [spared.skills[0]!.outcome, spared.skills[0]!.skipped[0]?.platform],
      ["partial", "codex"],
    );
    assert.match(await w.read(w.project, "AGENTS.md"), /mine/);
    assert.equal((await restore(w, "--force")).skills[0]!.outcome, "repaired");
    assert.deepEqual(await verify(w), []);
  });

  it("prints a summary for people, and nothing else on stdout", async (t) => {
    const w = await saved(t);
    const other = await cloned(t, w);
    await install(other, "house", "claude", "--no-save");
    const env = { SVC_API_URL: other.apiUrl };
    const run = () => svc(["restore"], { home: other.home, cwd: other.project, env });

    const first = await run();
    const second = await run();

    assert.deepEqual([first.code, second.code], [0, 0]);
    assert.match(
      first.stdout,
      /^installed {2}acme\/review 1\.0\.0\n {2}claude {2}\S+\/review\n {2}codex {2}\S+AGENTS\.md\n$/,
    );
    assert.equal(second.stdout, "up to date  acme/review 1.0.0\n");
    assert.equal(
      second.stderr,
      "warning acme/house is installed here (claude), and svc.lock does not name it\n",
    );
    const refused = await svc(["restore"], { home: other.home, cwd: other.home, env });
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(
      refused.stderr,
      /^error There is no svc\.lock in .*: svc install <ref> -p --save creates it\.$/m,
    );
  });

  it("accepts a subset of the tools, and reports those that the lock does not name", async (t) => {
    const w = await saved(t);
    const other = await cloned(t, w);
    await install(other, "house", "claude", "--no-save");

    const done = await restore(other, "-t", "codex");

    assert.deepEqual(
      done.skills[0]!.installed.map(({ platform }) => platform),
      ["codex"],
    );
    assert.deepEqual(
      done.unlocked.map(({ slug, targets: where }) => [slug, where]),
      [["house", ["claude"]]],
    );
    assert.deepEqual(await verify(other), [
      ["notInstalled", "acme/review", "claude"],
      ["notLocked", "house", "claude"],
    ]);
    const none = await other.run("restore", "-t", "windsurf");
    assert.deepEqual([none.error.code, none.error.details?.["flag"]], ["E_INVALID_ARGUMENT", "--target"]);
  });

  const differences: [manifest: unknown, reasons: string[][]][] = [
    [{ skills: { "acme/review": "^2" } }, [["acme/review", "range"]]],
    [{ skills: { "acme/review": "1.0.1" } }, [["acme/review", "range"]]],
    [{ skills: { "acme/review": "^1", "acme/kit": "latest" } }, [["acme/kit", "missing"]]],
    [{ skills: { "acme/review": { targets: ["claude"] } } }, [["acme/review", "targets"]]],
    [
      { skills: { "acme/review": "*" }, targets: ["claude", "codex", "cursor"] },
      [["acme/review", "targets"]],
    ],
    [
      { skills: { "acme/review": { version: "2", targets: [] } } },
      [
        ["acme/review", "range"],
        ["acme/review", "targets"],
      ],
    ],
  ];
  for (const [manifest, reasons] of differences)
    it(`fails if the lock does not contain ${JSON.stringify(manifest)}`, async (t) => {
      const w = await saved(t);
      await writeFile(join(w.project, "svc.json"), JSON.stringify(manifest));

      const ran = await w.run("restore");

      assert.deepEqual([ran.code, ran.stdout, ran.error.code], [1, "", "E_VERSION_CHANGED"]);
      const changes = ran.error.details?.["changes"] as { skill: string; reason: string; fix: string }[];
      assert.deepEqual(
        changes.map(({ skill, reason }) => [skill, reason]),
        reasons,
      );
      for (const { fix } of changes) assert.match(fix, /^svc install ('?)acme\/\w+(@\S+)?\1 -p -t \S+$/);
      assert.deepEqual((await verify(w)).filter(([kind]) => kind === "manifest").length, reasons.length);
    });

  it("skips what the manifest no longer requests, and a tool that doesn't support the skill", async (t) => {
    const w = await saved(t);
    await install(w, "kit", "claude");
    await writeFile(
      join(w.project, "svc.json"),
      '{"skills": {"acme/kit": {"targets": ["claude", "aider"]}}}',
    );
    const other = await cloned(t, w);

    const done = await restore(other);

    assert.deepEqual(
      done.skills.map(({ skill }) => skill),
      ["acme/kit"],
    );
    assert.match(done.warnings.join(), /still has acme\/review/);
    await other.run("pull");
    assert.deepEqual([...(await lockOf(other)).keys()], ["acme/kit"]);
  });

  it("writes nothing if the service has different bytes for one of the skills", async (t) => {
    const w = await saved(t);
    await install(w, "kit", "claude");
    for (const [i, version] of [{ body: "else\n" }, { files: kit("else") }].entries()) {
      const other = await cloned(t, w);
      Object.assign(other.skills[i === 0 ? 0 : 2]!.versions[0]!, version);

      const ran = await other.run("restore");

      assert.deepEqual([ran.code, ran.stdout, ran.error.code], [1, "", "E_NETWORK"]);
      await assert.rejects(other.read(other.home, ".svc", "config.json"));
      await assert.rejects(other.read(other.project, "AGENTS.md"));
    }
  });

  it("changes nothing outside the project, which may have another version", async (t) => {
    const w = await saved(t);
    const other = await cloned(t, w);
    other.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    await other.run("install", "review", "-t", "codex", "-g");

    const [skill] = (await restore(other)).skills;

    assert.deepEqual([skill!.outcome, skill!.semver], ["installed", "1.0.0"]);
    assert.match(await other.read(other.home, ".codex/AGENTS.md"), /two/);
    const { installs } = (await other.config()).profiles["default"]!.installed["review"]!;
    assert.deepEqual(
      installs.map(({ scope, range, semver }) => [scope, range, semver]),
      [
        ["global", "latest", "1.1.0"],
        ["project", "^1", "1.0.0"],
        ["project", "^1", "1.0.0"],
      ],
    );
  });

  it("reports a missing lock or skill", async (t) => {
    const empty = await makeFixture(t);
    const none = await empty.run("restore");
    assert.deepEqual([none.error.code, none.error.details?.["kind"]], ["E_NOT_FOUND", "path"]);
    const w = await saved(t);
    const other = await cloned(t, w);
    other.skills.shift();

    const gone = await other.run("restore");

    assert.deepEqual(
      [gone.error.code, gone.error.details?.["kind"], gone.error.details?.["ref"]],
      ["E_NOT_FOUND", "skill", "acme/review"],
    );
    assert.match(gone.error.message, /log in or set SVC_TOKEN/);
  });

  const hostile: [what: string, change: (text: string) => string][] = [
    [
      "a path as its name in the tools",
      (text) => text.replace('"installName": "review"', '"installName": "../../x"'),
    ],
    [
      "a hidden name in the tools",
      (text) => text.replace('"installName": "review"', '"installName": ".git"'),
    ],
    ["an invalid name", (text) => text.replace('"acme/review"', '"../review"')],
    ["__proto__ as a name", (text) => text.replace('"acme/review"', '"__proto__"')],
    ["a control character in a name", (text) => text.replace('"acme/review"', '"a\\u001bb"')],
    ["an unknown tool", (text) => text.replace('"codex"', '"emacs"')],
    ["an unknown method", (text) => text.replace('"section"', '"shell"')],
    ["no digest", (text) => text.replace(/sha256:\w+/, "md5:x")],
    ["a version that is not a number", (text) => text.replace('"version": 1', '"version": "1"')],
    ["a public id with a slash", (text) => text.replace("aaaaaaaaaa", "a/../../b")],
    ["a newer lock version", (text) => text.replace('"lockVersion": 1', '"lockVersion": 2')],
    ["an invalid lock version", (text) => text.replace('"lockVersion": 1', '"lockVersion": "1"')],
    ["conflict markers", (text) => `<<<<<<< ours\n${text}=======\n${text}>>>>>>> theirs\n`],
    ["a missing end", (text) => text.slice(0, -20)],
    ["ten megabytes", (text) => text + " ".repeat(10_000_000)],
    ["binary data", () => "\u0000\uFFFF"],
    ["a list", () => "[]"],
  ];
  for (const [what, change] of hostile)
    it(`rejects a lock with ${what}`, async (t) => {
      const w = await saved(t);
      const path = join(w.project, "svc.lock");
      await writeFile(path, change(await w.read(w.project, "svc.lock")));

      for (const command of ["restore", "verify"]) {
        const ran = await w.run(command);
        assert.deepEqual([ran.code, ran.stdout, ran.error.code], [1, "", "E_INVALID_ARGUMENT"], ran.stderr);
        assert.equal(ran.error.details?.["ref"], path);
        assert.ok(!ran.error.message.includes("\u001b"));
      }
    });

  it("follows no link out of the project, and reads no folder", async (t) => {
    const w = await saved(t);
    const path = join(w.project, "svc.lock");
    await writeFile(join(w.home, "secret.json"), await readFile(path));
    await rm(path);
    await symlink(join(w.home, "secret.json"), path);
    assert.equal((await w.run("restore")).error.code, "E_INVALID_ARGUMENT");
    await rm(path);
    await mkdir(path);
    assert.equal((await w.run("restore")).error.code, "E_INVALID_ARGUMENT");
  });
});

describe("a text with frontmatter that the service stores", () => {
  const frontmatter =
    "\uFEFF---\r\n# why\r\nname: review # own\r\ndescription: 'It''s so.'\r\nratio: 1.10\r\n---\r\n\r\n\r\n";
  const body = "# Review\r\nno end";
  const path = ".claude/skills/review/SKILL.md";
  const withFrontmatter = (w: Fixture) => {
    w.skills[0]!.versions = [{ semver: "1.0.0", body, frontmatter }];
  };

  it("is installed and restored byte for byte", async (t) => {
    const w = await makeFixture(t);
    withFrontmatter(w);
    await install(w, "acme/review", "claude,codex", "--save");
    const other = await cloned(t, w);

    await restore(other);

    assert.match((await lockOf(w)).get("acme/review")!.frontmatter ?? "", /^[0-9a-f]{64}$/);
    for (const each of [w, other]) {
      assert.equal(await readFile(join(each.project, path), "utf8"), frontmatter + body);
      assert.deepEqual(await verify(each), []);
    }
  });

  it("has its name edited in place if its folder has another one", async (t) => {
    const w = await makeFixture(t);
    withFrontmatter(w);
    await install(w, "acme/review", "claude", "--save");
    const other = await cloned(t, w);
    const lock = await w.read(w.project, "svc.lock");
    const renamed = lock.replace('"installName": "review"', '"installName": "other-review"');
    await writeFile(join(other.project, "svc.lock"), renamed);

    await restore(other);

    assert.equal(
      await readFile(join(other.project, ".claude/skills/other-review/SKILL.md"), "utf8"),
      frontmatter.replace("name: review #", "name: other-review #") + body,
    );
  });

  it("is rejected if the frontmatter differs from that of the version, or of the lock", async (t) => {
    const w = await makeFixture(t, (_, response, url) => {
      if (!url.pathname.endsWith("/content") || !tampers) return false;
      const data = { content: body, frontmatter: frontmatter.replace("1.10", "1.1") };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ success: true, data }));
      return true;
    });
    let tampers = true;
    withFrontmatter(w);

    const refused = await w.run("install", "acme/review", "-t", "claude", "-p");
    tampers = false;
    await install(w, "acme/review", "claude", "--save");
    const other = await cloned(t, w);
    other.skills[0]!.versions[0]!.frontmatter = frontmatter.replace("1.10", "1.1");
    const moved = await other.run("restore");

    assert.equal(refused.error?.code, "E_NETWORK");
    assert.equal(moved.error?.code, "E_NETWORK");
    await assert.rejects(readFile(join(other.project, path)));
  });

  it("is rendered as before if a lock of an earlier svc has no digest of it", async (t) => {
    const w = await saved(t);
    const other = await cloned(t, w);
    other.skills[0]!.versions[0]!.frontmatter = frontmatter;

    await restore(other);

    assert.equal(await other.read(other.project, path), await w.read(w.project, path));
  });
});
