/**
 * Marketplaces in the tools that install from them: Claude Code and Codex, from the folder `SVC_TOOLS`, made by
 * `npm install --ignore-scripts --force --prefix <folder> @anthropic-ai/claude-code-linux-x64
 * @openai/codex@0.171.0-linux-x64`.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it, type TestContext } from "node:test";
import { claudeSettings } from "../../contract/marketplace-texts.ts";
import { temporaryFolder } from "../cli/harness.ts";
import { readTree } from "../support/file-tree.ts";
import { root } from "../support/root.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";
import type { ReachFixture } from "./fixture.ts";

const modules = join(process.env["SVC_TOOLS"] ?? "", "node_modules");
const claudeProgram = join(modules, "@anthropic-ai/claude-code-linux-x64/claude");
const codexProgram = join(modules, "@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex");
const needs = (program: string) => (existsSync(program) ? false : "needs SVC_TOOLS");

const { service } = await setUpOrganization();

interface Ran {
  code: number | null;
  output: string;
}

async function setUp(t: TestContext) {
  const fixture: ReachFixture = { service, ...(await newOrganization(service)) };
  const { org, owner } = fixture;
  const home = await temporaryFolder(t);
  const env: Record<string, string> = {
    PATH: process.env["PATH"]!,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, "claude"),
    CODEX_HOME: join(home, "codex"),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
  for (const folder of ["claude", "codex"]) mkdirSync(join(home, folder));
  const runnerOf =
    (program: string) =>
    async (...args: string[]): Promise<Ran> => {
      const child = spawn(program, args, {
        cwd: home,
        env,
        stdio: ["ignore", "pipe", "pipe"],
        timeout: 120_000,
      });
      const [out, error] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        new Promise((resolve) => child.once("close", resolve)),
      ]);
      return { code: child.exitCode, output: out + error };
    };
  const publish = async (name: string, content: string, visibility = "public") => {
    const body = { tenantId: org.id, name, content, description: `About ${name}.`, visibility };
    const answer = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
      token: owner.token,
      body,
    });
    assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body));
    return answer.data.skill.id;
  };
  /** Texts of all files of an installed plugin, wherever the tool keeps them. */
  const installed = (folder: string, slug: string): string[] =>
    Object.entries(readTree(join(home, folder)))
      .filter(([path]) => path.endsWith(`skills/${slug}/SKILL.md`) && path.includes("cache"))
      .map(([, { bytes }]) => bytes.toString());
  return {
    org,
    owner,
    home,
    env,
    publish,
    installed,
    claude: runnerOf(claudeProgram),
    codex: runnerOf(codexProgram),
  };
}

const ok = ({ code, output }: Ran) => assert.equal(code, 0, output);

describe("Claude Code", { skip: needs(claudeProgram) }, () => {
  it("finds no fault in a marketplace, installs and updates from it", async (t) => {
    const { org, home, claude, publish, installed } = await setUp(t);
    await publish("Release notes", "first\n");
    const address = `${service.url}/${org.slug}.git`;
    ok(await claude("plugin", "marketplace", "add", address));
    const clone = join(home, "claude/plugins/marketplaces", org.slug);
    ok(await claude("plugin", "validate", clone));
    ok(await claude("plugin", "validate", join(clone, "plugins/release-notes")));
    ok(await claude("plugin", "install", `release-notes@${org.slug}`));
    assert.match(installed("claude", "release-notes").join(), /first/);

    await publish("Release notes", "second\n");
    ok(await claude("plugin", "marketplace", "update", org.slug));
    ok(await claude("plugin", "update", `release-notes@${org.slug}`));
    assert.match(installed("claude", "release-notes").join(), /second/);
  });

  it("follows a history that began anew without a skill that is not public any more", async (t) => {
    const { org, owner, home, claude, publish } = await setUp(t);
    await publish("Release notes", "first\n");
    const id = await publish("Withdrawn", "withdrawn text\n");
    ok(await claude("plugin", "marketplace", "add", `${service.url}/${org.slug}.git`));
    const body = { visibility: "private" };
    const hidden = await service.call("PUT", `/api/skills/${id}`, { token: owner.token, body });
    assert.equal(hidden.status, 200);
    await publish("Release notes", "second\n");

    ok(await claude("plugin", "marketplace", "update", org.slug));
    const clone = join(home, "claude/plugins/marketplaces", org.slug);
    assert.ok(!existsSync(join(clone, "plugins/withdrawn")));
    assert.match(
      readFileSync(join(clone, "plugins/release-notes/skills/release-notes/SKILL.md"), "utf8"),
      /second/,
    );
  });

  it("reads a private marketplace with the login of svc", async (t) => {
    const { org, owner, home, env, claude, publish, installed } = await setUp(t);
    await publish("Inside", "for members\n", "private");
    Object.assign(env, { SVC_API_URL: service.url, SVC_TOKEN: owner.token });
    const helper = `!'${process.execPath}' '${join(root, "bin/svc")}' auth git`;
    writeFileSync(join(home, ".gitconfig"), `[credential "${service.url}"]\n\thelper = "${helper}"\n`);
    const name = `${org.slug}-members`;
    ok(await claude("plugin", "marketplace", "add", `${service.url}/${org.slug}/-/members.git`));
    ok(await claude("plugin", "install", `inside@${name}`));
    assert.match(installed("claude", "inside").join(), /for members/);
    const known = JSON.parse(readFileSync(join(home, "claude/plugins/known_marketplaces.json"), "utf8"));
    const gitUrl = `${service.url}/${org.slug}/-/members.git`;
    const settings = claudeSettings({ name, gitUrl, isPublic: false }).extraKnownMarketplaces[name];
    assert.deepEqual(known[name].source, settings?.source);
  });
});

describe("Codex", { skip: needs(codexProgram) }, () => {
  it("installs from a marketplace, and updates", async (t) => {
    const { org, codex, publish, installed } = await setUp(t);
    await publish("Release notes", "first\n");
    ok(await codex("plugin", "marketplace", "add", `${service.url}/${org.slug}.git`));
    ok(await codex("plugin", "add", `release-notes@${org.slug}`));
    assert.match(installed("codex", "release-notes").join(), /first/);

    await publish("Release notes", "second\n");
    ok(await codex("plugin", "marketplace", "upgrade", org.slug));
    ok(await codex("plugin", "add", `release-notes@${org.slug}`));
    assert.match(installed("codex", "release-notes").join(), /second/);
  });
});
