/** Files of tools as people keep them: comments, trailing commas, marks, links, and what can't be edited. */
import assert from "node:assert/strict";
import { chmod, lstat, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { type Installed, makeMcpFixture } from "./fixture.ts";

const team = `{
\t// servers of the team
\t"mcpServers": {
\t\t"a": { "command": "x" },
\t\t// "old": { "command": "y" },
\t},
}
`;
const nested = `[mcp_servers."a.b"]
command = "x"
args = [
  "1", # one
  "2",
]
mcp_servers_note.x = 1
[mcp_servers."a.b".env]
K = "v"
# end
`;
const big = `${JSON.stringify(
  {
    numStartups: 5,
    projects: Object.fromEntries(
      Array.from({ length: 750 }, (_, i) => [
        `/home/u/p${i}`,
        { mcpServers: { x: { command: "y" } }, history: Array(20).fill("h".repeat(500)) },
      ]),
    ),
    mcpServers: { a: { command: "x" } },
  },
  undefined,
  2,
)}\n`;
const vscode = `{
  // inputs
  "inputs": [{ "type": "promptString", "id": "k", "description": "Key", "password": true }],
  "servers": { "a": { "type": "stdio", "command": "x" } }
}
`;

interface Case {
  title: string;
  target: string;
  file: string;
  text: string;
}
const cursor = (title: string, text: string): Case => ({
  title,
  target: "cursor",
  file: ".cursor/mcp.json",
  text,
});
const codex = (title: string, text: string): Case => ({
  title,
  target: "codex",
  file: ".codex/config.toml",
  text,
});

const editable: Case[] = [
  cursor("comments, tabs and trailing commas", team),
  cursor("trailing commas in one line", '{ "mcpServers": { "a": { "command": "x" }, }, }\n'),
  cursor(
    "a byte order mark and CRLF",
    '\uFEFF{\r\n  "mcpServers": {\r\n    "a": { "command": "x" }\r\n  }\r\n}\r\n',
  ),
  cursor("nothing", ""),
  cursor("a blank line", "\n"),
  cursor("null instead of servers", '{"mcpServers": null}\n'),
  { title: "comments above inputs", target: "copilot", file: ".vscode/mcp.json", text: vscode },
  {
    title: "null instead of servers and inputs",
    target: "copilot",
    file: ".vscode/mcp.json",
    text: '{ "inputs": null, "servers": null, }',
  },
  codex("a quoted table with a sub-table and comments", nested),
  codex(
    "dotted keys",
    'mcp_servers.a.command = "x"\nmcp_servers.a.args = ["1"]\n[profiles.p]\nmodel = "m"\n',
  ),
  codex("no line end", '[mcp_servers.a]\ncommand = "x"'),
  { title: "the state of many projects", target: "claude", file: ".claude.json", text: big },
  {
    title: "comments and a trailing comma",
    target: "opencode",
    file: "opencode.json",
    text: '{ /* c */ "mcp": {}, }\n',
  },
];

const inProject = new Set(["cursor", "copilot", "opencode"]);
const valuesOf = ["--var", "API_KEY=k1", "--var", "ROOT=/data"];

describe("a file that has", () => {
  for (const { title, target, file, text } of editable)
    it(`${title} keeps all other bytes (${target})`, async (t) => {
      const { home, run } = await makeMcpFixture(t);
      const path = join(home, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      const args = ["mcp", "install", "files", "-t", target, ...valuesOf];
      const place = inProject.has(target) ? ["-p", home] : ["-g"];

      const first = await run(...args, ...place);
      const once = await readFile(path, "utf8");
      const second = await run(...args, ...place);
      const again = await readFile(path, "utf8");
      const gone = await run("mcp", "uninstall", "files");

      assert.deepEqual([first.code, second.code, gone.code], [0, 0, 0], first.stderr + second.stderr);
      assert.match(once, /@example\/files/);
      for (const line of text.split("\n").filter((one) => /\/[/*]|#/.test(one) && !/\{ *\}/.test(one)))
        assert.ok(once.includes(line), `keeps ${line}`);
      assert.equal(again, once, "a second install changes nothing");
      assert.equal(await readFile(path, "utf8"), text, "an uninstall restores the bytes");
    });

  it("a link to another file of the project stays a link, as does one out of the home folder", async (t) => {
    const { home, project, run } = await makeMcpFixture(t);
    const text = '{ "mcpServers": { "a": { "command": "x" } } }\n';
    await mkdir(join(project, "dots"));
    await writeFile(join(project, "dots/mcp.json"), text);
    for (const folder of [project, home]) {
      await mkdir(join(folder, ".cursor"));
      await symlink(join(project, "dots/mcp.json"), join(folder, ".cursor/mcp.json"));
    }

    for (const [folder, place] of [
      [project, "-p"],
      [home, "-g"],
    ] as const) {
      assert.equal((await run("mcp", "install", "clock", "-t", "cursor", place)).code, 0);
      assert.match(await readFile(join(project, "dots/mcp.json"), "utf8"), /@example\/clock/);
      assert.ok((await lstat(join(folder, ".cursor/mcp.json"))).isSymbolicLink());
      assert.equal((await run("mcp", "uninstall", "clock")).code, 0);
      assert.equal(await readFile(join(project, "dots/mcp.json"), "utf8"), text);
    }
  });
});

const unusable: (Case & { reason: RegExp; at?: [line: number, column: number] })[] = [
  {
    ...codex("an inline table of servers", 'model = "o5" # main\nmcp_servers = { a = { command = "x" } }\n'),
    reason: /"mcp_servers" in it is an inline table \(line 2, column 1\): write it as tables/,
    at: [2, 1],
  },
  {
    ...cursor("a missing value", '{"mcpServers": { "a": }\n'),
    reason: /is not valid JSON \(line 1, column 23\)/,
    at: [1, 23],
  },
  {
    ...cursor("a list of servers", '{"mcpServers": []}\n'),
    reason: /"mcpServers" in it is not an object \(line 1, column 16\)/,
    at: [1, 16],
  },
  {
    title: "a comment, which the tool does not accept",
    target: "claude",
    file: ".claude.json",
    text: '{ /* c */ "mcpServers": {} }',
    reason: /has a comment, which its tool does not accept \(line 1, column 3\): remove the comment/,
    at: [1, 3],
  },
  {
    title: "a comment, which the tool does not accept",
    target: "windsurf",
    file: ".codeium/windsurf/mcp_config.json",
    text: '{\n  /* c */ "mcpServers": {} }',
    reason: /has a comment, which its tool does not accept \(line 2, column 3\)/,
    at: [2, 3],
  },
];

describe("a file that can't be edited, since it has", () => {
  for (const { title, target, file, text, reason, at } of unusable)
    it(`${title}, stays, and the result has the position and the entry to copy (${target})`, async (t) => {
      const { home, run, say } = await makeMcpFixture(t);
      const path = join(home, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      const place = inProject.has(target) ? ["-p", home] : ["-g"];
      const args = ["mcp", "install", "files", ...place, ...valuesOf, "-t"];

      const alone = await run(...args, target);
      const partial = await run(...args, `${target},opencode`);
      const told = await say(...args, target);

      assert.equal(alone.error.code, "E_NO_TARGETS");
      const [skipped] = (alone.error.details as { skipped: Record<string, unknown>[] }).skipped;
      assert.match(String(skipped!["reason"]), reason);
      const [failed] = (partial.data as Installed).failed as (Installed["failed"][number] & {
        line: number;
        column: number;
        snippet: string;
      })[];
      assert.equal(partial.code, 1);
      assert.deepEqual([failed!.line, failed!.column], at);
      assert.match(failed!.snippet, /@example\/files/);
      assert.match(failed!.snippet, /<API_KEY>/);
      assert.equal(skipped!["snippet"], failed!.snippet);
      assert.match(told.stderr, /Add this by hand:\n[^]*mcp/i);
      for (const ran of [alone, partial, told])
        assert.doesNotMatch(ran.stdout + ran.stderr, /k1|\/data/, "the values are in no output");
      assert.equal(await readFile(path, "utf8"), text);
    });

  it("a read-only mode, stays, and the result has the entry to copy", async (t) => {
    const { put, read, run } = await makeMcpFixture(t);
    const path = await put(".cursor/mcp.json", '{ "mcpServers": {} }\n');
    await chmod(path, 0o444);

    const done = await run("mcp", "install", "clock", "-t", "cursor");

    const [skipped] = (done.error.details as { skipped: Record<string, string>[] }).skipped;
    assert.match(skipped!["reason"]!, /it is read-only/);
    assert.deepEqual(JSON.parse(skipped!["snippet"]!), {
      mcpServers: {
        clock: { type: "stdio", command: "npx", args: ["-y", "@example/clock"], env: { ZONE: "UTC" } },
      },
    });
    assert.equal(await read(".cursor/mcp.json"), '{ "mcpServers": {} }\n');
  });
});
