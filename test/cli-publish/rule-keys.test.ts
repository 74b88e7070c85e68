/** Keys of a rule's frontmatter: they reach the tools that know them, and `publish` names the others. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setUpOrganization } from "../support/set-up.ts";
import type { TestOrg, TestService, TestUser } from "../support/service.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";

let service: TestService;
let user: TestUser;
let org: TestOrg;
setUpOrganization((made) => ({ service, user, org } = made));

const rule = [
  "---",
  "description: For tests",
  'globs: ["src/**/*.{ts,tsx}", "*.md"]',
  "paths:",
  "  - src/**",
  "owner: me",
  "---",
  "Be brief.",
  "",
].join("\n");

describe("a rule with keys of tools", () => {
  it("reaches each tool with the keys that it knows", async (t) => {
    const home = await temporaryFolder(t);
    const project = await temporaryFolder(t);
    await writeFile(join(home, "RULE.md"), rule);
    const env = { SVC_API_URL: service.url, SVC_TOKEN: user.token };
    const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, env });

    const published = await run("publish", "RULE.md", "-t", org.slug, "-n", "Brief");
    const targets = ["-t", "cursor,claude,windsurf,cline"];
    const installed = await run("install", `${org.slug}/brief`, ...targets, "-p", project, "--copy");

    assert.deepEqual([published.code, installed.code], [0, 0], published.stderr + installed.stderr);
    const { skill, warnings } = published.data as { skill: { type: string }; warnings: string[] };
    assert.equal(skill.type, "rule");
    assert.match(warnings.join(), /No tool gets these keys of the frontmatter: owner\. Put what they say/);
    const headOf = async (...path: string[]) =>
      (await readFile(join(project, ...path), "utf8")).split("\n").slice(1, 5);
    assert.deepEqual(await headOf(".cursor/rules/brief.mdc"), [
      'description: "For tests"',
      "globs: src/**/*.{ts,tsx},*.md",
      "alwaysApply: false",
      "---",
    ]);
    assert.deepEqual((await headOf(".windsurf/rules/brief.md")).slice(0, 3), [
      "trigger: glob",
      'description: "For tests"',
      'globs: ["src/**/*.{ts,tsx}", "*.md"]',
    ]);
    for (const path of [".claude/rules/brief.md", ".clinerules/brief.md"])
      assert.deepEqual((await headOf(path)).slice(0, 2), ['paths: ["src/**"]', "---"]);
  });
});
