/**
 * All eight tools, end to end, with the built service and the built `svc`: a text skill, a rule and a package are
 * installed into each of them in both scopes, updated to a new version, and uninstalled, which restores home and
 * project byte by byte.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { targets } from "../../contract/vocabulary.ts";
import { keepContract } from "../support/cli-contract.ts";
import { type FileTree, assertTree, snapshot, writeTree } from "../support/file-tree.ts";
import { removeFolder } from "../support/server.ts";
import { setUpJourney } from "./set-up.ts";

const bytes = (text: string) => Buffer.from(text);
const all = targets.join(",");

const text = (word: string) => `# Prüfen – 確認\n\nLies den **Diff** ${word}. 🚀\n`;
const rule = (word: string) => `Schreibe kurz und ${word}.\n`;
const head = (name: string) =>
  `---\n# Wozu?\nname: ${name}   # eigen\ndescription: "Größe: # 1 & mehr"\nratio: 1.10\nmask: 0x1F\n---\n\n\n`;
const kit = (word: string): FileTree => ({
  "SKILL.md": { bytes: bytes(`---\nname: unicode-kit\ndescription: Has names\n---\n\n# Kit ${word}\n`) },
  "scripts/run.sh": { bytes: bytes(`#!/bin/sh\nexec echo "${word}"\n`), executable: true },
  "docs/Übersicht – 説明 🚀.md": { bytes: bytes(`Grüße ${word}\n`) },
});

const skillFile = (word: string) => head("pruefen") + text(word);
const section = (slug: string, name: string, body: string) =>
  `<!-- svc:start:${slug} -->\n## ${name}\n\n${body}\n<!-- svc:end:${slug} -->`;

const { home, project, work, svc } = await setUpJourney("hedy", true);

const outside = () => ({ home: snapshot(home, [".svc"]), project: snapshot(project) });

function writeSources(word: string): void {
  writeFileSync(path.join(work, "pruefen.md"), head("Prüfen") + text(word));
  writeFileSync(path.join(work, "stil.md"), head("Stil") + rule(word));
  writeTree(path.join(work, "unicode-kit"), kit(word));
}

/** Every byte that the tools read. */
function assertInstalled(word: string): void {
  const read = (base: string, file: string) => readFileSync(path.join(base, file), "utf8");
  const is = (base: string, files: readonly string[], content: string) => {
    for (const file of files) assert.equal(read(base, file), content, file);
  };
  is(
    home,
    [".claude", ".cursor", ".config/opencode"].map((tool) => `${tool}/skills/pruefen/SKILL.md`),
    skillFile(word),
  );
  is(
    project,
    [".claude", ".opencode"].map((tool) => `${tool}/skills/pruefen/SKILL.md`),
    skillFile(word),
  );
  for (const base of [home, project]) is(base, [".claude/rules/stil.md"], rule(word));
  for (const [slug, content, always, trigger] of [
    ["pruefen", text(word), "false", "model_decision"],
    ["stil", rule(word), "true", "always_on"],
  ] as const) {
    const description = 'description: "Größe: # 1 & mehr"';
    is(
      project,
      [`.cursor/rules/${slug}.mdc`],
      `---\n${description}\nglobs:\nalwaysApply: ${always}\n---\n\n${content}`,
    );
    is(
      project,
      [`.windsurf/rules/${slug}.md`],
      `---\ntrigger: ${trigger}\n${description}\n---\n\n${content}`,
    );
    const titled = slug === "stil" ? `# Stil\n\n${content}` : content;
    is(project, [`.clinerules/${slug}.md`, `.aider/skills/${slug}.md`], titled);
  }
  const both = [section("pruefen", "Prüfen", text(word)), section("stil", "Stil", rule(word))] as const;
  is(home, [".codex/AGENTS.md"], `\uFEFF# Mine\r\n\r\n${both.join("\n\n").replaceAll("\n", "\r\n")}\r\n`);
  is(home, [".codeium/windsurf/memories/global_rules.md"], `${both.join("\n\n")}\n`);
  is(home, [".config/opencode/AGENTS.md"], `${both[1]}\n`);
  is(project, ["AGENTS.md"], `# Ours, no newline\n\n${both.join("\n\n")}`);
  is(project, [".github/copilot-instructions.md"], `${both.join("\n\n")}\n`);

  const packages = [
    ...[".claude", ".cursor", ".agents", ".codeium/windsurf", ".cline", ".copilot", ".config/opencode"].map(
      (tool) => path.join(home, tool),
    ),
    ...[".claude", ".cursor", ".agents", ".windsurf", ".cline", ".github", ".opencode"].map((tool) =>
      path.join(project, tool),
    ),
  ].map((tool) => path.join(tool, "skills", "unicode-kit"));
  for (const folder of packages) {
    assertTree(folder, kit(word));
    assert.equal(execFileSync(path.join(folder, "scripts/run.sh"), { encoding: "utf8" }), `${word}\n`);
  }
}

describe("all eight tools", async () => {
  writeTree(home, {
    ".codex/AGENTS.md": { bytes: bytes("\uFEFF# Mine\r\n") },
    ".claude/skills/mine/SKILL.md": { bytes: bytes("mine\n") },
  });
  writeTree(project, {
    "AGENTS.md": { bytes: bytes("# Ours, no newline") },
    ".clinerules/mine.md": { bytes: bytes("mine\n") },
    ".aider.conf.yml": { bytes: bytes("read: [.aider/skills]\n") },
  });
  const untouched = outside();
  writeSources("first");
  for (const [source, ...flags] of [["pruefen.md"], ["stil.md", "--type", "rule"], ["unicode-kit"]] as const)
    keepContract("publish", await svc.json(["publish", source, ...flags]));

  it("accept a text skill, a rule and a package in both scopes", async () => {
    const skipped: string[] = [];
    for (const slug of ["pruefen", "stil", "unicode-kit"])
      for (const flags of [["-g"], ["-p", project]]) {
        const done = keepContract("install", await svc.json(["install", slug, "-t", all, ...flags]));
        assert.equal(done.installed.length + done.skipped.length, 8);
        const others = done.warnings.filter((warning) => !warning.includes(" is loaded twice by "));
        assert.deepEqual(others, []);
        skipped.push(...done.skipped.map(({ platform }) => `${slug} ${flags[0]} ${platform}`));
      }

    assert.deepEqual(skipped, [
      "pruefen -g cline",
      "pruefen -g copilot",
      "pruefen -g aider",
      "stil -g cursor",
      "stil -g cline",
      "stil -g copilot",
      "stil -g aider",
      "unicode-kit -g aider",
      "unicode-kit -p aider",
    ]);
    assertInstalled("first");
  });

  it("are updated to the next version together, and edits are reported", async () => {
    writeSources("second");
    for (const [source, slug] of [
      ["pruefen.md", "pruefen"],
      ["stil.md", "stil"],
      ["unicode-kit", "unicode-kit"],
    ] as const)
      keepContract("push", await svc.json(["push", source, "-s", `acme/${slug}`]));

    const pulled = keepContract("pull", await svc.json(["pull"]));
    assert.deepEqual(pulled.summary, { updated: 3, upToDate: 0, failed: 0 });
    assertInstalled("second");

    const edited = path.join(project, ".clinerules/stil.md");
    writeFileSync(edited, "mine now\n");
    const afterEdit = keepContract("pull", await svc.json(["pull"]));
    assert.deepEqual(
      afterEdit.skills.map(({ slug, outcome, warnings }) => [slug, outcome, warnings.length]),
      [
        ["pruefen", "upToDate", 0],
        ["stil", "upToDate", 1],
        ["unicode-kit", "upToDate", 0],
      ],
    );
    assert.equal(readFileSync(edited, "utf8"), "mine now\n");
    assert.equal(
      keepContract("pull", await svc.json(["pull", "stil", "--force"])).skills[0]?.outcome,
      "repaired",
    );
    assertInstalled("second");
  });

  it("are repaired if files are missing", async () => {
    for (const file of [".cursor/rules/pruefen.mdc", ".windsurf/skills/unicode-kit", ".github", ".aider"])
      removeFolder(path.join(project, file));
    removeFolder(path.join(home, ".config"));

    const pulled = keepContract("pull", await svc.json(["pull"]));

    assert.deepEqual(
      pulled.skills.map(({ outcome }) => outcome),
      ["repaired", "repaired", "repaired"],
    );
    assertInstalled("second");
  });

  it("are the same as before, with home and project, when all is uninstalled", async () => {
    for (const [slug, places] of [
      ["pruefen", 13],
      ["stil", 12],
      ["unicode-kit", 14],
    ] as const) {
      const done = keepContract("uninstall", await svc.json(["uninstall", slug, "--purge"]));
      assert.deepEqual([done.removed.length, done.failed, done.purged], [places, [], true]);
    }
    assert.deepEqual(outside(), untouched);
    assert.deepEqual(snapshot(path.join(home, ".svc/cache")), {});
  });
});
