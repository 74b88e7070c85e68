import assert from "node:assert/strict";
import { mkdir, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dataOf } from "../cli/fixture.ts";
import { keepContract } from "../support/cli-contract.ts";
import { type Installed, entriesOf, makeMcpFixture, member } from "./fixture.ts";

describe("svc mcp install", () => {
  it("installs into every detected tool, and reports it to the service", async (t) => {
    const { home, env, run, reports } = await makeMcpFixture(t);
    await mkdir(join(home, ".cursor"));
    await mkdir(join(home, ".codex"));
    env["SVC_TOKEN"] = `lsk_${"0".repeat(64)}`;

    const done = dataOf<Installed>(await run("mcp", "install", "acme/clock"));

    assert.deepEqual(
      done.installed.map(({ platform, scope, key }) => [platform, scope, key]),
      [
        ["cursor", "global", "clock"],
        ["codex", "global", "clock"],
      ],
    );
    assert.equal(done.via, undefined);
    assert.deepEqual(
      reports
        .map(({ method, url, body }) => [method, url, (JSON.parse(body) as { platform: string }).platform])
        .toSorted((a, b) => (a[2]! < b[2]! ? -1 : 1)),
      ["codex", "cursor"].map((tool) => ["PUT", "/api/tenants/acme/mcp-servers/aaaaaaaaaa/installs", tool]),
    );
    const listed = dataOf<{ slug: string; installed: unknown }[]>(await run("mcp", "list"));
    assert.deepEqual(listed[0]!.installed, { targets: ["cursor", "codex"], updateAvailable: false });
    assert.equal(listed[1]!.installed, null);

    const removed = dataOf<{ removed: unknown[] }>(await run("mcp", "uninstall", "clock"));
    assert.equal(removed.removed.length, 2);
    assert.equal(reports.filter(({ method }) => method === "DELETE").length, 2);
  });

  it("skips tools that have no file for the scope or don't support the transport", async (t) => {
    const { servers, run } = await makeMcpFixture(t);
    servers[2]!.transport = "sse";

    const user = dataOf<Installed>(
      await run(
        "mcp",
        "install",
        "search",
        "-t",
        "copilot,codex,claude",
        "--via",
        "local",
        "--var",
        "TOKEN=t",
      ),
    );
    assert.deepEqual(user.skipped, [
      {
        platform: "copilot",
        reason:
          "copilot gets the MCP servers of VS Code per project; use --project, " +
          "or --also copilot-cli for its command line",
      },
      { platform: "codex", reason: "codex supports stdio and streamable http servers, not sse" },
    ]);
    const project = await run("mcp", "install", "clock", "-t", "windsurf,cline,codex", "-p");
    assert.equal(project.error.code, "E_NO_TARGETS");
    assert.deepEqual(project.error.details!["skipped"], [
      {
        platform: "windsurf",
        reason: "windsurf has MCP servers of a project only as Devin Desktop; use --also devin",
      },
      { platform: "cline", reason: "cline has no project-level MCP config" },
      {
        platform: "codex",
        reason: "codex reads the MCP servers of trusted projects only; use --also codex-project",
      },
    ]);
    const none = await run("mcp", "install", "clock");
    assert.deepEqual([none.error.code, none.error.details!["skipped"]], ["E_NO_TARGETS", []]);
  });

  it("leaves entries of others alone without --force, and keeps fields that users added to its own", async (t) => {
    const { put, read, run } = await makeMcpFixture(t);
    await put(".cursor/mcp.json", '{ "mcpServers": { "clock": { "command": "mine", "note": 1 } } }');

    const refused = await run("mcp", "install", "clock", "-t", "cursor");
    assert.equal(refused.error.code, "E_NO_TARGETS");
    assert.deepEqual(refused.error.details!["skipped"], [
      { platform: "cursor", reason: "an entry named clock already exists; use --force" },
    ]);
    assert.match(await read(".cursor/mcp.json"), /"mine"/);

    assert.equal((await run("mcp", "install", "clock", "-t", "cursor", "--force")).code, 0);
    assert.deepEqual(entriesOf(await read(".cursor/mcp.json"))["clock"], {
      type: "stdio",
      command: "npx",
      args: ["-y", "@example/clock"],
      env: { ZONE: "UTC" },
    });

    const edited = (await read(".cursor/mcp.json"))
      .replace('"ZONE"', '"OWN": "1", "ZONE"')
      .replace('"env"', '"timeout": 5, "env"');
    await put(".cursor/mcp.json", edited);
    assert.equal((await run("mcp", "install", "clock", "-t", "cursor")).code, 0);
    assert.equal(await read(".cursor/mcp.json"), edited);
  });

  it("names the entry after the organization too if another server has the name", async (t) => {
    const { servers, run, read } = await makeMcpFixture(t);
    servers.push({ ...servers[0]!, publicId: "dddddddddd", tenantSlug: "beta" });

    assert.equal((await run("mcp", "install", "acme/clock", "-t", "claude")).code, 0);
    const second = dataOf<Installed>(await run("mcp", "install", "beta/clock", "-t", "claude"));

    assert.equal(second.installed[0]!.key, "beta-clock");
    assert.deepEqual(Object.keys(entriesOf(await read(".claude.json"))), ["clock", "beta-clock"]);
    const ambiguous = await run("mcp", "uninstall", "clock");
    assert.equal(ambiguous.error.code, "E_AMBIGUOUS");
    assert.equal((ambiguous.error.details!["candidates"] as unknown[]).length, 2);
  });

  it("writes the endpoint of hosted connectors for central, and removes it with the last use", async (t) => {
    const connector = { publicId: "kkkkkkkkkk", slug: "search", tenantId: "t1", connectionStatus: "pending" };
    const connectUrl = "https://svc.example.com/settings/connectors?connect=kkkkkkkkkk";
    const { env, read, run } = await makeMcpFixture(t, (request, url) => {
      if (url.pathname !== "/api/user/connectors") return undefined;
      const server = { publicId: "cccccccccc" };
      return request.method === "POST"
        ? { status: 201, data: { success: true, data: { ...connector, created: true, connectUrl } } }
        : { status: 200, data: { success: true, data: [{ ...connector, needsReconnect: false, server }] } };
    });
    const endpoint = { type: "http", url: `${env["SVC_API_URL"]}/mcp/central` };

    const central = dataOf<Installed & { server?: unknown }>(
      await run("mcp", "install", "central", "-t", "claude"),
    );
    assert.deepEqual([central.server, central.via], [undefined, "central"]);
    const done = dataOf<Record<string, unknown>>(
      await run("mcp", "install", "search", "--via", "central", "-t", "claude"),
    );
    assert.deepEqual(done["connector"], { ...connector, created: true });
    assert.equal(done["connectUrl"], connectUrl);
    assert.deepEqual(entriesOf(await read(".claude.json")), { "svc-central": endpoint });
    assert.deepEqual(dataOf(await run("mcp", "pull")), { updated: [], upToDate: [], warnings: [] });
    const listed = dataOf<{ slug: string; via?: string; central?: unknown }[]>(await run("mcp", "list"));
    const hosted = listed.find(({ slug }) => slug === "search")!;
    assert.deepEqual(
      [hosted.via, hosted.central],
      ["central", { connectionStatus: "pending", needsReconnect: false }],
    );

    assert.equal((await run("mcp", "uninstall", "central")).code, 0);
    assert.deepEqual(entriesOf(await read(".claude.json")), { "svc-central": endpoint });
    assert.equal((await run("mcp", "uninstall", "search")).code, 0);
    await assert.rejects(read(".claude.json"), { code: "ENOENT" });
  });

  it("warns of a tool that has a server in both ways, which the list shows", async (t) => {
    const { read, run, say } = await makeMcpFixture(t, (request, url) => {
      if (url.pathname !== "/api/user/connectors") return undefined;
      const made = { publicId: "kkkkkkkkkk", slug: "search", tenantId: "t1", connectionStatus: "connected" };
      const data = { ...made, created: false, needsReconnect: false, connectUrl: "https://svc.example.com/" };
      const listed = [{ ...data, server: { publicId: "cccccccccc" } }];
      return { status: 200, data: { success: true, data: request.method === "POST" ? data : listed } };
    });
    const local = ["mcp", "install", "search", "--via", "local", "--var", "TOKEN=t", "-t"];
    const central = ["mcp", "install", "search", "--via", "central", "-t"];
    const install = async (...argv: string[]) => (await run(...argv)).data as Installed;

    assert.deepEqual((await install(...local, "claude,codex")).warnings, []);
    assert.deepEqual((await install(...central, "cursor")).warnings, []);
    assert.deepEqual((await install(...central, "claude")).warnings, [
      "claude also has acme/search with its own address. To keep one of the two, run svc mcp uninstall acme/search, " +
        "which removes both, and install it again",
    ]);
    const again = await install(...local, "claude,codex");
    assert.match(again.warnings[0]!, /^claude also has acme\/search through a hosted connector\./);

    const listed = keepContract("mcp.list", (await run("mcp", "list")).data);
    const { via, installed } = listed.find(({ slug }) => slug === "search")!;
    assert.equal(via, "local");
    assert.deepEqual(installed, {
      targets: ["claude", "codex", "cursor"],
      updateAvailable: false,
      hostedTargets: ["cursor", "claude"],
    });
    assert.match((await say("mcp", "list")).stdout, /cursor, claude through a hosted\s+connector/);
    assert.equal((await run("mcp", "uninstall", "search")).code, 0);
    await assert.rejects(read(".claude.json"), { code: "ENOENT" });
  });

  it("refuses a hosted connector for a local server, and where the service has none", async (t) => {
    let exists = false;
    const { env, run, read } = await makeMcpFixture(t, (_request, url) =>
      url.pathname !== "/api/user/connectors"
        ? undefined
        : exists
          ? { status: 200, data: { success: true, data: [] } }
          : { status: 404, data: { success: false, error: "Not found.", code: "not_found", requestId: "r" } },
    );
    const local = await run("mcp", "install", "clock", "--via", "central", "-t", "claude");
    assert.deepEqual([local.error.code, local.error.details!["flag"]], ["E_INVALID_ARGUMENT", "--via"]);
    const missing = await run("mcp", "install", "search", "--via", "central", "-t", "claude");
    assert.equal(missing.error.code, "E_API");
    assert.match(missing.error.message, /no hosted connectors/);

    assert.equal((await run("mcp", "install", "central", "-t", "claude")).error.code, "E_API");
    await assert.rejects(read(".claude.json"), { code: "ENOENT" });
    exists = true;

    env["SVC_MCP_CENTRAL_URL"] = "ftp://x";
    assert.equal((await run("mcp", "install", "central", "-t", "claude")).error.code, "E_INVALID_ARGUMENT");
    env["SVC_MCP_CENTRAL_URL"] = "https://central.example.com/mcp";
    assert.equal((await run("mcp", "install", "central", "-t", "claude")).code, 0);
    assert.match(await read(".claude.json"), /"https:\/\/central\.example\.com\/mcp"/);
  });
});

describe("the values of svc mcp install", () => {
  const install = ["mcp", "install", "files", "-t", "claude"];
  const secret = "s3cr3t-value";
  const cases: [title: string, given: string[], code: string, message: RegExp][] = [
    ["are required", [], "E_INTERACTION_REQUIRED", /--var API_KEY=<value> --var ROOT=<value>/],
    ["need a name", ["--var", secret], "E_INVALID_ARGUMENT", /takes NAME=value/],
    ["need a known name", ["--var", `API_KEYS=${secret}`], "E_INVALID_ARGUMENT", /Did you mean API_KEY\?/],
    ["are not empty", ["--var", "API_KEY="], "E_INVALID_ARGUMENT", /API_KEY must not be empty/],
    ["have one line", ["--var", `API_KEY=${secret}\nx`], "E_INVALID_ARGUMENT", /API_KEY must be one line/],
    ["are not long", ["--var", `API_KEY=${secret.repeat(1000)}`], "E_INVALID_ARGUMENT", /at most 4000/],
    ["are given once", ["--var", `API_KEY=${secret}`, "--var", "API_KEY=y"], "E_INVALID_ARGUMENT", /twice/],
  ];
  for (const [title, given, code, message] of cases)
    it(`${title}, and are not repeated in the error`, async (t) => {
      const { home, run } = await makeMcpFixture(t);
      const done = await run(...install, ...given);

      assert.equal(done.error.code, code);
      assert.match(done.error.message, message);
      assert.equal(done.error.details!["flag"], "--var");
      assert.doesNotMatch(done.stderr, /s3cr3t/);
      assert.deepEqual(await readdir(home), []);
    });

  it("are in the tool's file only", async (t) => {
    const { home, put, read, run } = await makeMcpFixture(t);
    const values = ["--var", `API_KEY=${secret}`, "--var", "ROOT=/data", "--var", "EXTRA=${env:MY_EXTRA}"];

    const done = await run(...install, ...values);
    assert.equal(done.code, 0);
    assert.match(await read(".claude.json"), new RegExp(`"${secret}"`));
    assert.match(await read(".claude.json"), /"EXTRA": "\$\{MY_EXTRA\}"/);
    const state = await readFile(join(home, ".svc/config.json"), "utf8");
    await put(".claude.json", "{ broken");
    const failed = await run("mcp", "uninstall", "files");
    for (const text of [done.stdout, done.stderr, state, failed.stdout, failed.stderr])
      assert.doesNotMatch(text, /s3cr3t/);
  });

  it("are reported if a project's file that has them could be committed", async (t) => {
    const { project, run } = await makeMcpFixture(t);
    await mkdir(join(project, ".git"));
    const values = ["--var", "API_KEY=k", "--var", "ROOT=${env:X}"];

    const done = dataOf<Installed>(
      await run("mcp", "install", "files", "-t", "claude,copilot", "-p", ...values),
    );

    assert.equal(done.warnings.length, 1);
    assert.match(done.warnings[0]!, /\.mcp\.json has your values: do not commit it/);
    assert.doesNotMatch(await readFile(join(project, ".vscode/mcp.json"), "utf8"), /"k"/);
  });
});

it("does not install a server whose value has the name of a field of objects", async (t) => {
  const { servers, read, run } = await makeMcpFixture(t);
  servers[0] = {
    ...servers[0]!,
    env: [member("constructor"), { name: "toString", kind: "fixed", value: "x" }],
  };

  assert.equal((await run("mcp", "install", "clock", "-t", "claude")).error.code, "E_INTERACTION_REQUIRED");
  const done = await run("mcp", "install", "clock", "-t", "claude,codex", "--var", "constructor=v");
  assert.equal(done.code, 0, done.stderr);
  assert.match(await read(".claude.json"), /"constructor": "v",\s+"toString": "x"/);
});
