/**
 * The tools' own parsers read the files that svc writes. They have 1.6 GB, so they are not installed with the
 * development dependencies: `SVC_TOOLS` is a folder that has them, made by `npm install --ignore-scripts --prefix
 * <folder> @openai/codex@0.169.0 opencode-ai@1.18.33 @anthropic-ai/claude-code@2.1.330 @cline/core@0.0.86`.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { McpTarget } from "../../contract/vocabulary.ts";
import { globalFiles, makeMcpFixture } from "./fixture.ts";

const folder = process.env["SVC_TOOLS"];
const modules = join(folder ?? "", "node_modules");
const skip = folder === undefined ? "needs SVC_TOOLS" : false;

async function output(home: string, program: string, ...args: string[]): Promise<string> {
  const child = spawn(join(modules, program), args, {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, CI: "1" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 120_000,
  });
  return text(child.stdout);
}

const stdio = { command: "npx", args: ["@example/files", "/data"], env: { API_KEY: 'k "1" \\ $X' } };
const remote = {
  url: "https://mcp.example.com/mcp",
  headers: { Authorization: "Bearer t9", "X-Region": "eu" },
};

/** The two servers as a tool has read them, in the form of `stdio` and `remote`. */
const readers: Partial<Record<McpTarget, (home: string) => Promise<unknown[]>>> = {
  async codex(home) {
    const all = JSON.parse(await output(home, ".bin/codex", "mcp", "list", "--json")) as {
      name: string;
      transport: Record<string, unknown>;
    }[];
    const { command, args, env } = all.find(({ name }) => name === "files")!.transport;
    const { url, http_headers: headers } = all.find(({ name }) => name === "search")!.transport;
    return [
      { command, args, env },
      { url, headers },
    ];
  },
  async opencode(home) {
    const program = `opencode-${process.platform}-${process.arch}/bin/opencode`;
    const config = await output(home, program, "debug", "config");
    const { mcp } = JSON.parse(config) as { mcp: Record<string, Record<string, unknown>> };
    const [command, ...args] = mcp["files"]!["command"] as string[];
    // It does not show values.
    assert.deepEqual(
      [mcp["files"]!["environment"], mcp["search"]!["headers"]],
      [{ API_KEY: "***" }, { Authorization: "***", "X-Region": "***" }],
    );
    return [
      { command, args, env: stdio.env },
      { url: mcp["search"]!["url"], headers: remote.headers },
    ];
  },
  async cline(home) {
    const file = pathToFileURL(join(modules, "@cline/core/dist/index.js")).href;
    const core = (await import(file)) as {
      resolveMcpServerRegistrations: (options: object) => { transport: Record<string, unknown> }[];
    };
    const filePath = join(home, globalFiles.cline);
    return core
      .resolveMcpServerRegistrations({ filePath })
      .map(({ transport: { command, args, env, url, headers } }) =>
        url === undefined ? { command, args, env } : { url, headers },
      );
  },
  async claude(home) {
    const program = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
    await chmod(join(modules, program), 0o755);
    const [files, search] = await Promise.all(
      ["files", "search"].map((name) => output(home, program, "mcp", "get", name)),
    );
    const field = (shown: string, name: string) => new RegExp(`^ +${name}: (.*)$`, "m").exec(shown)?.[1];
    return [
      {
        command: field(files!, "Command"),
        args: field(files!, "Args")?.split(" "),
        env: { API_KEY: /^ +API_KEY=(.*)$/m.exec(files!)?.[1] },
      },
      {
        url: field(search!, "URL"),
        headers: { Authorization: field(search!, "Authorization"), "X-Region": field(search!, "X-Region") },
      },
    ];
  },
};

describe("a tool's own parser", { skip }, () => {
  for (const [tool, read] of Object.entries(readers))
    it(`of ${tool} reads the servers that svc has written`, async (t) => {
      const { home, run } = await makeMcpFixture(t);
      const values = ["--var", `API_KEY=${stdio.env.API_KEY}`, "--var", "ROOT=/data"];
      assert.equal((await run("mcp", "install", "files", "-t", tool, ...values)).code, 0);
      const install = ["mcp", "install", "search", "--via", "local", "-t", tool];
      assert.equal((await run(...install, "--var", "TOKEN=t9")).code, 0);

      assert.deepEqual(await read(home), [stdio, remote]);
    });
});
