import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { access, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { Config } from "../../cli/state/config.ts";
import { root } from "../support/root.ts";
import { plainEnv } from "../support/server.ts";
import { dataOf, makeFixture } from "./fixture.ts";
import { svc, temporaryFolder } from "./harness.ts";

const token = `lsk_${"ab".repeat(32)}`;

interface Listed {
  name: string;
  active: boolean;
  activeViaOverride: boolean;
  isDefault: boolean;
  authenticated: boolean;
  skillCount: number;
}

/** `svc` in a child process. */
function spawnSvc(home: string, ...argv: string[]): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [join(root, "bin", "svc"), ...argv], {
    env: plainEnv({ HOME: home }),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stderr }));
  });
}

describe("profiles", () => {
  it("are created, switched, listed and deleted", async (t) => {
    const { run } = await makeFixture(t);

    assert.deepEqual(dataOf(await run("profile", "create", "work")), { name: "work", created: true });
    assert.deepEqual(dataOf(await run("profile", "switch", "work")), { name: "work", switched: true });
    const listed = dataOf<Listed[]>(await run("profile", "list"));
    const deleted = await run("profile", "delete", "work", "--force");
    const left = dataOf<Listed[]>(await run("profile", "list"));

    const none = { activeViaOverride: false, authenticated: false, skillCount: 0 };
    assert.deepEqual(listed, [
      { name: "default", active: false, isDefault: true, ...none },
      { name: "work", active: true, isDefault: false, ...none },
    ]);
    assert.deepEqual(dataOf(deleted), { name: "work", deleted: true, warnings: [] });
    assert.deepEqual(left, [{ name: "default", active: true, isDefault: true, ...none }]);
  });

  it("need a valid name that is not in use, and must exist to be used", async (t) => {
    const { run, home } = await makeFixture(t);
    await run("profile", "create", "a-1");
    for (const [argv, code, details] of [
      [["create", "Work"], "E_INVALID_ARGUMENT", { kind: "profile", ref: "Work", flag: "<name>" }],
      [["create", "a/../b"], "E_INVALID_ARGUMENT", { kind: "profile", ref: "a/../b", flag: "<name>" }],
      [
        ["create", "x".repeat(33)],
        "E_INVALID_ARGUMENT",
        { kind: "profile", ref: "x".repeat(33), flag: "<name>" },
      ],
      [["create", "a-1"], "E_ALREADY_EXISTS", { kind: "profile", ref: "a-1" }],
      [["create", "default"], "E_ALREADY_EXISTS", { kind: "profile", ref: "default" }],
      [["create"], "E_INVALID_ARGUMENT", { flag: "<name>" }],
      [["switch", "b"], "E_NOT_FOUND", { kind: "profile", ref: "b" }],
      [["switch", "../b"], "E_INVALID_ARGUMENT", { kind: "profile", ref: "../b", flag: "<name>" }],
      [["delete", "b", "--force"], "E_NOT_FOUND", { kind: "profile", ref: "b" }],
      [
        ["delete", "default", "--force"],
        "E_INVALID_ARGUMENT",
        { kind: "profile", ref: "default", flag: "<name>" },
      ],
      [["delete", "a-1"], "E_INTERACTION_REQUIRED", { flag: "--force" }],
      [["delet", "a-1"], "E_INVALID_ARGUMENT", { flag: "<command>" }],
      [[], "E_INVALID_ARGUMENT", { flag: "<command>" }],
    ] as const) {
      const ran = await svc(["profile", ...argv, "-o", "json"], { home });
      assert.deepEqual(
        [ran.code, ran.stdout, ran.error.code, ran.error.details],
        [1, "", code, details],
        argv.join(" "),
      );
    }
    assert.equal(dataOf<Listed[]>(await run("profile", "list")).length, 2);
    assert.equal((await run("profile", "create", "x".repeat(32))).code, 0);
    // A property that every JavaScript object has.
    assert.equal((await run("profile", "create", "constructor")).code, 0);
    assert.equal((await run("list", "--installed", "--profile", "constructor")).code, 0);
  });

  it("have their own login and skills, chosen by flag, then variable, then switch", async (t) => {
    const { home, run, config } = await makeFixture(t);
    await run("profile", "create", "work");
    await run("profile", "create", "home");
    const stored = await config();
    stored.profiles["work"]!.token = token;
    await writeFile(join(home, ".svc", "config.json"), JSON.stringify(stored));
    await run("install", "review", "-t", "claude", "-g", "--profile", "work");
    await run("profile", "switch", "home");

    const active = async (...argv: string[]) =>
      dataOf<Listed[]>(
        await svc(["profile", "list", "-o", "json", ...argv], { home, env: { SVC_PROFILE: "work" } }),
      )
        .filter((one) => one.active)
        .map((one) => [one.name, one.activeViaOverride, one.authenticated, one.skillCount]);

    assert.deepEqual(await active(), [["work", true, true, 1]]);
    assert.deepEqual(await active("--profile", "default"), [["default", true, false, 0]]);
    const switched = dataOf<Listed[]>(await run("profile", "list")).filter((one) => one.active);
    assert.deepEqual(
      switched.map(({ name, activeViaOverride }) => [name, activeViaOverride]),
      [["home", false]],
    );
    assert.deepEqual(dataOf(await run("list", "--installed")), []);
    const text = await svc(["profile", "list"], { home });
    assert.match(text.stdout, /\*\s+home/);
  });

  it("are deleted with their skills, except for edited ones", async (t) => {
    const { home, project, run, read } = await makeFixture(t);
    await run("profile", "create", "work");
    const inWork = (...argv: string[]) => run(...argv, "--profile", "work");
    await inWork("install", "review", "-t", "claude,cursor", "-g");
    await inWork("install", "house", "-t", "codex", "-p");
    await inWork("install", "kit", "-t", "cursor", "-p");
    await run("install", "house", "-t", "claude", "-g");
    const edited = join(home, ".cursor/skills/review/SKILL.md");
    await writeFile(edited, "mine\n");

    const refused = await run("profile", "delete", "work");
    const done = dataOf<{ warnings: string[] }>(await run("profile", "delete", "work", "--force"));

    assert.equal(refused.error.code, "E_INTERACTION_REQUIRED");
    assert.equal(done.warnings.length, 1);
    assert.ok(done.warnings[0]!.startsWith(dirname(edited)), done.warnings[0]);
    assert.equal(await readFile(edited, "utf8"), "mine\n");
    for (const gone of [
      join(home, ".claude/skills/review"),
      join(project, "AGENTS.md"),
      join(project, ".cursor/skills/kit"),
      join(home, ".svc/cache/kit"),
      join(home, ".svc/cache/review"),
    ])
      await assert.rejects(access(gone), gone);
    // Those of the other profile are unchanged, and so is the shared cache.
    assert.equal(
      await read(home, ".claude/rules/house.md"),
      await read(home, ".svc/cache/house/claude/house.md"),
    );
    assert.deepEqual(
      dataOf<Listed[]>(await run("profile", "list")).map((one) => [one.name, one.active]),
      [["default", true]],
    );
  });

  it("keep files that were edited through a link", async (t) => {
    const { home, run } = await makeFixture(t);
    await run("profile", "create", "work");
    await run("install", "review", "-t", "claude", "-g", "--profile", "work");
    await writeFile(join(home, ".claude/skills/review/SKILL.md"), "mine\n");

    const done = dataOf<{ warnings: string[] }>(await run("profile", "delete", "work", "--force"));

    assert.match(done.warnings.join(), /review was edited through its link; it is kept in .*cache.review/);
    assert.equal(await readFile(join(home, ".svc/cache/review/claude/SKILL.md"), "utf8"), "mine\n");
  });

  it("are all kept when 20 processes create one each at once", async (t) => {
    const home = await temporaryFolder(t);
    const names = Array.from({ length: 20 }, (_, i) => `p${String(i).padStart(2, "0")}`);

    const ran = await Promise.all(names.map((name) => spawnSvc(home, "profile", "create", name)));

    for (const { code, stderr } of ran) assert.equal(code, 0, stderr);
    const config = JSON.parse(await readFile(join(home, ".svc", "config.json"), "utf8")) as Config;
    assert.deepEqual(Object.keys(config.profiles).sort(), ["default", ...names]);
  });
});
