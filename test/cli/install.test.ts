import assert from "node:assert/strict";
import { mkdir, readdir, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dataOf, kit, makeFixture } from "./fixture.ts";
import { answer, startRegistry, zipOf } from "./harness.ts";

interface Installed {
  installName: string;
  requestedRange: string;
  version: number;
  installed: { platform: string; method: string; path: string }[];
  skipped: { platform: string; reason: string }[];
  warnings: string[];
}
describe("install", () => {
  it("installs a text skill into three tools, each in its own format", async (t) => {
    const { home, run, read } = await makeFixture(t);
    await mkdir(join(home, ".codex"));
    await writeFile(join(home, ".codex", "AGENTS.md"), "# Mine");

    const ran = await run("install", "review", "-t", "claude,cursor", "-t", "codex", "-g");

    assert.equal(ran.code, 0);
    const { installed, skipped } = dataOf<Installed>(ran);
    assert.deepEqual(
      installed.map((record) => [record.platform, record.method]),
      [
        ["claude", "symlink"],
        ["cursor", "copy"],
        ["codex", "section"],
      ],
    );
    assert.deepEqual(skipped, []);
    const skillFile = '---\nname: review\ndescription: "What it does"\n---\n\none\n';
    assert.equal(await readlink(join(home, ".claude/skills/review")), join(home, ".svc/cache/review/claude"));
    assert.equal(await read(home, ".claude/skills/review/SKILL.md"), skillFile);
    assert.equal(await read(home, ".cursor/skills/review/SKILL.md"), skillFile);
    assert.equal(
      await read(home, ".codex/AGENTS.md"),
      "# Mine\n\n<!-- svc:start:review -->\n## Review\n\none\n\n<!-- svc:end:review -->",
    );
    assert.equal(await read(home, ".svc/cache/review/raw.md"), "one\n");
    assert.equal(JSON.parse(await read(home, ".svc/cache/review/meta.json")).semver, "1.0.0");
  });

  it("prints a publisher's advice against the version, and installs it", async (t) => {
    const { run, skills } = await makeFixture(t);
    skills[0]!.versions[0]!.warnings = ["acme/review 1.0.0 is deprecated: use other"];

    const installed = await run("install", "review", "-t", "claude", "-g");
    const pulled = await run("pull", "review");

    const advice = "acme/review 1.0.0 is deprecated: use other";
    assert.deepEqual(dataOf<Installed>(installed).warnings, [advice]);
    const [update] = dataOf<{ skills: { warnings: string[] }[] }>(pulled).skills;
    assert.deepEqual(update!.warnings, [advice]);
  });

  it("installs a package completely, with its executable bits", async (t) => {
    const { home, project, run, read } = await makeFixture(t);

    const { installed } = dataOf<Installed>(
      await run("install", "acme/kit@^1", "-t", "claude,cursor,codex", "-p"),
    );

    assert.deepEqual(
      installed.map((record) => [record.platform, record.method, record.path]),
      [
        ["claude", "symlink", join(project, ".claude/skills/kit")],
        ["cursor", "copy", join(project, ".cursor/skills/kit")],
        ["codex", "copy", join(project, ".agents/skills/kit")],
      ],
    );
    for (const { path } of installed) {
      assert.equal(await read(path, "assets/ü.txt"), "one");
      assert.equal((await stat(join(path, "scripts/run.sh"))).mode & 0o777, 0o755);
      assert.equal((await stat(join(path, "SKILL.md"))).mode & 0o111, 0);
    }
    assert.deepEqual(await readdir(join(home, ".svc/cache/kit")), ["versions"]);
    const [version] = await readdir(join(home, ".svc/cache/kit/versions"));
    assert.match(version!, /^1-[0-9a-f]{16}$/);
    assert.deepEqual((await readdir(join(home, ".svc/cache/kit/versions", version!))).sort(), [
      "manifest.json",
      "meta.json",
      "pkg",
    ]);
    assert.deepEqual(await readdir(join(home, ".svc/tmp")), []);
  });

  it("fails with E_INTERACTION_REQUIRED and the name of a missing flag instead of asking", async (t) => {
    const { run } = await makeFixture(t);
    for (const [argv, flag] of [
      [["install"], "<ref>"],
      [["install", "review"], "--target"],
      [["install", "review", "-t", "claude"], "--global"],
      [["uninstall"], "<slug>"],
      [["publish"], "<path>"],
    ] as const) {
      const { code, stdout, error } = await run(...argv);
      assert.deepEqual(
        [code, stdout, error.code, error.details?.["flag"]],
        [1, "", "E_INTERACTION_REQUIRED", flag],
      );
    }
  });

  it("rejects invalid flags before anything else", async (t) => {
    const { run, home } = await makeFixture(t);
    for (const [argv, code, detail] of [
      [["install", "review", "-t", "cloude", "-g"], "E_INVALID_ARGUMENT", "--target"],
      [["install", "review", "-t", "claude", "-g", "-p"], "E_INVALID_ARGUMENT", "--project"],
      [["install", "review", "-t", "claude", "-g", "--symlink", "--copy"], "E_INVALID_ARGUMENT", "--copy"],
      [["install", "review@^^", "-t", "claude", "-g"], "E_INVALID_ARGUMENT", "<ref>"],
      [["install", "review", "-t", "claude", "-p", "nowhere"], "E_NOT_FOUND", undefined],
      [["install", "nothing", "-t", "claude", "-g"], "E_NOT_FOUND", undefined],
      [["pull", "--latest"], "E_INVALID_ARGUMENT", "--latest"],
      [["pull", "review"], "E_NOT_FOUND", undefined],
      [["frobnicate"], "E_INVALID_ARGUMENT", "<command>"],
    ] as const) {
      const ran = await run(...argv);
      assert.deepEqual([ran.error.code, ran.error.details?.["flag"]], [code, detail], argv.join(" "));
    }
    assert.deepEqual(await readdir(home).then((names) => names.filter((name) => name !== ".svc")), []);
  });

  it("does not overwrite files of others, and fails with E_NO_TARGETS when no target is left", async (t) => {
    const { home, run, read } = await makeFixture(t);
    await mkdir(join(home, ".claude/skills/review"), { recursive: true });
    await writeFile(join(home, ".claude/skills/review/SKILL.md"), "mine");
    await mkdir(join(home, ".cursor/skills"), { recursive: true });
    await symlink("/nonexistent", join(home, ".cursor/skills/review"));

    const { code, error } = await run("install", "review", "-t", "claude,cursor,aider", "-g", "--force");

    assert.equal(code, 1);
    assert.equal(error.code, "E_NO_TARGETS");
    const skipped = error.details?.["skipped"] as Installed["skipped"];
    assert.deepEqual(
      skipped.map((skip) => skip.platform),
      ["claude", "cursor", "aider"],
    );
    for (const [i, tool] of [".claude", ".cursor"].entries())
      assert.equal(
        skipped[i]!.reason,
        `${join(home, tool, "skills/review")} already exists and was not created by svc`,
      );
    assert.equal(await read(home, ".claude/skills/review/SKILL.md"), "mine");
    assert.equal(await readlink(join(home, ".cursor/skills/review")), "/nonexistent");

    const partly = dataOf<Installed>(await run("install", "review", "-t", "claude,codex", "-g"));
    assert.equal(partly.installed.length, 1);
    assert.equal(partly.skipped.length, 1);
  });

  it("recognizes its own files after the config was lost", async (t) => {
    const { home, run } = await makeFixture(t);
    await run("install", "review", "-t", "claude,cursor,codex", "-g");
    await rm(join(home, ".svc/config.json"));

    const { installed, skipped } = dataOf<Installed>(
      await run("install", "review", "-t", "claude,cursor,codex", "-g"),
    );

    assert.equal(installed.length, 3);
    assert.deepEqual(skipped, []);
  });

  it("names a package's folder after the skill if its own name is taken", async (t) => {
    const { home, run, skills } = await makeFixture(t);
    skills[2]!.slug = "tool-kit";
    await mkdir(join(home, ".claude/skills/kit"), { recursive: true });

    const { installed, warnings } = dataOf<Installed>(
      await run("install", "tool-kit", "-t", "claude,cursor", "-g"),
    );

    assert.deepEqual(
      installed.map((record) => record.path),
      [join(home, ".claude/skills/tool-kit"), join(home, ".cursor/skills/kit")],
    );
    assert.match(warnings.join(), /claude: the folder is named tool-kit, because kit is taken/);
  });

  it("gives two skills of one slug different names", async (t) => {
    const { home, run, skills } = await makeFixture(t);
    await run("install", "review", "-t", "claude", "-g");
    const publisher = { tenantId: "t2", tenantSlug: "globex" };
    skills.push({ ...skills[0]!, publicId: "zzzzzzzzzz", publisher });

    const trusting = ["-t", "claude", "-g", "--trust", "globex"];
    const second = dataOf<Installed>(await run("install", "globex/review", ...trusting));

    assert.equal(second.installName, "globex-review");
    assert.equal(second.installed[0]!.path, join(home, ".claude/skills/globex-review"));
    assert.equal((await run("uninstall", "globex/review")).code, 0);
  });

  it("changes the method of an installed skill", async (t) => {
    const { home, run, read } = await makeFixture(t);
    await run("install", "review", "-t", "claude", "-g");

    const { installed } = dataOf<Installed>(await run("install", "review", "-t", "claude", "-g", "--copy"));

    assert.deepEqual([installed.length, installed[0]!.method], [1, "copy"]);
    assert.ok((await stat(join(home, ".claude/skills/review"))).isDirectory());
    assert.match(await read(home, ".claude/skills/review/SKILL.md"), /one/);
    dataOf<Installed>(await run("install", "review", "-t", "claude", "-g", "--symlink"));
    assert.equal(await readlink(join(home, ".claude/skills/review")), join(home, ".svc/cache/review/claude"));
  });

  it("leaves no folder outside the home and the project, and no partial file", async (t) => {
    const { home, project, run } = await makeFixture(t);
    for (const skill of ["review", "house", "kit"])
      await run("install", skill, "-t", "claude,cursor,codex", "-p");
    for (const skill of ["review", "house", "kit"]) {
      const ran = await run("uninstall", skill, "--purge");
      assert.equal(ran.code, 0, ran.stderr);
    }
    const left = await readdir(project, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      left.filter((entry) => !entry.isDirectory()).map((entry) => entry.name),
      [],
    );
    assert.deepEqual(await readdir(join(home, ".svc/cache")), []);
  });
});

describe("a download", () => {
  for (const [what, slug, path, spoil] of [
    ["another text", "review", "/content", (body: string) => body.replace("one\\n", "two\\n")],
    [
      "another list of files",
      "kit",
      "/manifest",
      (body: string) => body.replace("scripts/run.sh", "scripts/rum.sh"),
    ],
    [
      "a list with a path outside the folder",
      "kit",
      "/manifest",
      (body: string) => body.replace("scripts/run.sh", "../../../run.sh"),
    ],
    ["another size", "kit", "/manifest", (body: string) => body.replace(/"size":\d+/, '"size":1')],
  ] as const)
    it(`with ${what} installs nothing`, async (t) => {
      const target = await makeFixture(t);
      const apiUrl = await startRegistry(t, target.skills);
      const { home, run } = await makeFixture(t, (request, response, url) => {
        if (!url.pathname.endsWith(path)) return false;
        const pass = async () => {
          const body = await (await fetch(apiUrl + request.url!)).text();
          assert.notEqual(spoil(body), body);
          answer(response, 200, spoil(body));
        };
        void pass();
        return true;
      });

      const { code, error } = await run("install", slug, "-t", "claude,codex", "-g");

      assert.deepEqual([code, error.code], [1, "E_NETWORK"]);
      assert.deepEqual(
        (await readdir(join(home, ".svc"))).filter((name) => name !== "tmp"),
        [],
      );
      assert.deepEqual(await readdir(join(home, ".svc/tmp")), []);
    });

  it("that is truncated installs nothing", async (t) => {
    const { home, run } = await makeFixture(t, (_request, response, url) => {
      if (!url.pathname.endsWith("/package")) return false;
      response.writeHead(200, { "content-type": "application/zip", "content-length": "1000" });
      response.write("PK");
      setTimeout(() => response.destroy(), 20);
      return true;
    });

    const { error } = await run("install", "kit", "-t", "claude", "-g");

    assert.equal(error.code, "E_NETWORK");
    assert.deepEqual(await readdir(join(home, ".svc/tmp")), []);
  });

  it("with files that are not in the list, or that is not a zip, installs nothing", async (t) => {
    const extra = await zipOf({ ...kit("one"), "more.txt": { data: "x" } });
    for (const bytes of [extra, Buffer.from("no zip"), extra.subarray(0, 100)]) {
      const { home, run } = await makeFixture(t, (_request, response, url) => {
        if (!url.pathname.endsWith("/package")) return false;
        response.end(bytes);
        return true;
      });
      const { error } = await run("install", "kit", "-t", "claude", "-g");
      assert.equal(error.code, "E_NETWORK");
      assert.deepEqual(await readdir(home), [".svc"]);
    }
  });
});

describe("uninstall", () => {
  it("restores the files of others byte for byte", async (t) => {
    const { home, run, read } = await makeFixture(t);
    await mkdir(join(home, ".codex"));
    for (const text of ["# Mine", "# Mine\r\n", "\uFEFFx\n\n\n", ""]) {
      await writeFile(join(home, ".codex/AGENTS.md"), text);
      await run("install", "review", "-t", "codex", "-g");
      await run("install", "house", "-t", "codex", "-g");
      await run("uninstall", "review");
      await run("uninstall", "house");
      assert.equal(await read(home, ".codex/AGENTS.md"), text);
    }
  });

  it("removes a shared file that it had created", async (t) => {
    const { home, run } = await makeFixture(t);
    await run("install", "review", "-t", "codex", "-g");
    await run("uninstall", "review");
    assert.deepEqual(await readdir(home), [".svc"]);
  });

  it("keeps edited copies unless forced, and links that were replaced", async (t) => {
    const { home, run, read } = await makeFixture(t);
    await run("install", "review", "-t", "claude,cursor", "-g");
    await writeFile(join(home, ".cursor/skills/review/SKILL.md"), "mine");
    await rm(join(home, ".claude/skills/review"));
    await mkdir(join(home, ".claude/skills/review"));

    const kept = await run("uninstall", "review", "--purge");
    assert.equal(kept.code, 1);
    const { failed, removed, purged } = kept.data as {
      failed: { platform: string }[];
      removed: unknown[];
      purged: boolean;
    };
    assert.deepEqual([failed.map((one) => one.platform), removed, purged], [["claude", "cursor"], [], false]);
    assert.equal(await read(home, ".cursor/skills/review/SKILL.md"), "mine");

    await rm(join(home, ".claude/skills/review"), { recursive: true });
    const forced = await run("uninstall", "review", "--purge", "--force");
    assert.equal(forced.code, 0);
    await assert.rejects(stat(join(home, ".cursor/skills/review")));
    assert.deepEqual(await readdir(join(home, ".svc/cache")), []);
  });
});
