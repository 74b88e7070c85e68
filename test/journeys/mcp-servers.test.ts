/** MCP servers from the registry to the tools, with the built service and the built `svc`. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { keepContract } from "../support/cli-contract.ts";
import { callApi } from "../support/http-client.ts";
import { root } from "../support/root.ts";
import { needsTerminal, openTerminal } from "../support/terminal.ts";
import { setUpJourney } from "./set-up.ts";

const { server, account, home, project, work, svc } = await setUpJourney("ada", true);

const base = "/api/tenants/acme/mcp-servers";
const call = async <T>(method: string, url: string, body?: unknown) => {
  const { status, data, error } = await callApi<T>(server.url, method, url, { token: account.token, body });
  assert.ok(status < 300, `${method} ${url}: ${error}`);
  return data;
};
const readJson = (...names: string[]) =>
  JSON.parse(readFileSync(path.join(...names), "utf8")) as Record<string, unknown>;
const servers = () => readJson(home, ".claude.json")["mcpServers"];

const token = { kind: "member", label: "API token", secret: true, required: true };
await call("POST", base, {
  name: "Search",
  transport: "http",
  url: "https://mcp.example.com/mcp",
  headers: [{ name: "Authorization", kind: "fixed", value: "Bearer {TOKEN}" }],
  variables: [{ name: "TOKEN", ...token }],
});
await call("POST", base, {
  name: "Clock",
  transport: "stdio",
  command: "npx",
  args: ["-y", "@example/clock"],
  env: [{ name: "NODE_OPTIONS", kind: "fixed", value: "--title=a clock" }],
});
writeFileSync(path.join(home, ".claude.json"), '{ "numStartups": 1 }');

describe("an MCP server of the registry", () => {
  it("is listed and installed with its own address, and the service knows who has it", async () => {
    assert.equal((await svc.failure(["mcp", "install", "search", "-t", "claude"])).details?.flag, "--via");
    const install = ["mcp", "install", "acme/search", "--via", "local", "-t", "claude,codex"];
    assert.equal((await svc.failure(install)).details?.flag, "--var");

    const done = keepContract("mcp.install", await svc.json([...install, "--var", "TOKEN=s3cr3t"]));
    assert.deepEqual([done.server?.slug, done.via, done.installed.length], ["search", "local", 2]);
    assert.deepEqual(servers(), {
      search: {
        type: "http",
        url: "https://mcp.example.com/mcp",
        headers: { Authorization: "Bearer s3cr3t" },
      },
    });
    const listed = keepContract("mcp.list", await svc.json(["mcp", "list"]));
    assert.deepEqual(
      listed.map(({ slug, installed, via }) => [slug, installed, via]),
      [
        ["clock", null, undefined],
        ["search", { targets: ["claude", "codex"], updateAvailable: false }, "local"],
      ],
    );
    const installs = await call<{ platform: string }[]>("GET", `${base}/search/installs`);
    assert.equal(installs.length, 2);
  });

  it("is updated to the revision that an administrator saved", async () => {
    await call("PATCH", `${base}/search`, { url: "https://mcp.example.com/v2" });

    const done = keepContract("mcp.pull", await svc.json(["mcp", "pull"]));
    assert.deepEqual([done.updated[0]?.revision, done.upToDate], [2, []]);
    assert.match(done.warnings.join("\n"), /^acme\/search now has another address.*\/v2$/);
    assert.deepEqual(servers(), {
      search: {
        type: "http",
        url: "https://mcp.example.com/v2",
        headers: { Authorization: "Bearer s3cr3t" },
      },
    });
    assert.match(readFileSync(path.join(home, ".codex/config.toml"), "utf8"), /v2"[\s\S]*Bearer s3cr3t/);
  });
});

describe("a skill that requires MCP servers", () => {
  it("is published with them, and its install and pull print the commands for those that are missing", async () => {
    writeFileSync(path.join(work, "finder.md"), "# Finder\n\nSearch before you write.\n");
    const published = await svc.json(["publish", "finder.md", "--requires-mcp", "acme/search,clock"]);
    keepContract("publish", published);
    for (const flags of [[], ["--dry-run"]])
      assert.equal(
        (await svc.failure(["publish", "finder.md", "--requires-mcp", "acme/nothing", ...flags])).code,
        "E_NOT_FOUND",
      );

    const done = keepContract(
      "install",
      await svc.json(["install", "finder", "-t", "claude,cursor,aider", "-p", project]),
    );
    assert.deepEqual(done.requiredMcpServers, [
      { tenantSlug: "acme", slug: "clock", installed: false },
      { tenantSlug: "acme", slug: "search", installed: false },
    ]);
    const lacks = (ref: string, tools: string, given: string) =>
      `finder requires the MCP server ${ref}, which ${tools}: svc mcp install ${ref} -t ${given} -p ${project}`;
    assert.deepEqual(done.warnings.slice(-6, -1), [
      lacks("acme/clock", "claude, cursor lack", "claude,cursor"),
      lacks("acme/search", "cursor lacks", "cursor"),
      "acme/clock runs this command on your machine: npx -y @example/clock",
      "acme/clock runs with these variables: NODE_OPTIONS='--title=a clock'",
      "acme/search is at https://mcp.example.com/v2, which gets the values that you supply",
    ]);

    const { stdout } = await svc.run(["mcp", "install", "clock", "-t", "claude", "-p", project]);
    assert.match(stdout, /Installed acme\/clock[\s\S]*machine: npx -y @example\/clock\n/);
    const pulled = keepContract("pull", await svc.json(["pull", "finder", "-p", project]));
    assert.deepEqual(pulled.skills[0]!.warnings, [
      lacks("acme/clock", "cursor lacks", "cursor"),
      lacks("acme/search", "cursor lacks", "cursor"),
    ]);
    await svc.json(["mcp", "uninstall", "clock"]);
    assert.ok(!existsSync(path.join(project, ".mcp.json")));
  });

  it("offers them at a terminal, and asks for values without showing them", needsTerminal, async () => {
    mkdirSync(path.join(home, ".cursor"), { recursive: true });
    const terminal = openTerminal(
      [process.execPath, path.join(root, "bin", "svc"), "install", "finder", "-t", "cursor", "-g"],
      { cwd: project, columns: 160, env: { HOME: home, SVC_API_URL: server.url, SVC_NO_UPDATE_CHECK: "1" } },
    );
    await terminal.until(/requires the MCP server acme\/clock. Install it into cursor\?/);
    const shown = terminal.text();
    assert.match(shown, /Installed .*finder/);
    const clock = "acme/clock runs this command on your machine: npx -y @example/clock";
    assert.ok(shown.indexOf(clock) > 0 && shown.indexOf(clock) < shown.indexOf("Install it into cursor?"));
    assert.match(shown, /acme\/clock runs with these variables: NODE_OPTIONS='--title=a clock'/);
    terminal.type("n");
    await terminal.until(/requires the MCP server acme\/search. Install it into cursor\?/);
    assert.match(
      terminal.text(),
      /acme\/search is at https:\/\/mcp\.example\.com\/v2, which gets the values/,
    );
    terminal.type("y");
    await terminal.until(/How should your tools reach it\?/);
    terminal.type("\r");
    await terminal.until(/API token/);
    assert.match(
      terminal.text(),
      /acme\/search needs API token \(TOKEN\)\. It is written to the files of your tools only:/,
    );
    terminal.type("typed-s3cr3t\r");
    await terminal.until(/Installed .*acme\/search/);
    assert.equal(await terminal.ended, 0);

    assert.doesNotMatch(terminal.text(), /typed-s3cr3t/);
    assert.deepEqual(readJson(home, ".cursor/mcp.json"), {
      mcpServers: {
        search: { url: "https://mcp.example.com/v2", headers: { Authorization: "Bearer typed-s3cr3t" } },
      },
    });
  });
});

describe("a hosted connector", () => {
  it("is created by --via central, shares one entry, and is listed with its status", async () => {
    await svc.json(["mcp", "uninstall", "search"]);
    const done = keepContract(
      "mcp.install",
      await svc.json(["mcp", "install", "search", "--via", "central", "-t", "claude"]),
    );
    assert.deepEqual([done.connector?.connectionStatus, done.connector?.created], ["pending", true]);
    assert.match(done.connectUrl!, /\/settings\/connectors\?connect=/);
    const again = await svc.json(["mcp", "install", "search", "--via", "central", "-t", "cursor"]);
    assert.equal(keepContract("mcp.install", again).connector?.created, false);
    const central = keepContract(
      "mcp.install",
      await svc.json(["mcp", "install", "central", "-t", "claude"]),
    );
    assert.equal(central.server, undefined);
    assert.deepEqual(servers(), { "svc-central": { type: "http", url: `${server.url}/mcp/central` } });

    const request = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const answer = await fetch(`${server.url}/mcp/central`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${account.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(request),
    });
    assert.equal(answer.status, 200, await answer.text());

    const listed = keepContract("mcp.list", await svc.json(["mcp", "list"]));
    const search = listed.find(({ slug }) => slug === "search")!;
    assert.deepEqual(
      [search.via, search.central, search.installed?.targets],
      ["central", { connectionStatus: "pending", needsReconnect: false }, ["claude", "cursor"]],
    );
    assert.equal(
      (await svc.failure(["mcp", "install", "clock", "--via", "central"])).code,
      "E_INVALID_ARGUMENT",
    );
    await svc.json(["mcp", "uninstall", "search"]);
    assert.ok("svc-central" in (servers() as object));
    await svc.json(["mcp", "uninstall", "central"]);
    assert.equal(readFileSync(path.join(home, ".claude.json"), "utf8"), '{ "numStartups": 1 }');
  });
});
