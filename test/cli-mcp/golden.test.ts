import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { getNodeValue, parseTree } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { type McpTarget, mcpTargets } from "../../contract/vocabulary.ts";
import { root } from "../support/root.ts";
import { globalFiles, makeMcpFixture } from "./fixture.ts";

const folder = join(root, "test/cli-mcp/golden");
const endings: Partial<Record<McpTarget, string>> = { codex: "toml", opencode: "jsonc" };

/** The content as another parser than that of the client reads it. */
function contentOf(text: string, ending: string): unknown {
  const rest = text.replace(/^\uFEFF/, "");
  return structuredClone(ending === "toml" ? parseToml(rest) : getNodeValue(parseTree(rest)!));
}

describe("the configuration file of a tool", () => {
  for (const platform of mcpTargets)
    it(`of ${platform} has exactly the new entries after an install, and its old bytes after an uninstall`, async (t) => {
      const { home, project, run } = await makeMcpFixture(t);
      const ending = endings[platform] ?? "json";
      const isProject = platform === "copilot";
      const file = isProject
        ? join(project, ".vscode/mcp.json")
        : join(home, platform === "opencode" ? ".config/opencode/opencode.jsonc" : globalFiles[platform]);
      const [before, after] = ["before", "after"].map((part) =>
        join(folder, `${platform}.${part}.${ending}`),
      );
      await mkdir(dirname(file), { recursive: true });
      await copyFile(before!, file);
      const place = ["-t", platform, ...(isProject ? ["-p"] : [])];
      const values = ["--var", "API_KEY=k 1", "--var", "ROOT=/data"];

      const first = await run("mcp", "install", "files", ...place, ...values);
      const second = await run("mcp", "install", "search", "--via", "local", ...place, "--var", "TOKEN=t9");

      assert.deepEqual([first.code, second.code], [0, 0], first.stderr + second.stderr);
      const written = await readFile(file, "utf8");
      assert.equal(written, await readFile(after!, "utf8"));
      assert.ok(contentOf(written, ending) !== undefined);

      assert.equal((await run("mcp", "uninstall", "files")).code, 0);
      assert.equal((await run("mcp", "uninstall", "acme/search")).code, 0);
      assert.deepEqual(await readFile(file), await readFile(before!));
    });

  it("is created for its owner only, and removed with its folder by the last uninstall", async (t) => {
    const { home, run, read } = await makeMcpFixture(t);
    const place = ["-t", Object.keys(globalFiles).join(",")];

    assert.equal((await run("mcp", "install", "clock", ...place)).code, 0);
    for (const file of Object.values(globalFiles)) {
      assert.equal((await stat(join(home, file))).mode & 0o777, 0o600, file);
      assert.match(await read(file), /@example\/clock/);
    }

    assert.equal((await run("mcp", "uninstall", "clock")).code, 0);
    for (const file of Object.values(globalFiles)) assert.ok(!existsSync(join(home, file)), file);
    for (const name of [".cursor", ".codeium", ".cline", ".codex", ".config"])
      assert.ok(!existsSync(join(home, name)), name);
  });
});
