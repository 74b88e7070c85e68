/** Servers that skills require, with `svc` and the real service. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { keepContract } from "../support/cli-contract.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner } = await setUpOrganization();

/** An organization with a server of the transport `sse`, and a file to publish. */
async function setUp(t: TestContext) {
  const org = await service.newOrg(owner);
  const home = await temporaryFolder(t);
  const created = await service.call("POST", `/api/tenants/${org.slug}/mcp-servers`, {
    token: owner.token,
    body: { name: "Old", transport: "sse", url: "https://mcp.example.com/sse" },
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  await writeFile(join(home, "finder.md"), "# Finder\n\nSearch before you write.\n");
  const env = { SVC_API_URL: service.url, SVC_TOKEN: owner.token };
  const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, cwd: home, env });
  return { ref: `${org.slug}/old`, org, run };
}

describe("a required server of the transport sse", () => {
  it("is offered through a hosted connector to a tool without that transport", async (t) => {
    const { ref, org, run } = await setUp(t);
    const published = await run("publish", "finder.md", "-t", org.slug, "--requires-mcp", ref);
    assert.equal(published.code, 0, published.stderr);

    const installed = await run("install", `${org.slug}/finder`, "-t", "claude,codex", "-g");
    const pulled = await run("pull");
    const command = `svc mcp install ${ref} -t codex -g --via central`;
    const wanted = [
      `finder requires the MCP server ${ref}, which claude lacks: svc mcp install ${ref} -t claude -g`,
      `finder requires the MCP server ${ref}, which codex can have only through a hosted connector: ${command}`,
    ];
    const shown = [...wanted, `${ref} is at https://mcp.example.com/sse`];
    assert.deepEqual(keepContract("install", installed.data).warnings.slice(-3), shown);
    assert.deepEqual(keepContract("pull", pulled.data).skills[0]!.warnings, wanted);

    assert.equal((await run("mcp", "install", ref, "-t", "codex", "-g")).error.code, "E_NO_TARGETS");
    const done = await run(...command.split(" ").slice(1));
    assert.equal(done.code, 0, done.stderr);
    const again = keepContract("pull", (await run("pull")).data);
    assert.deepEqual(again.skills[0]!.warnings, wanted.slice(0, 1));
  });
});

describe("svc publish --requires-mcp", () => {
  it("names its flags if the skill is to be visible to others, and sends nothing", async (t) => {
    const { ref, org, run } = await setUp(t);
    const publish = ["publish", "finder.md", "-t", org.slug, "--visibility", "public"];

    const refused = await run(...publish, "--requires-mcp", ref);
    assert.deepEqual(
      [refused.error.code, refused.error.details!["flag"]],
      ["E_INVALID_ARGUMENT", "--visibility"],
    );
    assert.match(refused.error.message, /leave --visibility out, or leave --requires-mcp out/);
    const none = await run(...publish, "--requires-mcp=");
    assert.equal(none.code, 0, none.stderr);

    const later = await run("publish", "finder.md", "-t", org.slug, "--requires-mcp", ref);
    assert.equal(later.error.code, "E_API");
    assert.match(later.error.message, /let it require none, or keep it private/);
  });
});
