import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeMcpFixture } from "../cli-mcp/fixture.ts";
import { type Fixture, dataOf, makeFixture } from "../cli/fixture.ts";
import { svc } from "../cli/harness.ts";

interface Check {
  name: string;
  status: string;
  message: string;
  remedy?: string;
}

async function checksOf({ run }: Pick<Fixture, "run">, name: string): Promise<Check[]> {
  const { checks } = (await run("doctor")).data as { checks: Check[] };
  return checks.filter((check) => check.name === name);
}

async function warningsOf(made: Fixture, ...argv: string[]): Promise<string[]> {
  const { warnings } = dataOf<{ warnings: string[] }>(await made.run("install", ...argv));
  return warnings.filter((warning) => warning.includes("loaded twice"));
}

describe("a skill that a tool loads twice", () => {
  it("is reported for each project by doctor, and once by install", async (t) => {
    const made = await makeFixture(t);
    made.skills.push({
      slug: "more",
      publicId: "dddddddddd",
      name: "More",
      versions: [{ semver: "1.0.0", body: "m" }],
    });
    const args = ["-t", "claude,cursor", "-p"];

    assert.deepEqual(await warningsOf(made, "review", ...args), [
      "review is loaded twice by cursor (.claude/skills, .cursor/rules), " +
        "since tools also read the files of others: see svc doctor",
    ]);
    assert.deepEqual(await warningsOf(made, "review", ...args), []);
    assert.deepEqual(await warningsOf(made, "more", ...args), [], "it was said for the project");
    const other = join(made.project, "other");
    await mkdir(other);
    assert.equal((await warningsOf(made, "kit", "-t", "claude,opencode", "-p", other)).length, 1);

    const checks = await checksOf(made, "loaded-twice");
    assert.deepEqual(
      checks.map(({ status, message }) => [status, message]),
      [
        [
          "warning",
          `In ${made.project}, tools load skills twice, since they also read the files of other tools. ` +
            "cursor (.claude/skills, .cursor/rules): review, more.",
        ],
        [
          "warning",
          `In ${other}, tools load skills twice, since they also read the files of other tools. ` +
            "opencode (.claude/skills, .opencode/skills): kit.",
        ],
      ],
    );
    for (const slug of ["review", "more", "kit"]) assert.equal((await made.run("uninstall", slug)).code, 0);
    assert.deepEqual(await checksOf(made, "loaded-twice"), []);
  });

  it("is so for Claude Code through AGENTS.md only without a CLAUDE.md", async (t) => {
    const made = await makeFixture(t);
    const args = ["review", "-t", "claude,codex", "-p"];
    await writeFile(join(made.project, "CLAUDE.md"), "# Mine\n");
    assert.deepEqual(await warningsOf(made, ...args), []);

    await rm(join(made.project, "CLAUDE.md"));
    assert.match(
      (await checksOf(made, "loaded-twice"))[0]!.message,
      /claude \(.claude\/skills, AGENTS.md\): review/,
    );
  });

  it("is not so in the shared folder", async (t) => {
    const made = await makeFixture(t);
    const readers = "cursor,codex,windsurf,cline,copilot,opencode";
    assert.deepEqual(await warningsOf(made, "review", "-t", readers, "-p", "--shared"), []);
    assert.deepEqual(await checksOf(made, "loaded-twice"), []);
  });

  it("is reported for tools that are installed as well", async (t) => {
    const made = await makeFixture(t);
    assert.deepEqual(await warningsOf(made, "kit", "-t", "claude,codex", "-p"), []);
    assert.deepEqual(await checksOf(made, "loaded-twice"), []);
    await mkdir(join(made.home, ".cursor"));
    assert.match(
      (await checksOf(made, "loaded-twice"))[0]!.message,
      /cursor \(.agents\/skills, .claude\/skills\): kit/,
    );
  });
});

describe("a file that its tool does not read", () => {
  it("is reported if the tool's folder was moved, and another install writes the current one", async (t) => {
    const made = await makeFixture(t);
    assert.equal((await made.run("install", "kit", "-t", "claude", "-g")).code, 0);
    assert.deepEqual(await checksOf(made, "not-loaded"), []);

    made.machine.env = { CLAUDE_CONFIG_DIR: join(made.home, "moved") };
    const [check] = await checksOf(made, "not-loaded");
    assert.match(check!.message, /claude does not read .*\.claude\/skills\/kit, which has kit\./);
    assert.match(check!.remedy!, /svc install kit -t claude -g/);
    assert.equal((await made.run("install", "kit", "-t", "claude", "-g")).code, 0);
    assert.deepEqual(await checksOf(made, "not-loaded"), []);
    assert.match(await made.read(made.home, "moved/skills/kit/SKILL.md"), /one/);
  });

  it("is reported for texts of Windsurf where Devin Desktop was set up later", async (t) => {
    const made = await makeFixture(t);
    assert.equal((await made.run("install", "review", "-t", "windsurf", "-g")).code, 0);
    await mkdir(join(made.home, ".config/devin"), { recursive: true });
    assert.match((await checksOf(made, "not-loaded"))[0]!.message, /global_rules\.md/);
    assert.equal((await made.run("install", "review", "-t", "windsurf", "-g")).code, 0);
    assert.deepEqual(await checksOf(made, "not-loaded"), []);
  });

  it("is reported with the file that Codex reads instead", async (t) => {
    const made = await makeFixture(t);
    assert.equal((await made.run("install", "review", "-t", "codex", "-p")).code, 0);
    await writeFile(join(made.project, "AGENTS.override.md"), "# Mine\n");
    const [check] = await checksOf(made, "not-loaded");
    assert.match(check!.message, /since there is .*AGENTS\.override\.md\.$/);
    assert.match(check!.remedy!, /^Move the text of /);
  });

  it("is reported for an MCP server of Cline before version 4", async (t) => {
    const { home, project, env, put, run } = await makeMcpFixture(t);
    const previous =
      ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    await put(previous, '{ "mcpServers": {} }');
    assert.equal((await run("mcp", "install", "clock", "-t", "cline")).code, 0);
    const doctor = () => svc(["doctor", "-o", "json"], { home, cwd: project, env });
    assert.deepEqual(await checksOf({ run: doctor }, "not-loaded"), []);

    await mkdir(join(home, ".cline/data"), { recursive: true });
    const [check] = await checksOf({ run: doctor }, "not-loaded");
    assert.match(check!.message, /cline reads .*\.cline\/data\/settings\/cline_mcp_settings\.json now/);
    assert.match(check!.remedy!, /svc mcp uninstall acme\/clock/);
  });
});
