/** Patterns of ignore files give the result of git itself. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import type { PackageError } from "../../contract/checks/package-rules.ts";
import { matchesPattern, parseIgnoreFile } from "../../contract/package/ignore-patterns.ts";
import { LeaveOutRules, selectFiles } from "../../contract/package/leave-out.ts";
import { runCount } from "../support/run-count.ts";

describe("patterns of an ignore file", () => {
  let repo: string;
  before(() => {
    repo = mkdtempSync(path.join(tmpdir(), "svc-ignore-"));
    execFileSync("git", ["init", "-q", repo]);
  });
  after(() => rmSync(repo, { recursive: true, force: true }));

  /** Paths that git ignores among files that need not exist. */
  function ignoredByGit(patterns: string, paths: readonly string[]): string[] {
    writeFileSync(path.join(repo, ".gitignore"), patterns);
    const run = spawnSync("git", ["-C", repo, "check-ignore", "--no-index", "--stdin", "-z"], {
      input: paths.join("\0"),
      encoding: "utf8",
    });
    assert.ok(run.status === 0 || run.status === 1, run.stderr);
    return run.stdout.split("\0").filter((one) => one !== "");
  }

  function ignoredByRules(patterns: string, paths: readonly string[]): string[] {
    const rules = new LeaveOutRules();
    rules.addIgnoreFile("", patterns);
    const isIgnored = (file: string) => {
      for (let cut = file.indexOf("/"); cut > 0; cut = file.indexOf("/", cut + 1))
        if (rules.isIgnored(file.slice(0, cut), true)) return true;
      return rules.isIgnored(file, false);
    };
    return paths.filter(isIgnored);
  }

  const paths = [
    ..."a b ab abc a.b b.md a/b a/b/c a/x/b a/x/y/b b/a/c/d ab/c x/ab a/ab/x/b.md".split(" "),
    "a b",
    "#a",
    "!a",
    "[a]",
    "a/#b",
    "x/a*b",
  ];

  const cases = [
    "a", "/a", "a/", "a/b", "/a/b", "a/*", "a/**", "**/b", "a/**/b", "**", "*", "*.md", "!a", "*\n!b.md", "a\n!a",
    "[ab]", "[!a]", "[a-b]c", "[]a]", "[a", "a\\", "\\#a", "\\!a", "\\[a]", "a\\ b", "a b  ", "#a", "?", "a?c", "**/",
    "a**b", "x/a\\*b", "[[:alpha:]]", "[^a]b", "a/**/", "/**/b", "*/b", "a//b", "/", "\uFEFFa", "a\r\nb\r", "[a-", "[b-a]",
    "[x-za-a]", "[b-xa-b].b", "[a-xb-b#]", "[!b-xa]*", "[x-xb-ba-a]b", "[^[:alpha:]#-#]a", "[x-zb-a]b", "[!x-zb-a]b",
  ]; // prettier-ignore

  for (const patterns of cases)
    it(`${JSON.stringify(patterns)} ignores what git ignores`, () => {
      assert.deepEqual(ignoredByRules(patterns, paths), ignoredByGit(patterns, paths));
    });

  it("gives the result of git for any patterns", () => {
    const part = fc.array(
      fc.constantFrom("a", "b", "x", "*", "**", "?", "/", "/", "[ab]", "[!a]", ".", " ", "\\"),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    // Git treats an escaped slash after stars in a way of its own, and versions differ for stars within a name.
    const plain = (text: string) =>
      text.replaceAll("\\/", "/").replace(/(?<=[^/])\*{2,}|\*{2,}(?=[^/])/g, "*");
    const line = fc
      .tuple(fc.constantFrom("", "", "!", "#"), part)
      .map(([mark, parts]) => mark + plain(parts.join("")));
    const name = fc.array(fc.constantFrom("a", "b", "x", ".", " "), { minLength: 1, maxLength: 3 });
    const one = fc
      .array(name, { minLength: 1, maxLength: 4 })
      .map((names) => names.map((n) => n.join("")).join("/"));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        fc.uniqueArray(one, { maxLength: 30 }),
        (lines, all) => {
          const files = all.filter((file) => !file.split("/").some((n) => n === "." || n === ".."));
          const patterns = lines.join("\n");
          assert.deepEqual(
            ignoredByRules(patterns, files),
            ignoredByGit(patterns, files),
            JSON.stringify(patterns),
          );
        },
      ),
      { numRuns: runCount(30, 1500) },
    );
  });

  it("take a number of comparisons that the stars of a pattern don't multiply", () => {
    const work = { left: 10_000_000 };
    const [pattern] = parseIgnoreFile(`${"*a".repeat(2000)}b`);
    assert.ok(pattern);
    assert.equal(matchesPattern(pattern, "a".repeat(255), false, work), false);
    const [folders] = parseIgnoreFile(`${"**/a/".repeat(500)}b`);
    assert.ok(folders);
    assert.equal(matchesPattern(folders, "a/".repeat(500) + "c", false, work), false);
    assert.ok(work.left > 9_000_000, `${work.left} are left`);
  });

  it("take no longer for a class with many characters or ranges", async () => {
    const files = [".gitignore", ...Array.from({ length: 100 }, (_, i) => `${"a".repeat(200)}${i}`)];
    const entries = files.map((file) => ({ path: file }));
    const ranges = Array.from({ length: 9000 }, (_, i) => {
      const first = String.fromCodePoint(0x4e00 + 2 * i);
      return `${first}-${first}`;
    });
    for (const [content, name] of [
      ["b".repeat(60_000), "singles"],
      [ranges.join(""), "ranges"],
      ["[:digit:]".repeat(6000), "named"],
    ]) {
      const usage = process.cpuUsage();

      const { files: kept } = await selectFiles(entries, () => `*[${content}]x\n`);

      const { user } = process.cpuUsage(usage);
      assert.equal(kept.length, files.length);
      assert.ok(user < 3_000_000, `${name}: ${user} µs`);
    }
  });

  it("are refused in a list of files that asks for too many comparisons", async () => {
    const names = Array.from({ length: 5000 }, (_, i) => `${"a".repeat(200)}${i}`);
    const files = [".gitignore", ...names].map((name) => ({ path: name }));
    const patterns = Array.from({ length: 1000 }, () => `${"*a".repeat(20)}b`).join("\n");
    await assert.rejects(
      selectFiles(files, () => patterns),
      (error: PackageError) => error.rule === "ignore_too_costly",
    );
    const ordinary = [".gitignore", ...names.slice(0, 500).map((name) => name.slice(180))].map((name) => ({
      path: name,
    }));
    const few = await selectFiles(ordinary, () =>
      Array.from({ length: 200 }, (_, i) => `*.x${i}`).join("\n"),
    );
    assert.equal(few.files.length, ordinary.length);
  });
});

describe("ignore files in folders", () => {
  it("apply below their folder, and deeper ones win", () => {
    const root = mkdtempSync(path.join(tmpdir(), "svc-ignore-"));
    try {
      execFileSync("git", ["init", "-q", root]);
      mkdirSync(path.join(root, "docs"));
      writeFileSync(path.join(root, ".gitignore"), "*.log\nout\n");
      writeFileSync(path.join(root, "docs", ".gitignore"), "!keep.log\n/out2\n");
      const rules = new LeaveOutRules();
      rules.addIgnoreFile("", "*.log\nout\n");
      rules.addIgnoreFile("docs", "!keep.log\n/out2\n");
      const files = ["a.log", "keep.log", "docs/a.log", "docs/keep.log", "docs/out2", "out2", "docs/x/out2"];
      const run = spawnSync("git", ["-C", root, "check-ignore", "--no-index", ...files], {
        encoding: "utf8",
      });
      assert.deepEqual(
        files.filter((file) => rules.isIgnored(file, false)),
        run.stdout.trim().split("\n"),
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
