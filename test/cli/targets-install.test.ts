/** Installing into all eight tools: what is written, what is rejected, and that no other file is changed. */
import assert from "node:assert/strict";
import fs, { chmodSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { targets } from "../../contract/vocabulary.ts";
import { snapshot } from "../support/file-tree.ts";
import { type Fixture, dataOf, kit, makeFixture } from "./fixture.ts";

interface Installed {
  installed: { platform: string; method: string; path: string }[];
  skipped: { platform: string; reason: string }[];
  warnings: string[];
}

const all = targets.join(",");
const outside = ({ home, project }: Fixture) => ({
  home: snapshot(home, [".svc"]),
  project: snapshot(project),
});
const put = async (text: string | Buffer, ...path: string[]) => {
  const file = join(...path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};
const install = async (made: Fixture, ...argv: string[]) =>
  dataOf<Installed>(await made.run("install", ...argv));
const methods = ({ installed }: Installed) =>
  installed.map(({ platform, method }) => `${platform} ${method}`);
const skips = ({ skipped }: Installed) => skipped.map(({ platform }) => platform);

describe("all eight tools", () => {
  const wanted = {
    review: {
      "-g": "cursor copy, claude symlink, codex section, windsurf section, opencode symlink; cline, copilot, aider",
      "-p": "cursor symlink, claude symlink, codex section, windsurf symlink, cline copy, copilot section, opencode symlink, aider symlink; ",
    },
    house: {
      "-g": "claude symlink, codex section, windsurf section, opencode section; cursor, cline, copilot, aider",
      "-p": "cursor symlink, claude symlink, codex section, windsurf symlink, cline copy, copilot section, opencode section, aider symlink; ",
    },
    kit: {
      "-g": "cursor copy, claude symlink, codex copy, windsurf copy, cline copy, copilot copy, opencode copy; aider",
      "-p": "cursor copy, claude symlink, codex copy, windsurf copy, cline copy, copilot copy, opencode copy; aider",
    },
  } as const;

  it("support three kinds in two scopes, follow a pull, and end as before, folders included", async (t) => {
    const made = await makeFixture(t);
    await put("# Mine", made.home, ".codex/AGENTS.md");
    await put("# Ours\r\n", made.project, "AGENTS.md");
    const before = outside(made);

    for (const [slug, scopes] of Object.entries(wanted))
      for (const [flag, told] of Object.entries(scopes)) {
        const done = await install(made, slug, "-t", all, flag);
        assert.equal(`${methods(done).join(", ")}; ${skips(done).join(", ")}`, told, `${slug} ${flag}`);
      }
    for (const file of [".clinerules/house.md", ".aider/skills/house.md"])
      assert.equal(await made.read(made.project, file), "# House\n\nrule\n");
    assert.equal(
      statSync(join(made.home, ".codeium/windsurf/skills/kit/scripts/run.sh")).mode & 0o777,
      0o755,
    );

    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    made.skills[2]!.versions.push({ semver: "1.1.0", files: kit("two") });
    const { summary } = dataOf<{ summary: object }>(await made.run("pull"));
    assert.deepEqual(summary, { updated: 2, upToDate: 1, failed: 0 });
    for (const [base, file] of [
      [made.home, ".codeium/windsurf/memories/global_rules.md"],
      [made.home, ".config/opencode/skills/review/SKILL.md"],
      [made.project, ".clinerules/review.md"],
      [made.project, ".github/copilot-instructions.md"],
      [made.project, ".aider/skills/review.md"],
      [made.project, ".opencode/skills/kit/SKILL.md"],
      [made.home, ".copilot/skills/kit/assets/ü.txt"],
    ] as const)
      assert.match(await made.read(base, file), /two/, file);

    for (const slug of Object.keys(wanted)) assert.equal((await made.run("uninstall", slug)).code, 0);
    assert.deepEqual(outside(made), before);
  });

  for (const [what, spoil] of [
    [
      "edited",
      (path: string, isFolder: boolean) => writeFile(isFolder ? join(path, "SKILL.md") : path, "mine\n"),
    ],
    [
      "replaced by a link",
      async (path: string) => {
        await rm(path, { recursive: true });
        await symlink("/nonexistent", path);
      },
    ],
  ] as const)
    it(`keep a copy that was ${what}`, async (t) => {
      const made = await makeFixture(t);
      const done = await install(made, "review", "-t", all, "-p", "--copy");
      const copies = done.installed.filter(({ method }) => method === "copy");
      assert.equal(copies.length, 6);
      for (const { path } of copies) await spoil(path, statSync(path).isDirectory());
      const spoilt = snapshot(made.project);
      made.skills[0]!.versions.push({ semver: "2.0.0", body: "two\n" });

      const pulled = await made.run("pull");

      const [skill] = (pulled.data as { skills: { outcome: string; warnings: string[] }[] }).skills;
      assert.deepEqual([pulled.code, skill!.outcome, skill!.warnings.length], [1, "partial", 6]);
      const after = snapshot(made.project);
      for (const { path } of copies)
        for (const name of Object.keys(spoilt).filter((one) => join(made.project, one).startsWith(path)))
          assert.equal(after[name], spoilt[name], name);
      const { failed } = (await made.run("uninstall", "review")).data as { failed: unknown[] };
      assert.equal(failed.length, 6);
    });

  it("keep existing files of that name", async (t) => {
    const made = await makeFixture(t);
    const places = (await install(made, "kit", "-t", all, "-p")).installed;
    await made.run("uninstall", "kit", "--purge");
    for (const { path } of places) await put("mine\n", path, "SKILL.md");
    const before = outside(made);

    const { error } = await made.run("install", "kit", "-t", all, "-p", "--force");

    assert.equal(error.code, "E_NO_TARGETS");
    for (const { reason, platform } of error.details!["skipped"] as Installed["skipped"])
      assert.match(
        reason,
        platform === "aider" ? /does not support/ : /already exists and was not created by svc$/,
      );
    assert.deepEqual(outside(made), before);
  });
});

describe("a tool that does not support a text", () => {
  it("is skipped if .clinerules is a file", async (t) => {
    const made = await makeFixture(t);
    await put("old rules", made.project, ".clinerules");

    const { error } = await made.run("install", "review", "-t", "cline", "-p");

    const file = join(made.project, ".clinerules");
    assert.deepEqual(error.details!["skipped"], [
      { platform: "cline", reason: `${file} is a file, so that nothing can be put into it` },
    ]);
    assert.equal(await made.read(file), "old rules");
  });

  it("is skipped if its shared file would get too long, in characters", async (t) => {
    const made = await makeFixture(t);
    const rules = join(made.home, ".codeium/windsurf/memories/global_rules.md");
    const block = "\n\n<!-- svc:start:review -->\n## Review\n\none\n\n<!-- svc:end:review -->";
    const fits = "é".repeat(6000 - block.length);
    await put(`${fits}é`, rules);

    const { error } = await made.run("install", "review", "-t", "windsurf", "-g");
    assert.deepEqual(error.details!["skipped"], [
      { platform: "windsurf", reason: "windsurf global rules file would exceed 6000 characters" },
    ]);
    assert.equal(await made.read(rules), `${fits}é`);

    await writeFile(rules, fits);
    await install(made, "review", "-t", "windsurf", "-g");
    assert.equal(await made.read(rules), fits + block);
  });

  it("keeps the version that it supports, reports it, and installs the next that fits", async (t) => {
    const made = await makeFixture(t);
    await install(made, "review", "-t", "windsurf,claude", "-g");
    const rules = () => made.read(made.home, ".codeium/windsurf/memories/global_rules.md");
    made.skills[0]!.versions.push({ semver: "1.1.0", body: "x".repeat(7000) });
    const pull = async () => {
      const ran = await made.run("pull");
      const [skill] = (ran.data as { skills: { outcome: string; warnings: string[] }[] }).skills;
      return [ran.code, skill!.outcome, skill!.warnings.join()];
    };
    const told = "windsurf global rules file would exceed 6000 characters";

    assert.deepEqual(await pull(), [1, "partial", told]);
    assert.deepEqual(await pull(), [1, "partial", told]);
    assert.match(await rules(), /one/);
    made.skills[0]!.versions.push({ semver: "1.2.0", body: "short\n" });
    assert.deepEqual(await pull(), [0, "updated", ""]);
    assert.match(await rules(), /short/);
  });

  for (const [what, bytes] of [
    ["is in another encoding", Buffer.from("caf\u00e9\n", "latin1")],
    ["has 16-bit characters", Buffer.from("\ufeffhi\n", "utf16le")],
    ["has markers in the wrong order", Buffer.from("<!-- svc:start:review -->\nx\n")],
  ] as const)
    it(`is skipped if its shared file ${what}`, async (t) => {
      const made = await makeFixture(t);
      await put(bytes, made.project, "AGENTS.md");

      const { error } = await made.run("install", "review", "-t", "codex", "-p");

      assert.equal(error.code, "E_NO_TARGETS");
      assert.deepEqual(readFileSync(join(made.project, "AGENTS.md")), bytes);
    });

  it("is skipped if its shared file is a dangling link", async (t) => {
    const made = await makeFixture(t);
    symlinkSync("nowhere.md", join(made.project, "AGENTS.md"));

    const { error } = await made.run("install", "review", "-t", "codex", "-p");

    assert.match(JSON.stringify(error.details), /AGENTS\.md is a link that leads nowhere/);
    assert.equal(readlinkSync(join(made.project, "AGENTS.md")), "nowhere.md");
  });
});

describe("the notes for people", () => {
  it("explain why a section is not read", async (t) => {
    const made = await makeFixture(t);
    const [agents, override] = ["AGENTS.md", "AGENTS.override.md"].map((name) => join(made.project, name));
    await put("é".repeat(16_380), agents!);
    await put("", override!);
    const instructions = join(made.project, ".github/copilot-instructions.md");
    await put("é".repeat(4000), instructions);

    const { warnings } = await install(made, "house", "-t", "codex,copilot,opencode", "-p");

    assert.deepEqual(warnings, [
      `${agents} is over 32768 bytes: codex drops what does not fit`,
      `codex reads ${override} instead of AGENTS.md: the section will not be seen`,
      `${instructions} is over 4000 characters: copilot's code review may not read the rest`,
      "house is loaded twice by copilot (.github/copilot-instructions.md, AGENTS.md), " +
        "since tools also read the files of others: see svc doctor",
    ]);
  });

  for (const [settings, isHinted] of [
    [undefined, true],
    ["read: CONVENTIONS.md\n", true],
    ["# read: .aider/skills\n", true],
    ["read: .aider/skills\n", false],
    ["read:\n  - .aider/skills/review.md\n", false],
  ] as const)
    it(`${isHinted ? "explain" : "do not explain"} how aider reads the file with ${JSON.stringify(settings)}`, async (t) => {
      const made = await makeFixture(t);
      if (settings !== undefined) await put(settings, made.project, ".aider.conf.yml");

      const { warnings } = await install(made, "review", "-t", "aider", "-p");

      const hint =
        'Add "read: .aider/skills" to .aider.conf.yml, or start aider with --read .aider/skills/review.md';
      assert.deepEqual(warnings, isHinted ? [hint] : []);
      if (settings !== undefined) assert.equal(await made.read(made.project, ".aider.conf.yml"), settings);
    });

  it("warn once against committing a link in a git work tree", async (t) => {
    const made = await makeFixture(t);
    await mkdir(join(made.project, ".git"));
    const { warnings } = await install(made, "review", "-t", "cursor,claude,windsurf", "-p");
    assert.equal(warnings.length, 2);
    assert.match(warnings[0]!, /do not commit it, or install with --copy/);
    assert.match(warnings[1]!, /is loaded twice by cursor/);
    assert.deepEqual(
      (await install(made, "review", "-t", "cursor,claude,windsurf", "-p", "--copy")).warnings,
      [],
    );
  });

  it("report a tool that uses another method than requested", async (t) => {
    const made = await makeFixture(t);
    const done = await install(made, "review", "-t", "cline,codex,claude", "-p", "--symlink");
    assert.deepEqual(methods(done), ["cline copy", "codex section", "claude symlink"]);
    assert.deepEqual(done.warnings, [
      "cline takes this as a copy, not as a symlink",
      "codex takes this as a section, not as a symlink",
      "review is loaded twice by cline (.claude/skills, .clinerules, AGENTS.md), " +
        "claude (.claude/skills, AGENTS.md), since tools also read the files of others: see svc doctor",
    ]);
  });
});

describe("Windows", () => {
  it("copies texts and links packages, unless requested otherwise", async (t) => {
    const made = await makeFixture(t);
    made.machine.platform = "win32";

    const text = await install(made, "review", "-t", "claude,cursor,opencode", "-p");
    const pack = await install(made, "kit", "-t", "claude,cursor", "-p");
    const asked = await install(made, "house", "-t", "claude", "-p", "--symlink");

    assert.deepEqual(methods(text), ["claude copy", "cursor copy", "opencode copy"]);
    assert.deepEqual(methods(pack), ["claude symlink", "cursor copy"]);
    assert.deepEqual(methods(asked), ["claude symlink"]);
  });

  /** The system calls, and their results. */
  function watchLinks(t: TestContext, code?: string): string[] {
    const types: string[] = [];
    const original = fs.promises.symlink;
    t.mock.method(fs.promises, "symlink", async (target: string, path: string, type: string) => {
      types.push(type);
      if (code !== undefined) throw Object.assign(new Error(code), { code, syscall: "symlink" });
      await original(target, path, "dir");
    });
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    return types;
  }

  it("gets junctions for folders and plain links for files", async (t) => {
    const made = await makeFixture(t);
    made.machine.platform = "win32";
    const types = watchLinks(t);
    await install(made, "kit", "-t", "claude", "-p");
    await install(made, "house", "-t", "claude", "-p", "--symlink");
    assert.deepEqual(types, ["junction", "file"]);
  });

  it("gets a copy, recorded as one, if no link can be created, and keeps it with the next version", async (t) => {
    const made = await makeFixture(t);
    made.machine.platform = "win32";
    watchLinks(t, "EPERM");

    for (const slug of ["review", "house", "kit"]) {
      const done = await install(made, slug, "-t", "claude", "-p", "--symlink");
      assert.deepEqual(methods(done), ["claude copy"]);
      assert.match(done.warnings.join(), /is a copy: no link can be made there/);
    }
    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    const { summary } = dataOf<{ summary: object }>(await made.run("pull"));
    assert.deepEqual(summary, { updated: 1, upToDate: 2, failed: 0 });
    assert.match(await made.read(made.project, ".claude/skills/review/SKILL.md"), /two/);
  });
});

describe("a file of others that contains a section", () => {
  it("keeps its mode, and is written through a link to it", async (t) => {
    const made = await makeFixture(t);
    const agents = join(made.project, "docs/agents.md");
    await put("# Ours", agents);
    chmodSync(agents, 0o640);
    symlinkSync("docs/agents.md", join(made.project, "AGENTS.md"));
    const before = snapshot(made.project);

    await install(made, "review", "-t", "codex", "-p");
    assert.equal(readlinkSync(join(made.project, "AGENTS.md")), "docs/agents.md");
    assert.match(readFileSync(agents, "utf8"), /^# Ours\n\n<!-- svc:start:review -->/);
    assert.equal(statSync(agents).mode & 0o777, 0o640);

    await made.run("uninstall", "review");
    assert.deepEqual(snapshot(made.project), before);
  });

  it("is reported when a section of unknown origin is replaced", async (t) => {
    const made = await makeFixture(t);
    await put("<!-- svc:start:review -->\nold\n<!-- svc:end:review -->\n", made.project, "AGENTS.md");
    const { warnings } = await install(made, "review", "-t", "codex", "-p");
    assert.match(warnings.join(), /held another section for review, which is replaced/);
    assert.match(await made.read(made.project, "AGENTS.md"), /one/);
  });
});
