import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "node:test";
import type { Context } from "../../cli/context.ts";
import { commandHelp, rootHelp } from "../../cli/help.ts";
import { commands, listCommands } from "../../cli/registry.ts";
import { topics } from "../../cli/registry/entries.ts";
import type { Output } from "../../cli/terminal/output.ts";
import { renderTable } from "../../cli/terminal/table.ts";
import { version } from "../../cli/version.ts";
import { suggest } from "../../contract/text/suggest.ts";
import { root } from "../support/root.ts";
import { svc, temporaryFolder } from "./harness.ts";

const plain = { columns: 40, paintHead: (text: string) => text };

describe("output for people", () => {
  it("includes help with every command, and with every flag of one", async (t) => {
    const home = await temporaryFolder(t);
    for (const argv of [[], ["--help"], ["help"], ["-h"]]) {
      const { code, stdout } = await svc(argv, { home });
      assert.equal(code, 0);
      for (const name of ["login", "install", "pull", "publish", "push", "versions"])
        assert.match(stdout, new RegExp(name));
      assert.ok(!stdout.includes("\u001B"), "no colours outside a terminal");
    }
    for (const argv of [
      ["install", "--help"],
      ["help", "install"],
    ]) {
      const { stdout } = await svc(argv, { home });
      assert.match(
        stdout,
        /-t, --target <targets>[\s\S]*--symlink[\s\S]*-o, --output json[\s\S]*Examples[\s\S]*svc install code-review/,
      );
    }
  });

  it("is one document if JSON is requested, also for help", async (t) => {
    const home = await temporaryFolder(t);
    assert.match(((await svc(["--help", "-o", "json"], { home })).data as { usage: string }).usage, /Usage/);
    assert.deepEqual((await svc(["-o", "json", "--version"], { home })).data, { version });
    const nothing = await svc(["-o", "json"], { home });
    assert.deepEqual([nothing.code, nothing.stdout, nothing.error.code], [1, "", "E_INVALID_ARGUMENT"]);
  });

  it("shows an error with its remedy and code, on stderr", async (t) => {
    const home = await temporaryFolder(t);
    const { code, stdout, stderr } = await svc(["instal", "x"], { home });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(stderr, 'error Unknown command "instal". Did you mean install?\n  E_INVALID_ARGUMENT\n');
  });

  it("includes the version of the package", async () => {
    const text = await readFile(path.join(root, "package.json"), "utf8");
    assert.equal(version, (JSON.parse(text) as { version: string }).version);
  });
});

describe("help", () => {
  const at = (columns: number) => {
    const output = { columns, paint: (_styles: unknown, text: string) => text } as Output;
    return { output } as Context;
  };

  it("lists every command in one of the groups, each on a line of its own", () => {
    const help = rootHelp(at(Infinity));

    for (const [name, { summary }] of Object.entries(commands))
      assert.match(help, new RegExp(`^  ${name} +${summary.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`, "m"));
    for (const topic of topics) assert.match(help, new RegExp(`^${topic}$`, "m"));
    for (const variable of ["SVC_API_URL", "SVC_TOKEN"])
      assert.match(help, new RegExp(`^  ${variable} +\\w`, "m"));
  });

  it("fits any terminal width without cutting words", async () => {
    for (const [name, entry] of listCommands()) {
      const command = await entry.load();
      const whole = commandHelp(at(Infinity), name, entry.summary, command);
      assert.match(whole, new RegExp(`^Usage\n  svc ${name} `, "m"));
      for (const columns of [120, 80, 60, 40]) {
        const help = commandHelp(at(columns), name, entry.summary, command);
        const [body] = help.split("\nExamples\n");
        const words = (text: string) => text.split(/\s+/).join(" ");
        assert.equal(words(help), words(whole));
        for (const line of body!.split("\n"))
          assert.ok(
            line.length < columns || line.trim().split(" ").length <= 4,
            `${name} at ${columns}: ${line}`,
          );
      }
    }
  });
});

describe("a table", () => {
  it("aligns wide characters and truncates the last column to the terminal", () => {
    const table = renderTable(
      ["A", "TEXT"],
      [
        ["日本", "x".repeat(60)],
        ["b", "y"],
      ],
      plain,
    );
    assert.deepEqual(table.split("\n"), ["A     TEXT", `日本  ${"x".repeat(32)}…`, "b     y"]);
  });

  it("shows names whole before other columns on a terminal of 44 columns", () => {
    const name = "acme/review-of-pull-requests";
    const row = [name, "1.10.12-beta.3", "2026-01-02", "Reviews pull requests for style and tests"];
    const table = renderTable(["SKILL", "VERSION", "PUBLISHED", "DESCRIPTION"], [row], {
      ...plain,
      columns: 44,
    });
    const marked = renderTable(["", "NAME"], [["x".repeat(40), "y".repeat(24)]], {
      ...plain,
      columns: 44,
      names: [1],
    });

    for (const line of table.split("\n")) assert.ok(line.length < 44, line);
    assert.ok(table.includes(`\n${name}  `), table);
    assert.ok(marked.includes("y".repeat(24)), marked);
  });

  it("escapes characters in cells that move the cursor or break the line", () => {
    const table = renderTable(["A"], [["a\u001B[2Jb\r\n\u0007c"]], plain);
    assert.equal(table, "A\nab c");
  });
});

describe("a suggestion", () => {
  for (const [word, meant] of [
    ["instal", "install"],
    ["pubish", "publish"],
    ["psuh", "push"],
    ["uninst", "uninstall"],
    ["zebra", undefined],
  ] as const)
    it(`for ${word} is ${meant ?? "nothing"}`, () =>
      assert.equal(suggest(word, ["install", "uninstall", "publish", "push", "pull"]), meant));
});
