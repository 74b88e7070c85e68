/** `svc publish` of a folder of skills, and dry runs of `publish` and `push`, against the real service. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { keepContract } from "../support/cli-contract.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner } = await setUpOrganization();

type Files = Record<string, string | Buffer>;
const skillText = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\n# ${name}\n${more}`;

async function layOut(t: TestContext, files: Files): Promise<string> {
  const home = await temporaryFolder(t);
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), data);
  }
  return home;
}

/** Seventeen skills, with scripts, fonts, pictures and names of other scripts. */
function seventeen(): Files {
  const files: Files = {};
  for (let i = 1; i <= 17; i++) files[`skills/kit-${i}/SKILL.md`] = skillText(`kit-${i}`);
  return {
    ...files,
    "skills/kit-1/scripts/run.sh": "#!/bin/sh\necho ok\n",
    "skills/kit-2/fonts/Übersicht – 説明.woff2": randomBytes(200_000),
    "skills/kit-3/images/🚀 logo.png": Buffer.concat([Buffer.from("\u0089PNG\r\n\0"), randomBytes(5000)]),
    "skills/kit-4/LICENSE.txt": "MIT\n",
    "skills/README.md": "Not a skill.\n",
  };
}

async function setUp(t: TestContext, files: Files) {
  const org = await service.newOrg(owner);
  const home = await layOut(t, files);
  const env = { SVC_API_URL: service.url, SVC_TOKEN: owner.token };
  const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, env });
  const text = (...argv: string[]) => svc(argv, { home, env });
  const publish = async (...argv: string[]) => {
    const ran = await run("publish", ...argv, "-t", org.slug);
    const data = ran.stdout === "" ? undefined : keepContract("publishAll", ran.data);
    return { code: ran.code, stderr: ran.stderr, document: data };
  };
  return { org, home, run, text, publish };
}

describe("svc publish <folder of skills>", () => {
  it("publishes each skill with all of its bytes, and later only the changed ones", async (t) => {
    const { org, home, run, publish } = await setUp(t, seventeen());
    await chmod(join(home, "skills/kit-1/scripts/run.sh"), 0o755);

    const first = await publish("skills");
    const again = await publish("skills");
    await writeFile(join(home, "skills/kit-5/SKILL.md"), skillText("kit-5", "More.\n"));
    const third = await publish("skills", "-m", "More");

    assert.equal(first.code, 0, first.stderr);
    assert.deepEqual(first.document?.summary, { created: 17, updated: 0, unchanged: 0, failed: 0 });
    assert.deepEqual(again.document?.summary, { created: 0, updated: 0, unchanged: 17, failed: 0 });
    assert.deepEqual(third.document?.summary, { created: 0, updated: 1, unchanged: 16, failed: 0 });
    const changed = third.document?.skills.find(({ outcome }) => outcome === "updated");
    assert.deepEqual([changed?.path, changed?.semver], ["skills/kit-5", "1.0.1"]);
    for (const kit of ["kit-1", "kit-2", "kit-3"]) {
      const project = await temporaryFolder(t);
      assert.equal(
        (await run("install", `${org.slug}/${kit}`, "-t", "cursor", "-p", project, "--copy")).code,
        0,
      );
      const [at, from] = [join(project, ".cursor/skills", kit), join(home, "skills", kit)];
      const names = (await readdir(from, { recursive: true })).toSorted();
      assert.deepEqual((await readdir(at, { recursive: true })).toSorted(), names);
      for (const name of names.filter((one) => /\.\w+$/.test(one)))
        assert.ok((await readFile(join(at, name))).equals(await readFile(join(from, name))), name);
    }
  });

  it("publishes the others if some are refused, with exit code 1", async (t) => {
    const { publish, text, org } = await setUp(t, {
      "skills/good/SKILL.md": skillText("good"),
      "skills/style/RULE.md": "Be brief.\n",
      "skills/broken/SKILL.md": "---\nname: a: b\n---\nx\n",
      "skills/secret/SKILL.md": skillText("secret"),
      "skills/secret/.env": "A=1\n",
      "skills/twin/SKILL.md": skillText("good", "More.\n"),
    });

    const { code, document, stderr } = await publish("skills");
    const shown = await text("publish", "skills", "-t", org.slug);

    assert.deepEqual([code, stderr], [1, ""]);
    assert.deepEqual(
      document?.skills.map(({ path, outcome, skill, error }) => [
        path,
        outcome,
        skill?.type,
        error?.details?.["rule"],
      ]),
      [
        ["skills/broken", "failed", undefined, "frontmatter_yaml"],
        ["skills/good", "created", "skill", undefined],
        ["skills/secret", "failed", undefined, "secret_file"],
        ["skills/style/RULE.md", "created", "rule", undefined],
        ["skills/twin", "failed", undefined, undefined],
      ],
    );
    assert.equal(shown.code, 1);
    assert.match(shown.stdout, new RegExp(`^${org.slug}/good +unchanged`, "m"));
    assert.match(shown.stdout, /^failed {2}skills\/twin: .*has the name of skills\/good/m);
    assert.match(shown.stdout, /^2 unchanged, 3 failed\.$/m);
  });

  it("refuses a RULE.md that is a link, which may lead to any file", async (t) => {
    const { home, run, publish } = await setUp(t, {
      "skills/kit/SKILL.md": skillText("kit"),
      "passwords.txt": "hunter2\n",
    });
    for (const [name, target] of [
      ["style", "passwords.txt"],
      ["broken", "missing.txt"],
    ] as const) {
      await mkdir(join(home, "skills", name));
      await symlink(join(home, target), join(home, "skills", name, "RULE.md"));
    }

    const published = await publish("skills");
    const linted = await run("lint", "skills");

    assert.deepEqual(published.document?.summary, { created: 1, updated: 0, unchanged: 0, failed: 2 });
    for (const { path, error } of published.document.skills.filter(({ outcome }) => outcome === "failed"))
      assert.deepEqual(error?.message, `"${path}" is a link: put the file itself there.`);
    const { findings } = keepContract("lint", linted.data);
    assert.deepEqual(
      findings.filter(({ severity }) => severity === "error").map(({ rule, path }) => [rule, path]),
      [
        ["symlink", "skills/broken/RULE.md"],
        ["symlink", "skills/style/RULE.md"],
      ],
    );
  });

  it("refuses --name, and a folder without skills as a package", async (t) => {
    const { run, org } = await setUp(t, {
      "skills/good/SKILL.md": skillText("good"),
      "empty/README.md": "x",
    });

    const named = await run("publish", "skills", "-t", org.slug, "--name", "x");
    const empty = await run("publish", "empty", "-t", org.slug);

    assert.deepEqual([named.error.code, named.error.details?.["flag"]], ["E_INVALID_ARGUMENT", "--name"]);
    assert.deepEqual(
      [empty.error.code, empty.error.details?.["rule"]],
      ["E_PACK_FAILED", "root_file_missing"],
    );
  });
});

describe("--dry-run", () => {
  it("shows what a publish of one skill or of a folder would do, and sends nothing", async (t) => {
    const { org, run, publish, text } = await setUp(t, {
      "skills/good/SKILL.md": skillText("good"),
      "skills/broken/SKILL.md": "---\nname: a: b\n---\nx\n",
      "notes.md": "# Notes\n",
    });

    const all = await publish("skills", "--dry-run");
    const one = keepContract(
      "publishDryRun",
      (await run("publish", "notes.md", "-t", org.slug, "--dry-run", "--visibility", "public")).data,
    );
    const shown = await text("publish", "notes.md", "-t", org.slug, "--dry-run");
    const listed = await run("list");

    assert.deepEqual(
      [all.code, all.document?.dryRun, all.document?.summary],
      [1, true, { created: 1, updated: 0, unchanged: 0, failed: 1 }],
    );
    assert.deepEqual(
      [one.action, one.semver, one.skill.slug, one.skill.visibility, one.skill.publicId],
      ["created", "1.0.0", "notes", "public", undefined],
    );
    assert.match(
      shown.stdout,
      new RegExp(`^Would publish notes \\(${org.slug}/notes\\) 1\\.0\\.0, private\\.$`, "m"),
    );
    assert.deepEqual(
      (listed.data as { tenantSlug: string }[]).filter(({ tenantSlug }) => tenantSlug === org.slug),
      [],
    );
  });

  it("reports an update, equal content, ignored flags, and the refusals of the service", async (t) => {
    const { org, run, text } = await setUp(t, { "notes.md": "---\nname: Notes\n---\n# Notes\n" });
    const line = ["publish", "notes.md", "-t", org.slug];
    await run(...line);

    const again = keepContract(
      "publishDryRun",
      (await run(...line, "--dry-run", "--visibility", "public")).data,
    );
    const created = await run(...line, "--dry-run", "--create");
    const ignored = await text(...line, "--visibility", "public");

    assert.deepEqual(
      [again.action, again.unchanged, again.semver, again.ignoredFlags],
      ["updated", true, "1.0.1", ["visibility"]],
    );
    assert.equal(created.error.code, "E_ALREADY_EXISTS");
    assert.match(ignored.stderr, /--visibility was ignored: the skill stays private\. Use svc visibility/);
  });

  it("shows the version that a push would create", async (t) => {
    const { org, home, run } = await setUp(t, { "notes.md": "# Notes\n" });
    await run("publish", "notes.md", "-t", org.slug);
    const push = (...argv: string[]) =>
      run("push", "notes.md", "-s", `${org.slug}/notes`, "--dry-run", ...argv);

    const same = keepContract("pushDryRun", (await push()).data);
    await writeFile(join(home, "notes.md"), "# Changed\n");
    const minor = keepContract("pushDryRun", (await push("--minor")).data);
    const low = await push("--version", "0.1.0");

    assert.deepEqual([same.unchanged, same.version.semver], [true, "1.0.1"]);
    assert.deepEqual([minor.unchanged, minor.version.semver], [false, "1.1.0"]);
    assert.match(low.error.message, /Version 0\.1\.0 does not exceed 1\.0\.0/);
    const versions = await run("versions", `${org.slug}/notes`);
    assert.equal((versions.data as unknown[]).length, 1);
  });

  it("requires the permissions of the publish", async (t) => {
    const { org, home } = await setUp(t, { "notes.md": "# Notes\n" });
    const stranger = await service.newUser();
    const env = { SVC_API_URL: service.url, SVC_TOKEN: stranger.token };

    const { error } = await svc(["publish", "notes.md", "-t", org.slug, "--dry-run", "-o", "json"], {
      home,
      env,
    });

    assert.equal(error.code, "E_NOT_FOUND");
  });
});
