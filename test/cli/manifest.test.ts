/** svc.json and svc.lock in one process, against a registry of the test's making. */
import assert from "node:assert/strict";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { parseLock, printLock } from "../../cli/project/lock.ts";
import { editManifest, parseManifest } from "../../cli/project/manifest.ts";
import { targets } from "../../contract/vocabulary.ts";
import { keepContract } from "../support/cli-contract.ts";
import { kit, world, type World } from "./world.ts";

/** The registry's commits are no object ids; here they have to be. */
const commit = "0123456789abcdef0123456789abcdef01234567";

const lockOf = async (w: World) => parseLock(await w.read(w.project, "svc.lock"), "svc.lock");
const manifestOf = async (w: World) => JSON.parse(await w.read(w.project, "svc.json")) as unknown;
const install = (w: World, ref: string, target: string, ...more: string[]) =>
  w.run("install", ref, "-t", target, "-p", ...more);
const verify = async (w: World, ...more: string[]) => {
  const ran = await w.run("verify", ...more);
  assert.equal(ran.stderr, "");
  const report = keepContract("verify", ran.data);
  assert.equal(ran.code, report.ok ? 0 : 1);
  return report.drift.map(({ kind, skill, platform }) => [
    kind,
    skill,
    ...(platform === undefined ? [] : [platform]),
  ]);
};
const inOrder = (rows: string[][]) => rows.map((row) => row.join(" ")).toSorted();
const restore = async (w: World, ...more: string[]) => {
  const ran = await w.run("restore", ...more);
  assert.equal(ran.stderr, "");
  return keepContract("restore", ran.data);
};
const saved = async (t: TestContext) => {
  const w = await world(t);
  await install(w, "review@^1", "claude,codex", "--save");
  return w;
};

describe("svc install --save", () => {
  it("makes both files, and keeps them from then on", async (t) => {
    const w = await world(t);

    await install(w, "review@^1", "claude,codex", "--save");
    await install(w, "kit", "cursor");

    assert.deepEqual(await manifestOf(w), {
      skills: { "acme/kit": { version: "latest", targets: ["cursor"] }, "acme/review": "^1" },
      targets: ["claude", "codex"],
    });
    const lock = await lockOf(w);
    assert.deepEqual([...lock.keys()], ["acme/kit", "acme/review"]);
    const { digest, ...review } = lock.get("acme/review")!;
    assert.match(digest, /^[0-9a-f]{64}$/);
    assert.deepEqual(review, {
      publicId: "aaaaaaaaaa",
      requested: "^1",
      version: 1,
      semver: "1.0.0",
      commit,
      type: "skill",
      format: "markdown",
      name: "Review",
      description: "What it does",
      installName: "review",
      targets: new Map([
        ["claude", "symlink"],
        ["codex", "section"],
      ]),
    });
    assert.deepEqual(await verify(w), []);
  });

  it("leaves no trace without --save, with --no-save or for the user", async (t) => {
    const w = await world(t);
    await install(w, "review", "claude");
    await assert.rejects(w.read(w.project, "svc.json"));
    await writeFile(join(w.project, "svc.json"), "{}");

    await install(w, "kit", "claude", "--no-save");
    await w.run("install", "house", "-t", "claude", "-g");

    assert.equal(await w.read(w.project, "svc.json"), "{}");
    await assert.rejects(w.read(w.project, "svc.lock"));
  });

  it("refuses --save without a project, or with --no-save", async (t) => {
    const w = await world(t);
    for (const flags of [
      ["-g", "--save"],
      ["-p", "--save", "--no-save"],
    ]) {
      const ran = await w.run("install", "review", "-t", "claude", ...flags);
      assert.deepEqual([ran.code, ran.error.code], [1, "E_INVALID_ARGUMENT"]);
    }
  });

  it("keeps what people wrote into the manifest as they wrote it", async (t) => {
    const w = await world(t);
    const text =
      '{\r\n\t"$schema": "x",\r\n\t"skills": {"acme/zebra": {"version": "1.x", "note": "why"}},\r\n\t"owner": [1]\r\n}\r\n';
    await writeFile(join(w.project, "svc.json"), text);

    await install(w, "review@^1", "claude");

    const after = await w.read(w.project, "svc.json");
    assert.equal(after.replaceAll("\r\n", "").includes("\n"), false);
    assert.match(after, /^\t"\$schema": "x",\r$/m);
    assert.deepEqual(JSON.parse(after), {
      $schema: "x",
      skills: {
        "acme/review": { version: "^1", targets: ["claude"] },
        "acme/zebra": { version: "1.x", note: "why" },
      },
      owner: [1],
    });
  });

  it("records nothing of what was skipped, and refuses before installing where a file is damaged", async (t) => {
    const w = await world(t);
    await install(w, "kit", "claude,aider", "--save");
    assert.deepEqual([...(await lockOf(w)).get("acme/kit")!.targets.keys()], ["claude"]);
    await writeFile(join(w.project, "svc.lock"), "{}");

    const ran = await install(w, "review", "claude");

    assert.deepEqual(
      [ran.code, ran.error.code, ran.error.details?.["ref"]],
      [1, "E_INVALID_ARGUMENT", join(w.project, "svc.lock")],
    );
    assert.equal((await w.config()).profiles["default"]!.installed["review"], undefined);
  });
});

describe("svc pull and uninstall in a project", () => {
  it("move the lock along, pin in the manifest, and take skills out of both", async (t) => {
    const w = await saved(t);
    w.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" }, { semver: "2.0.0", body: "three\n" });

    await w.run("pull");
    const once = await w.read(w.project, "svc.lock");
    await w.run("pull");
    assert.equal(await w.read(w.project, "svc.lock"), once);
    assert.deepEqual(
      [...(await lockOf(w)).values()].map(({ semver, requested }) => [semver, requested]),
      [["1.0.0", "^1"]],
    );

    await w.run("pull", "review", "--latest");
    assert.deepEqual(
      [...(await lockOf(w)).values()].map(({ semver, requested }) => [semver, requested]),
      [["2.0.0", "latest"]],
    );
    await w.run("pull", "review", "--version", "2");
    assert.deepEqual(await manifestOf(w), {
      skills: { "acme/review": "1.1.0" },
      targets: ["claude", "codex"],
    });
    assert.deepEqual(await verify(w), []);

    await w.run("uninstall", "review");
    assert.deepEqual(await manifestOf(w), { skills: {}, targets: ["claude", "codex"] });
    assert.equal((await lockOf(w)).size, 0);
  });

  it("tell of a manifest that cannot be used, and do the rest", async (t) => {
    const w = await saved(t);
    w.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    await writeFile(join(w.project, "svc.json"), "<<<<<<< ours\n");

    const pulled = keepContract("pull", (await w.run("pull", "review", "--latest")).data);
    const removed = keepContract("uninstall", (await w.run("uninstall", "review")).data);

    assert.equal(pulled.skills[0]!.outcome, "updated");
    assert.match(pulled.skills[0]!.warnings.join(), /svc\.json holds a merge conflict/);
    assert.match(removed.warnings.join(), /svc\.json holds a merge conflict/);
    assert.equal(removed.removed.length, 2);
  });

  it("record what a stopped install or pull did not come to", async (t) => {
    const w = await saved(t);
    const before = await w.read(w.project, "svc.lock");
    w.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    await w.run("pull", "review", "--latest");
    const after = await w.read(w.project, "svc.lock");

    // As a kill leaves it between the files and the lock.
    await writeFile(join(w.project, "svc.lock"), before);
    assert.deepEqual(await verify(w), [["version", "acme/review"]]);
    await w.run("pull");
    assert.equal(await w.read(w.project, "svc.lock"), after);

    await rm(join(w.project, "svc.lock"));
    assert.deepEqual(await verify(w), [["manifest", "acme/review"]]);
    await w.run("pull");
    assert.equal(await w.read(w.project, "svc.lock"), after);
  });
});

describe("svc restore", () => {
  /** The same project in another home, as a fresh clone has it. */
  async function cloned(t: TestContext, w: World, intercept?: Parameters<typeof world>[1]): Promise<World> {
    const other = await world(t, intercept);
    other.skills.splice(0, other.skills.length, ...structuredClone(w.skills));
    for (const name of ["svc.json", "svc.lock"])
      await writeFile(join(other.project, name), await w.read(w.project, name));
    return other;
  }

  it("brings back exactly the version of the lock, whatever is current", async (t) => {
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
    assert.equal((await other.config()).profiles["default"]!.installed["review"]!.range, "^1");
  });

  it("asks no service where everything is in place, repairs what is not, and spares edits", async (t) => {
    const w = await saved(t);
    const env = { SVC_API_URL: "http://127.0.0.1:1" };
    const { svc } = await import("./harness.ts");
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

  it("takes a part of the tools, and tells what the lock does not name", async (t) => {
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

  const gaps: [manifest: unknown, reasons: string[][]][] = [
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
  for (const [manifest, reasons] of gaps)
    it(`fails where the lock does not hold ${JSON.stringify(manifest)}`, async (t) => {
      const w = await saved(t);
      await writeFile(join(w.project, "svc.json"), JSON.stringify(manifest));

      const ran = await w.run("restore");

      assert.deepEqual([ran.code, ran.stdout, ran.error.code], [1, "", "E_VERSION_CHANGED"]);
      const changes = ran.error.details?.["changes"] as { skill: string; reason: string; fix: string }[];
      assert.deepEqual(
        changes.map(({ skill, reason }) => [skill, reason]),
        reasons,
      );
      for (const { fix } of changes) assert.match(fix, /^svc install acme\/\w+(@\S+)? -p -t \S+$/);
      assert.deepEqual((await verify(w)).filter(([kind]) => kind === "manifest").length, reasons.length);
    });

  it("leaves out what the manifest no longer asks for, and a tool that cannot take it", async (t) => {
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
    assert.match(done.warnings.join(), /still holds acme\/review/);
    await other.run("pull");
    assert.deepEqual([...(await lockOf(other)).keys()], ["acme/kit"]);
  });

  it("writes nothing where the service has other bytes for one of the skills", async (t) => {
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

  it("moves nothing elsewhere without --force", async (t) => {
    const w = await saved(t);
    const other = await cloned(t, w);
    other.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    await other.run("install", "review", "-t", "codex", "-g");

    const refused = await other.run("restore");
    assert.deepEqual([refused.code, refused.error.code], [1, "E_VERSION_CHANGED"]);
    assert.match(await other.read(other.home, ".codex/AGENTS.md"), /two/);

    assert.equal((await restore(other, "--force")).skills[0]!.outcome, "updated");
    assert.match(await other.read(other.home, ".codex/AGENTS.md"), /one/);
    assert.equal((await other.config()).profiles["default"]!.installed["review"]!.range, "latest");
  });

  it("says what is missing where there is no lock, or a skill is gone", async (t) => {
    const empty = await world(t);
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
    ["a name that is none", (text) => text.replace('"acme/review"', '"../review"')],
    ["__proto__ as a name", (text) => text.replace('"acme/review"', '"__proto__"')],
    ["a control character in a name", (text) => text.replace('"acme/review"', '"a\\u001bb"')],
    ["an unknown tool", (text) => text.replace('"codex"', '"emacs"')],
    ["an unknown method", (text) => text.replace('"section"', '"shell"')],
    ["no digest", (text) => text.replace(/sha256:\w+/, "md5:x")],
    ["a version that is no number", (text) => text.replace('"version": 1', '"version": "1"')],
    ["a public id with a slash", (text) => text.replace("aaaaaaaaaa", "a/../../b")],
    ["a newer form", (text) => text.replace('"lockVersion": 1', '"lockVersion": 2')],
    ["no form", (text) => text.replace('"lockVersion": 1', '"lockVersion": "1"')],
    ["conflict markers", (text) => `<<<<<<< ours\n${text}=======\n${text}>>>>>>> theirs\n`],
    ["no end", (text) => text.slice(0, -20)],
    ["ten megabytes", (text) => text + " ".repeat(10_000_000)],
    ["other bytes than text", () => "\u0000\uFFFF"],
    ["a list", () => "[]"],
  ];
  for (const [what, change] of hostile)
    it(`refuses a lock with ${what}`, async (t) => {
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

describe("svc verify", () => {
  it("finds every kind of drift, in a project and everywhere", async (t) => {
    const w = await saved(t);
    await install(w, "kit", "claude,cursor");
    await w.run("install", "house", "-t", "codex", "-g");
    assert.deepEqual(await verify(w), []);
    assert.deepEqual(await verify(w, "-g"), []);

    await writeFile(join(w.home, ".svc/cache/kit/pkg/SKILL.md"), "mine");
    await writeFile(join(w.project, ".cursor/skills/kit/SKILL.md"), "mine");
    await writeFile(join(w.home, ".codex/AGENTS.md"), "");
    await symlink(join(w.home, ".svc/cache/kit/pkg"), join(w.project, ".claude/skills/stray"));
    await writeFile(
      join(w.project, "AGENTS.md"),
      `${await w.read(w.project, "AGENTS.md")}\n<!-- svc:start:lost -->\nx\n<!-- svc:end:lost -->\n`,
    );

    const project = [
      ["cache", "kit"],
      ["edited", "kit", "cursor"],
      ["unrecorded", "kit"],
      ["unrecorded", "lost"],
    ];
    assert.deepEqual(inOrder(await verify(w)), inOrder(project));
    assert.deepEqual(inOrder(await verify(w, "-g")), inOrder([...project, ["missing", "house", "codex"]]));
  });

  it("tells a lock that names other bytes, and bytes of the cache that only their digests vouch for", async (t) => {
    const w = await saved(t);
    const lock = await w.read(w.project, "svc.lock");
    await writeFile(join(w.project, "svc.lock"), lock.replace(/sha256:\w{4}/, "sha256:0000"));
    assert.deepEqual(await verify(w), [["digest", "acme/review"]]);
    await writeFile(join(w.project, "svc.lock"), lock);

    const meta = JSON.parse(await w.read(w.home, ".svc/cache/review/meta.json")) as {
      digests: Record<string, string>;
    };
    const { createHash } = await import("node:crypto");
    await writeFile(join(w.home, ".svc/cache/review/raw.md"), "mine\n");
    meta.digests["raw.md"] = createHash("sha256").update("mine\n").digest("hex");
    await writeFile(join(w.home, ".svc/cache/review/meta.json"), JSON.stringify(meta));
    assert.deepEqual(await verify(w), [["cache", "review"]]);
  });

  it("tells people where the copies of a lost state lie", async (t) => {
    const w = await world(t);
    await install(w, "kit", "cursor", "--save");
    await rm(join(w.home, ".svc"), { recursive: true });

    assert.deepEqual(await verify(w), [
      ["notInstalled", "acme/kit", "cursor"],
      ["unrecorded", "acme/kit", "cursor"],
    ]);
    assert.equal((await restore(w)).skills[0]!.outcome, "installed");
    assert.deepEqual(await verify(w), []);
  });
});

describe("the files of a project", () => {
  const ref = fc.constantFrom("acme/a", "acme/b", "acme/c", "b", "zeta/x");
  const range = fc.constantFrom("latest", "^1.2", "1.0.0", "1.x", "*");
  const where = fc.option(fc.subarray([...targets]), { nil: undefined });
  const wish = fc.record({ range, targets: where });

  it("come to the same bytes whatever the order of changes, and back from them", () => {
    const locked = fc.record({
      publicId: fc.constant("aaaaaaaaaa"),
      requested: range,
      version: fc.integer({ min: 1, max: 99 }),
      semver: fc.constantFrom("1.0.0", "2.1.0-beta.1"),
      digest: fc.constant("0".repeat(64)),
      commit: fc.constant(commit),
      type: fc.constantFrom("skill" as const, "rule" as const),
      format: fc.constant("markdown" as const),
      name: fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom("a", "ü", '"', "\\", " ") }),
      description: fc.string({ maxLength: 40 }),
      installName: fc.constant("a"),
      targets: fc
        .subarray([...targets])
        .map((names) => new Map(names.map((name) => [name, "copy" as const]))),
    });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(ref, locked), { selector: ([name]) => name }), (entries) => {
        const named = entries.map(
          ([name, entry], i) => [name, { ...entry, publicId: `p${i}`, installName: `n${i}` }] as const,
        );
        const text = printLock(new Map(named));

        assert.equal(printLock(new Map(named.toReversed())), text);
        assert.equal(printLock(parseLock(text, "svc.lock")), text);
      }),
    );
  });

  it("lose nothing by an edit, and gain nothing by its undoing", () => {
    fc.assert(
      fc.property(fc.dictionary(ref, wish), ref, wish, (wishes, name, added) => {
        const skills = Object.fromEntries(
          Object.entries(wishes).map(([key, one]) => [
            key,
            { version: one.range, ...(one.targets ? { targets: one.targets } : {}) },
          ]),
        );
        const text = `${JSON.stringify({ a: 1, skills, z: { b: [] } }, undefined, 2)}\n`;
        const before = parseManifest(text, "svc.json");
        const changed = editManifest(text, "svc.json", (manifest) => {
          manifest.skills.set(name, { range: added.range });
        });

        assert.deepEqual(
          [...parseManifest(changed, "svc.json").skills.keys()].toSorted(),
          [...new Set([...before.skills.keys(), name])].toSorted(),
        );
        assert.deepEqual(
          { ...(JSON.parse(changed) as object), skills: 0 },
          { a: 1, skills: 0, z: { b: [] } },
        );
        const undone = editManifest(changed, "svc.json", (manifest) => {
          const old = before.skills.get(name);
          if (old === undefined) manifest.skills.delete(name);
          else manifest.skills.set(name, old);
        });
        assert.deepEqual(parseManifest(undone, "svc.json").skills, before.skills);
        assert.equal(
          editManifest(text, "svc.json", () => undefined),
          text,
        );
      }),
    );
  });
});
