/**
 * Tools that install plugins, from the folder `SVC_TOOLS`, made by `npm install --ignore-scripts --force --prefix
 * <folder> @anthropic-ai/claude-code-linux-x64 @openai/codex@0.171.0-linux-x64 @github/copilot-linux-x64`.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "../cli/harness.ts";
import { readTree } from "../support/file-tree.ts";
import { runClient } from "./real-client.ts";

const modules = join(process.env["SVC_TOOLS"] ?? "", "node_modules");
const programs = {
  claude: join(modules, "@anthropic-ai/claude-code-linux-x64/claude"),
  codex: join(modules, "@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex"),
  copilot: join(modules, "@github/copilot-linux-x64/copilot"),
};

/** Reason to skip the tests of a tool, or false. */
export const needsTool = (tool: keyof typeof programs) =>
  existsSync(programs[tool]) ? false : "needs SVC_TOOLS";

/** The tools with a home folder of the test. */
export async function setUpTools(t: TestContext) {
  const home = await temporaryFolder(t);
  const env: Record<string, string> = {
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, "claude"),
    CODEX_HOME: join(home, "codex"),
    COPILOT_HOME: join(home, "copilot"),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
  for (const folder of Object.keys(programs)) mkdirSync(join(home, folder));
  const runnerOf =
    (program: string) =>
    (...args: string[]) =>
      runClient(program, args, { cwd: home, env });
  /** Texts of a skill in an installed plugin, wherever the tool keeps them. */
  const installed = (folder: keyof typeof programs, slug: string): string[] =>
    Object.entries(readTree(join(home, folder)))
      .filter(([path]) => /(cache|installed-plugins)\//.test(path))
      .filter(([path]) => path.endsWith("/SKILL.md") && path.split("/").includes(slug))
      .map(([, { bytes }]) => bytes.toString());
  return {
    home,
    env,
    installed,
    claude: runnerOf(programs.claude),
    codex: runnerOf(programs.codex),
    copilot: runnerOf(programs.copilot),
  };
}
