/** svc.json and svc.lock in one process, against a registry of the test. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseLock, printLock } from "../../cli/project/lock.ts";
import { editManifest, parseManifest } from "../../cli/project/manifest.ts";
import { targets } from "../../contract/vocabulary.ts";
import { makeFixture } from "../cli/fixture.ts";
import { keepContract } from "../support/cli-contract.ts";
import { install, lockOf, manifestOf, saved, verify } from "./project-fixture.ts";

/** Version numbers of the registry. */
const commit = "0123456789abcdef0123456789abcdef01234567";

describe("svc install --save", () => {
  it("creates both files, and updates them from then on", async (t) => {
    const w = await makeFixture(t);

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
      frontmatter: undefined,
      shared: undefined,
      also: undefined,
      targets: new Map([
        ["claude", "copy"],
        ["codex", "section"],
      ]),
    });
    assert.deepEqual(await verify(w), []);
  });

  it("changes neither file without --save, with --no-save or for the user", async (t) => {
    const w = await makeFixture(t);
    await install(w, "review", "claude");
    await assert.rejects(w.read(w.project, "svc.json"));
    await writeFile(join(w.project, "svc.json"), "{}");

    await install(w, "kit", "claude", "--no-save");
    await w.run("install", "house", "-t", "claude", "-g");

    assert.equal(await w.read(w.project, "svc.json"), "{}");
    await assert.rejects(w.read(w.project, "svc.lock"));
  });

  it("rejects --save without a project, or with --no-save", async (t) => {
    const w = await makeFixture(t);
    for (const flags of [
      ["-g", "--save"],
      ["-p", "--save", "--no-save"],
    ]) {
      const ran = await w.run("install", "review", "-t", "claude", ...flags);
      assert.deepEqual([ran.code, ran.error.code], [1, "E_INVALID_ARGUMENT"]);
    }
  });

  it("preserves what people wrote into the manifest", async (t) => {
    const w = await makeFixture(t);
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

  it("records nothing about skipped skills, and fails before installing if a file is damaged", async (t) => {
    const w = await makeFixture(t);
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
  it("update the lock, pin in the manifest, and remove skills from both", async (t) => {
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

  it("report an invalid manifest, and do the rest", async (t) => {
    const w = await saved(t);
    w.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    await writeFile(join(w.project, "svc.json"), "<<<<<<< ours\n");

    const pulled = keepContract("pull", (await w.run("pull", "review", "--latest")).data);
    const removed = keepContract("uninstall", (await w.run("uninstall", "review")).data);

    assert.equal(pulled.skills[0]!.outcome, "updated");
    assert.match(pulled.skills[0]!.warnings.join(), /svc\.json has a merge conflict/);
    assert.match(removed.warnings.join(), /svc\.json has a merge conflict/);
    assert.equal(removed.removed.length, 2);
  });

  it("complete the record of an interrupted install or pull", async (t) => {
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

describe("the files of a project", () => {
  const ref = fc.constantFrom("acme/a", "acme/b", "acme/c", "b", "zeta/x");
  const range = fc.constantFrom("latest", "^1.2", "1.0.0", "1.x", "*");
  const where = fc.option(fc.subarray([...targets]), { nil: undefined });
  const wish = fc.record({ range, targets: where });

  it("are the same bytes for any order of changes, and round-trip", () => {
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

  it("keep other content when a skill is added, and are restored when it is removed", () => {
    fc.assert(
      fc.property(fc.dictionary(ref, wish), ref, wish, (wishes, name, added) => {
        const skills = Object.fromEntries(
          Object.entries(wishes).map(([key, one]) => [key, { version: one.range, targets: one.targets }]),
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
