/** A connected repository as a marketplace of the tools that install from one (`plugin-tools.ts`). */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { publish, setUpSyncFixtures, type SyncFixture } from "../support/sync/fixture.ts";
import { needsTool, setUpTools } from "./plugin-tools.ts";

const { withFixture } = await setUpSyncFixtures();
type Tools = Awaited<ReturnType<typeof setUpTools>>;
type Tool = "claude" | "codex" | "copilot";

/** The commands of a tool, by what they do; `name`: the marketplace. */
const commands: Record<Tool, (at: string, name: string) => Record<"install" | "update", string[][]>> = {
  claude: (at, name) => ({
    install: [
      ["plugin", "validate", at],
      ["plugin", "marketplace", "add", at],
      ["plugin", "install", `release-notes@${name}`],
    ],
    update: [
      ["plugin", "marketplace", "update", name],
      ["plugin", "update", `release-notes@${name}`],
    ],
  }),
  codex: (at, name) => ({
    install: [
      ["plugin", "marketplace", "add", at],
      ["plugin", "add", `release-notes@${name}`],
    ],
    update: [["plugin", "add", `release-notes@${name}`]],
  }),
  copilot: (at, name) => ({
    install: [
      ["plugin", "marketplace", "add", at],
      ["plugin", "install", `release-notes@${name}`],
    ],
    update: [["plugin", "marketplace", "update", name]],
  }),
};

async function connected({ org, owner, service, ...fixture }: SyncFixture): Promise<void> {
  const path = `/api/tenants/${org.id}/repo-sync`;
  const body = { marketplace: true };
  assert.equal((await service.call("PATCH", path, { token: owner.token, body })).status, 200);
  assert.equal(await fixture.sync(), "done");
}

/** Returns what the last one has printed. */
async function runAll(tools: Tools, tool: Tool, lines: string[][]): Promise<string> {
  let shown = "";
  for (const line of lines) {
    const { code, output } = await tools[tool](...line);
    assert.equal(code, 0, `${line.join(" ")}: ${output}`);
    shown = output;
  }
  return shown;
}

/** Whether a tool has a version of the skill; Copilot reads it from the repository itself. */
function hasSkill(tools: Tools, tool: Tool, output: string, text: RegExp): void {
  if (tool === "copilot") assert.match(output, /Installed 1 skill|updated/);
  else assert.match(tools.installed(tool, "release-notes").join(), text);
}

describe("a connected repository with marketplace files", () => {
  for (const tool of Object.keys(commands) as Tool[])
    it(`is a marketplace of ${tool}`, { skip: needsTool(tool) }, (t: TestContext) =>
      withFixture(async (fixture) => {
        const tools = await setUpTools(t);
        const { copy, org } = fixture;
        await publish(fixture, "Release notes", "first", {
          description: "About notes.",
          folder: "ops",
          createFolders: true,
        });
        await connected(fixture);
        copy.update();
        const { install, update } = commands[tool](copy.folder, `${org.slug}-repository`);

        hasSkill(tools, tool, await runAll(tools, tool, install), /first/);

        await publish(fixture, "Release notes", "second");
        assert.equal(await fixture.sync(), "done");
        copy.update();
        hasSkill(tools, tool, await runAll(tools, tool, update), /second/);
      }),
    );
});
