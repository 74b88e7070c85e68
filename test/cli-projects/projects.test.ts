/** Projects on one machine: versions of their own, and the reach of `pull` and `uninstall`. */
import assert from "node:assert/strict";
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import type { Config } from "../../cli/state/config.ts";
import { type Fixture, dataOf, kit, makeFixture } from "../cli/fixture.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { snapshot } from "../support/file-tree.ts";

interface Kept {
  installName: string;
  projectDir: string;
  semver: string;
  pin: string;
}

interface Uninstalled {
  removed: { path: string; scope: string; semver: string; pin: string }[];
  kept: Kept[];
  purged: boolean;
  warnings: string[];
}

interface Pulled {
  skills: { outcome: string; warnings: string[]; scopes: { projectDir?: string; outcome: string }[] }[];
  kept: Kept[];
  dryRun?: boolean;
}

/** Two more projects on the same machine; `managed` has an svc.json. */
async function threeProjects(t: TestContext) {
  const made = await makeFixture(t);
  const [managed, plain] = [await temporaryFolder(t), await temporaryFolder(t)];
  await writeFile(join(managed, "svc.json"), "{}\n");
  const runIn = (cwd: string, ...argv: string[]) =>
    svc([...argv, "-o", "json"], { home: made.home, cwd, env: { SVC_API_URL: made.apiUrl } });
  return { ...made, managed, plain, runIn };
}

const versionsOf = ({ home }: Pick<Fixture, "home">, installName: string) => {
  const folder = join(home, ".svc/cache", installName, "versions");
  return existsSync(folder) ? readdirSync(folder).map((name) => name.split("-")[0]!) : [];
};

describe("versions of projects", () => {
  it("are independent of each other and of the user level, with links and copies", async (t) => {
    const { home, project, managed, plain, skills, runIn, read } = await threeProjects(t);
    skills[0]!.versions.push({ semver: "2.0.0", body: "two\n" });
    skills[2]!.versions.push({ semver: "2.0.0", files: kit("two") });
    for (const [cwd, pin, flag] of [
      [project, "@1.0.0", "-p"],
      [managed, "@2.0.0", "-p"],
      [plain, "@1.0.0", "-p"],
      [project, "", "-g"],
    ] as const)
      for (const slug of ["review", "kit"])
        assert.equal((await runIn(cwd, "install", slug + pin, "-t", "claude,codex", flag)).code, 0);

    const texts = { [project]: /one/, [managed]: /two/, [plain]: /one/, [home]: /two/ };
    for (const [folder, text] of Object.entries(texts)) {
      assert.match(await read(folder, ".claude/skills/review/SKILL.md"), text);
      assert.match(await read(folder, ".claude/skills/kit/assets/ü.txt"), text);
      assert.match(await read(folder, folder === home ? ".codex/AGENTS.md" : "AGENTS.md"), text);
    }
    const cache = join(home, ".svc/cache/review");
    assert.ok(readlinkSync(join(project, ".claude/skills/review")).startsWith(join(cache, "versions/1-")));
    assert.equal(readlinkSync(join(home, ".claude/skills/review")), join(cache, "claude"));
    assert.ok(lstatSync(join(managed, ".claude/skills/review")).isDirectory());
    assert.deepEqual(JSON.parse(await read(cache, "meta.json")).semver, "2.0.0");
    assert.deepEqual(versionsOf({ home }, "review").sort(), ["1", "2"]);
  });

  it("share content by digest, which is removed with its last use", async (t) => {
    const { home, project, plain, skills, runIn } = await threeProjects(t);
    for (const cwd of [project, plain]) await runIn(cwd, "install", "kit@1.0.0", "-t", "claude", "-p");
    assert.equal(
      readlinkSync(join(project, ".claude/skills/kit")),
      readlinkSync(join(plain, ".claude/skills/kit")),
    );
    skills[2]!.versions.push({ semver: "2.0.0", files: kit("two") });

    await runIn(project, "pull", "kit", "--latest", "-p");
    assert.deepEqual(versionsOf({ home }, "kit").sort(), ["1", "2"]);
    await runIn(plain, "uninstall", "kit", "-p");
    assert.deepEqual(versionsOf({ home }, "kit"), ["2"]);
  });

  it("keep content that was edited through a link, also in a version that is not used any more", async (t) => {
    const { home, project, plain, skills, runIn } = await threeProjects(t);
    for (const cwd of [project, plain]) await runIn(cwd, "install", "kit@1.0.0", "-t", "claude", "-p");
    await writeFile(join(project, ".claude/skills/kit/SKILL.md"), "mine\n");
    skills[2]!.versions.push({ semver: "2.0.0", files: kit("two") });

    const refused = await runIn(project, "pull", "kit", "--latest", "-p");
    assert.equal(refused.code, 1);
    const copy = await runIn(home, "install", "kit@1.0.0", "-t", "cline", "-p", plain);
    assert.equal(copy.error.code, "E_ALREADY_EXISTS");
    for (const cwd of [project, plain]) await runIn(cwd, "uninstall", "kit", "-p");

    const [version] = readdirSync(join(home, ".svc/cache/kit/versions"));
    assert.equal(
      readFileSync(join(home, ".svc/cache/kit/versions", version!, "pkg/SKILL.md"), "utf8"),
      "mine\n",
    );
  });

  it("are refused at one place with two versions", async (t) => {
    const { home, skills, runIn } = await threeProjects(t);
    skills[0]!.versions.push({ semver: "2.0.0", body: "two\n" });
    await runIn(home, "install", "review@1.0.0", "-t", "claude", "-g");

    const refused = await runIn(home, "install", "review", "-t", "claude", "-p");

    assert.equal(refused.error.code, "E_NO_TARGETS");
    assert.match(JSON.stringify(refused.error.details), /installed at the user level in version 1\.0\.0/);
  });
});

describe("the method of an install", () => {
  it("is a copy in a project that records its skills, and stays on repetition", async (t) => {
    const { project, plain, runIn } = await threeProjects(t);
    await runIn(project, "install", "review", "-t", "claude,cursor", "-p", "--save");
    await runIn(plain, "install", "kit", "-t", "claude", "-p", "--copy");
    for (const [folder, path] of [
      [project, ".claude/skills/review"],
      [project, ".cursor/rules/review.mdc"],
      [plain, ".claude/skills/kit"],
    ] as const)
      assert.ok(!lstatSync(join(folder, path)).isSymbolicLink(), path);

    await runIn(plain, "install", "kit", "-t", "claude", "-p");
    assert.ok(lstatSync(join(plain, ".claude/skills/kit")).isDirectory());
    await runIn(plain, "install", "kit", "-t", "claude", "-p", "--symlink");
    await runIn(plain, "install", "kit", "-t", "claude", "-p");
    assert.ok(lstatSync(join(plain, ".claude/skills/kit")).isSymbolicLink());
  });
});

describe("pull and uninstall", () => {
  const setUp = async (t: TestContext) => {
    const made = await threeProjects(t);
    for (const [cwd, flag] of [
      [made.project, "-p"],
      [made.managed, "-p"],
      [made.plain, "-p"],
      [made.home, "-g"],
    ] as const)
      await made.runIn(cwd, "install", "review", "-t", "claude", flag);
    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    return made;
  };

  it("leave other projects with an svc.json alone, and name them", async (t) => {
    const { project, managed, plain, home, runIn, read } = await setUp(t);
    const before = snapshot(managed);
    const kept = [
      {
        installName: "review",
        publicId: "aaaaaaaaaa",
        slug: "review",
        tenantSlug: "acme",
        projectDir: managed,
        version: 1,
        semver: "1.0.0",
        pin: "latest",
      },
    ];

    const preview = dataOf<Pulled>(await runIn(project, "pull", "--dry-run"));
    assert.deepEqual([preview.dryRun, preview.skills[0]!.outcome], [true, "updated"]);
    assert.match(await read(plain, ".claude/skills/review/SKILL.md"), /one/);
    const pulled = dataOf<Pulled>(await runIn(project, "pull"));
    assert.deepEqual(pulled.kept, kept);
    assert.deepEqual(
      pulled.skills[0]!.scopes.map(({ projectDir }) => projectDir),
      [undefined, project, plain],
    );
    for (const folder of [project, plain, home])
      assert.match(await read(folder, ".claude/skills/review/SKILL.md"), /two/);
    assert.deepEqual(snapshot(managed), before);

    const would = dataOf<Uninstalled>(await runIn(project, "uninstall", "review", "--dry-run"));
    assert.equal(would.removed.length, 3);
    assert.ok(existsSync(join(plain, ".claude/skills/review")));
    const gone = dataOf<Uninstalled>(await runIn(project, "uninstall", "review", "--purge"));
    assert.deepEqual([gone.kept, gone.purged], [kept, false]);
    assert.match(gone.warnings.join(), /other installs of the skill need it/);
    assert.deepEqual(snapshot(managed), before);
    assert.deepEqual((await runIn(managed, "verify")).code, 0);
    const left = dataOf<Uninstalled>(await runIn(project, "uninstall", "review"));
    assert.deepEqual([left.removed, left.kept], [[], kept]);

    const all = dataOf<Uninstalled>(await runIn(project, "uninstall", "review", "--everywhere", "--purge"));
    assert.deepEqual([all.removed.length, all.kept, all.purged], [1, [], true]);
    assert.deepEqual(readdirSync(join(home, ".svc/cache")), []);
    assert.equal(await read(managed, "svc.lock"), '{\n  "lockVersion": 1,\n  "skills": {}\n}\n');
  });

  it("change a project with an svc.json from within, also from a folder in it", async (t) => {
    const { managed, runIn, read } = await setUp(t);
    const inner = join(managed, "src/deep");
    await mkdir(inner, { recursive: true });

    const pulled = dataOf<Pulled>(await runIn(inner, "pull", "-p"));

    assert.deepEqual(
      pulled.skills[0]!.scopes.map(({ projectDir, outcome }) => [projectDir, outcome]),
      [[managed, "updated"]],
    );
    assert.match(await read(managed, "svc.lock"), /"semver": "1\.1\.0"/);
    const gone = dataOf<Uninstalled>(await runIn(inner, "uninstall", "review", "-p"));
    assert.deepEqual(
      gone.removed.map(({ scope, semver, pin }) => [scope, semver, pin]),
      [["project", "1.1.0", "latest"]],
    );
  });

  it("are narrowed by -p and -g, and refuse what is not installed there", async (t) => {
    const { project, managed, plain, home, runIn } = await setUp(t);
    const others = () => [project, managed, plain].map((folder) => snapshot(folder));
    const before = others();
    assert.equal(dataOf<Pulled>(await runIn(project, "pull", "-g")).skills[0]!.scopes.length, 1);
    await runIn(project, "uninstall", "review", "-g");
    assert.deepEqual(others(), before);
    assert.ok(!existsSync(join(home, ".claude/skills/review")));

    const refused = await runIn(project, "uninstall", "review", "-g");
    assert.equal(refused.error.code, "E_NOT_FOUND");
    assert.match(refused.error.message, /review is not installed at the user level/);
    assert.match(
      (await runIn(home, "pull", "review", "-p", join(home, "x"))).error.message,
      /not installed in/,
    );
    assert.equal((await runIn(home, "pull", "-p", "-g")).error.code, "E_INVALID_ARGUMENT");
    assert.equal(
      dataOf<Uninstalled>(await runIn(home, "uninstall", "review", "-p", managed)).removed.length,
      1,
    );
  });

  it("keep the installs of another project when a profile is deleted", async (t) => {
    const { project, managed, home, runIn, read } = await threeProjects(t);
    await runIn(home, "profile", "create", "work");
    for (const cwd of [project, managed])
      await runIn(cwd, "install", "review", "-t", "claude", "-p", "--symlink", "--profile", "work");
    const before = snapshot(managed);

    const done = dataOf<{ warnings: string[] }>(await runIn(home, "profile", "delete", "work", "--force"));

    assert.match(done.warnings.join(), /has an svc\.json and keeps review, which profile default has now/);
    assert.deepEqual(snapshot(managed), before);
    assert.match(await read(managed, ".claude/skills/review/SKILL.md"), /one/);
    assert.ok(!existsSync(join(project, ".claude/skills/review")));
    assert.equal(dataOf<Pulled>(await runIn(managed, "pull")).skills[0]!.outcome, "upToDate");
  });
});

describe("a path that can't be written", () => {
  it("is a failure with exit code 1, and pull tries it again", async (t) => {
    const { project, run, read } = await makeFixture(t);
    // A link to itself fails for every user, also for root.
    await mkdir(join(project, ".cursor"));
    await symlink("skills", join(project, ".cursor/skills"));

    const ran = await run("install", "kit", "-t", "claude,cursor", "-p");

    assert.equal(ran.code, 1);
    const { installed, skipped, failed } = ran.data as {
      installed: { platform: string }[];
      skipped: unknown[];
      failed: { platform: string; path: string; error: string }[];
    };
    assert.deepEqual(
      installed.map(({ platform }) => platform),
      ["claude"],
    );
    assert.deepEqual(skipped, []);
    assert.deepEqual(
      failed.map(({ platform }) => platform),
      ["cursor"],
    );
    assert.match(failed[0]!.path, /\.cursor\/skills/);

    await rm(join(project, ".cursor/skills"));
    assert.equal((await run("pull")).code, 0);
    assert.match(await read(project, ".cursor/skills/kit/SKILL.md"), /one/);
  });
});

describe("the state of an earlier version of svc", () => {
  it("is upgraded: links of projects get content of their own", async (t) => {
    const { home, project, plain, runIn, config, skills, read } = await threeProjects(t);
    for (const slug of ["review", "kit"]) {
      await runIn(plain, "install", slug, "-t", "claude,cursor", "-p");
      await runIn(home, "install", slug, "-t", "claude,cursor", "-g");
    }
    await toFormatOne(home, await config());
    for (const [slug, entry] of [
      ["review", "claude"],
      ["kit", "pkg"],
    ] as const) {
      await rm(join(home, ".svc/cache", slug, "versions"), { recursive: true });
      await rm(join(plain, ".claude/skills", slug));
      await symlink(join(home, ".svc/cache", slug, entry), join(plain, ".claude/skills", slug));
    }
    skills[0]!.versions.push({ semver: "2.0.0", body: "two\n" });
    skills[2]!.versions.push({ semver: "2.0.0", files: kit("two") });

    await runIn(project, "pull", "-g");

    for (const file of ["review/SKILL.md", "kit/SKILL.md"]) {
      assert.match(await read(plain, ".claude/skills", file), /one/);
      assert.match(await read(home, ".claude/skills", file), /two/);
    }
    assert.equal((await config()).version, 2);
    assert.equal((await runIn(plain, "verify")).stdout.includes('"ok": false'), false);
    const pulled = dataOf<Pulled>(await runIn(plain, "pull"));
    assert.deepEqual(
      pulled.skills.map(({ outcome, warnings }) => [outcome, warnings]),
      [
        ["updated", []],
        ["updated", []],
      ],
    );
  });

  /** The form with pin, version and digest per skill. */
  async function toFormatOne(home: string, config: Config): Promise<void> {
    const installed = Object.fromEntries(
      Object.entries(config.profiles["default"]!.installed).map(([name, skill]) => {
        const { range, version, semver, hash, format } = skill.installs[0]!;
        const installs = skill.installs.map(
          ({ range: _r, version: _v, semver: _s, hash: _h, ...rest }) => rest,
        );
        return [name, { ...skill, range, version, semver, hash, format, installs }];
      }),
    );
    const profiles = { default: { ...config.profiles["default"], installed } };
    await writeFile(join(home, ".svc/config.json"), JSON.stringify({ ...config, version: 1, profiles }));
  }
});
