import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path, { dirname, join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { isInstalled, isUsedIn, programPaths } from "../../cli/targets/detect.ts";
import { findTarget, targetDefinitions } from "../../cli/targets/index.ts";
import type { Machine } from "../../cli/targets/target.ts";
import { temporaryFolder } from "./harness.ts";

/** Tools that are detected on a machine with these folders (ending in `/`) and files below its home. */
async function detected(
  t: TestContext,
  things: readonly string[],
  change: (home: string) => Partial<Machine> = () => ({}),
): Promise<string[]> {
  const home = await temporaryFolder(t);
  for (const thing of things) {
    const at = join(home, thing);
    await mkdir(thing.endsWith("/") ? at : dirname(at), { recursive: true });
    if (thing.endsWith("/")) continue;
    await writeFile(at, "");
    await chmod(at, thing.startsWith("bin/") ? 0o755 : 0o644);
  }
  const machine: Machine = { home, env: {}, platform: "linux", paths: path, ...change(home) };
  const found = await Promise.all(
    targetDefinitions.map(async (definition) =>
      (await isInstalled(definition, machine)) ? definition.name : "",
    ),
  );
  return found.filter((name) => name !== "");
}

describe("a tool is detected", () => {
  for (const [things, tools] of [
    [[], []],
    [[".cursor/"], ["cursor"]],
    [[".claude/"], ["claude"]],
    [[".local/bin/claude"], ["claude"]],
    [[".codex/"], ["codex"]],
    [[".codeium/windsurf/"], ["windsurf"]],
    [[".codeium/windsurf-next/"], ["windsurf"]],
    [[".config/devin/"], ["windsurf"]],
    [[".cline/"], ["cline"]],
    [[".vscode/extensions/saoudrizwan.claude-dev-4.1.13/"], ["cline"]],
    [[".windsurf/extensions/saoudrizwan.claude-dev-3.0.0/"], ["cline"]],
    [[".vscode/extensions/github.copilot-chat-0.40.0/"], ["copilot"]],
    [[".vscode/extensions/other.thing-1.0.0/"], []],
    [[".copilot/"], ["copilot"]],
    [[".config/Code/User/"], ["copilot"]],
    [[".config/Code - Insiders/User/"], ["copilot"]],
    [[".config/opencode/"], ["opencode"]],
    [[".opencode/bin/opencode"], ["opencode"]],
    [[".aider.conf.yml"], ["aider"]],
    [[".aider/"], ["aider"]],
    [[".agents/", ".codeium/", ".config/"], []],
  ] as const)
    it(`by ${things.join(", ") || "nothing"}: ${tools.join(", ") || "none"}`, async (t) => {
      assert.deepEqual(await detected(t, things), tools);
    });

  for (const [program, tools] of [
    ["cursor-agent", ["cursor"]],
    ["claude", ["claude"]],
    ["codex", ["codex"]],
    ["devin", ["windsurf"]],
    ["cline", ["cline"]],
    ["code-insiders", ["copilot"]],
    ["opencode2", ["opencode"]],
    ["aider", ["aider"]],
  ] as const)
    it(`by the program ${program} on PATH`, async (t) => {
      const change = (home: string) => ({ env: { PATH: `/nowhere:${join(home, "bin")}` } });
      assert.deepEqual(await detected(t, [`bin/${program}`], change), tools);
    });

  it("by no folder, text file or similarly named program on PATH", async (t) => {
    const change = (home: string) => ({
      env: { PATH: ["bin", "texts"].map((name) => join(home, name)).join(":") },
    });
    assert.deepEqual(await detected(t, ["bin/cursor/", "texts/claude", "bin/aider2"], change), []);
  });

  it("by the folders that its variables name", async (t) => {
    const change = (home: string) => ({
      env: {
        CLAUDE_CONFIG_DIR: join(home, "cc"),
        CODEX_HOME: join(home, "cx"),
        XDG_CONFIG_HOME: join(home, "xdg"),
      },
    });
    assert.deepEqual(await detected(t, ["cc/", "cx/", "xdg/opencode/", "xdg/Code/User/"], change), [
      "claude",
      "codex",
      "copilot",
      "opencode",
    ]);
    assert.deepEqual(await detected(t, [".claude/", ".codex/", ".config/opencode/"], change), []);
  });

  it("by its folders on macOS and Windows", async (t) => {
    const mac = await detected(t, ["Library/Application Support/Code/User/"], () => ({ platform: "darwin" }));
    assert.deepEqual(mac, ["copilot"]);
    const windows = await detected(t, ["Roaming/Code/User/", "Roaming/devin/"], (home) => ({
      platform: "win32",
      env: { APPDATA: join(home, "Roaming") },
    }));
    assert.deepEqual(windows, ["windsurf", "copilot"]);
    const signs = findTarget("cursor")!.signs({
      home: "/Users/ann",
      env: {},
      platform: "darwin",
      paths: path.posix,
    });
    assert.ok(signs.paths.includes("/Applications/Cursor.app"));
  });
});

describe("a program", () => {
  const windows = (env: NodeJS.ProcessEnv): Machine => ({
    home: "C:\\Users\\ann",
    env,
    platform: "win32",
    paths: path.win32,
  });

  it("is searched with every ending of PATHEXT on Windows", () => {
    assert.deepEqual(
      programPaths(["code"], windows({ Path: 'C:\\a;"D:\\b c";relative;', PathExt: ".EXE;.CMD" })),
      ["C:\\a\\code.EXE", "C:\\a\\code.CMD", "D:\\b c\\code.EXE", "D:\\b c\\code.CMD"],
    );
    assert.deepEqual(programPaths(["x"], windows({ PATH: "C:\\a" })), [
      "C:\\a\\x.COM",
      "C:\\a\\x.EXE",
      "C:\\a\\x.BAT",
      "C:\\a\\x.CMD",
    ]);
    assert.deepEqual(programPaths(["x"], windows({})), []);
  });
});

describe("files of a tool in a project", () => {
  for (const [sign, tool] of [
    [".cursor/rules/", "cursor"],
    ["CLAUDE.md", "claude"],
    ["AGENTS.md", "codex"],
    [".windsurfrules", "windsurf"],
    [".clinerules", "cline"],
    [".github/copilot-instructions.md", "copilot"],
    ["opencode.jsonc", "opencode"],
    [".aider.conf.yml", "aider"],
  ] as const)
    it(`propose ${tool} for ${sign} and do not make it installed`, async (t) => {
      const project = await temporaryFolder(t);
      const at = join(project, sign);
      await mkdir(sign.endsWith("/") ? at : dirname(at), { recursive: true });
      if (!sign.endsWith("/")) await writeFile(at, "");
      const used = await Promise.all(
        targetDefinitions.map(async (one) => ((await isUsedIn(one, project)) ? one.name : "")),
      );
      assert.deepEqual(
        used.filter((name) => name !== ""),
        [tool],
      );
      const home = await temporaryFolder(t);
      const machine: Machine = { home, env: {}, platform: "linux", paths: path };
      assert.equal(await isInstalled(findTarget(tool)!, machine), false);
    });
});
