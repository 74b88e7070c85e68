/** `svc verify` in one process: every kind of drift. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import path, { join } from "node:path";
import { describe, it } from "node:test";
import { driftKinds } from "../../contract/vocabulary.ts";
import { makeFixture } from "../cli/fixture.ts";
import { root } from "../support/root.ts";
import { contentOf, install, restore, saved, verify } from "./project-fixture.ts";

const inOrder = (rows: string[][]) => rows.map((row) => row.join(" ")).toSorted();

describe("svc verify", () => {
  it("documents every kind of drift", async () => {
    const document = await readFile(path.join(root, "docs/reference/manifest.md"), "utf8");

    for (const kind of driftKinds) assert.match(document, new RegExp(`^. .${kind}. `, "m"));
  });

  it("finds every kind of drift, in a project and everywhere", async (t) => {
    const w = await saved(t);
    await install(w, "kit", "claude,cursor", "--symlink");
    await w.run("install", "house", "-t", "codex", "-g");
    assert.deepEqual(await verify(w), []);
    assert.deepEqual(await verify(w, "-g"), []);

    const content = await contentOf(w, "kit");
    await writeFile(join(content, "pkg/SKILL.md"), "mine");
    await writeFile(join(w.project, ".cursor/skills/kit/SKILL.md"), "mine");
    await writeFile(join(w.home, ".codex/AGENTS.md"), "");
    await symlink(join(content, "pkg"), join(w.project, ".claude/skills/stray"));
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

  it("reports a lock that names other bytes, and cached bytes that only their digests confirm", async (t) => {
    const w = await saved(t);
    const lock = await w.read(w.project, "svc.lock");
    await writeFile(join(w.project, "svc.lock"), lock.replace(/sha256:\w{4}/, "sha256:0000"));
    assert.deepEqual(await verify(w), [["digest", "acme/review"]]);
    await writeFile(join(w.project, "svc.lock"), lock);

    const content = await contentOf(w, "review");
    const meta = JSON.parse(await w.read(content, "meta.json")) as {
      digests: Record<string, string>;
    };
    await writeFile(join(content, "raw.md"), "mine\n");
    meta.digests["raw.md"] = createHash("sha256").update("mine\n").digest("hex");
    await writeFile(join(content, "meta.json"), JSON.stringify(meta));
    assert.deepEqual(await verify(w), [["cache", "review"]]);
  });

  it("shows people where the copies of a lost state are", async (t) => {
    const w = await makeFixture(t);
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
