import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dataOf } from "../cli/fixture.ts";
import { assertProcessorSeconds } from "../support/processor-time.ts";
import { type Placed, globalFiles, makeMcpFixture, member } from "./fixture.ts";

describe("svc mcp pull", () => {
  it("brings entries to the current revision, with the values of the member and the fields of the user", async (t) => {
    const { servers, read, put, run } = await makeMcpFixture(t);
    const targets = "claude,cursor,windsurf,cline,codex,opencode";
    const values = ["--var", "API_KEY=k1", "--var", "ROOT=/data"];
    assert.equal((await run("mcp", "install", "files", "-t", targets, ...values)).code, 0);
    assert.equal((await run("mcp", "install", "files", "-t", "copilot", "-p", ...values)).code, 0);
    assert.equal(
      (await run("mcp", "install", "search", "--via", "local", "-t", targets, "--var", "TOKEN=t1")).code,
      0,
    );
    await put(
      ".codex/config.toml",
      (await read(".codex/config.toml")).replace(
        "[mcp_servers.search]",
        "$&\nstartup_timeout_sec = 20 # slow",
      ),
    );
    const same = dataOf<{ updated: unknown[]; upToDate: unknown[] }>(await run("mcp", "pull"));
    assert.deepEqual([same.updated.length, same.upToDate.length], [0, 2]);

    servers[1] = { ...servers[1]!, revision: 2, args: ["@example/files@2", "--root", "{ROOT}"] };
    servers[2] = {
      ...servers[2]!,
      revision: 4,
      url: "https://new.example.com/mcp",
      headers: servers[2]!.headers.slice(0, 1),
    };
    const list = dataOf<{ installed: { updateAvailable: boolean } | null }[]>(await run("mcp", "list"));
    assert.deepEqual(
      list.map(({ installed }) => installed?.updateAvailable),
      [undefined, true, true],
    );
    const pulled = await run("mcp", "pull", "search");
    assert.equal(pulled.code, 0, pulled.stdout);
    assert.deepEqual((pulled.data as { warnings: string[] }).warnings, [
      "acme/search now has another address, which gets the values that you supplied: https://new.example.com/mcp",
    ]);

    for (const file of Object.values(globalFiles)) {
      const text = await read(file);
      assert.match(text, /https:\/\/new\.example\.com\/mcp/, file);
      assert.match(text, /Bearer t1/, file);
      assert.doesNotMatch(text, /X-Region/, file);
      assert.match(text, /k1/, file);
    }
    assert.match(await read(".codex/config.toml"), /startup_timeout_sec = 20 # slow/);

    const failed = await run("mcp", "pull", "files");
    assert.equal(failed.code, 1);
    const { updated, warnings } = failed.data as { updated: { installed: Placed[] }[]; warnings: string[] };
    assert.deepEqual(
      updated[0]!.installed.map(({ platform }) => platform),
      ["copilot"],
    );
    assert.match(
      warnings[0]!,
      /lacks a value of yours: run svc mcp install acme\/files -t claude -g --var API_KEY=<value> --var ROOT=<value>$/,
    );
    assert.equal((await run("mcp", "install", "files", "-t", targets, ...values)).code, 0);
    assert.deepEqual(dataOf<{ updated: unknown[] }>(await run("mcp", "pull")).updated, []);
  });

  it("warns of another path, and of variables that change what a program does", async (t) => {
    const { servers, run } = await makeMcpFixture(t);
    const targets = "claude,cursor,windsurf,cline,codex,opencode";
    assert.equal((await run("mcp", "install", "clock", "-t", targets)).code, 0);
    const search = ["mcp", "install", "search", "--via", "local", "-t", targets, "--var", "TOKEN=t1"];
    assert.equal((await run(...search)).code, 0);
    const warningsOf = async () => (await run("mcp", "pull")).data as { warnings: string[] };

    const env = (name: string, value: string) => ({ name, kind: "fixed" as const, value });
    const options = env("NODE_OPTIONS", "--import=data:text/javascript,0");
    servers[0] = { ...servers[0]!, revision: 2, env: [env("ZONE", "UTC"), options] };
    servers[2] = { ...servers[2]!, revision: 2, url: "https://mcp.example.com/@other/mcp" };
    assert.deepEqual((await warningsOf()).warnings, [
      "acme/clock now runs with other variables on your machine: NODE_OPTIONS=--import=data:text/javascript,0",
      "acme/search now has another address, which gets the values that you supplied: https://mcp.example.com/@other/mcp",
    ]);

    servers[0] = { ...servers[0], revision: 3, env: [env("ZONE", "CET"), options] };
    servers[2] = { ...servers[2], revision: 3, url: "https://mcp.example.com/@other/mcp?version=2" };
    assert.deepEqual((await warningsOf()).warnings, [
      "acme/clock now runs with other variables on your machine: ZONE=CET",
    ]);
    assert.deepEqual((await warningsOf()).warnings, []);
  });

  it("gives inputs of an earlier version their current ids, and keeps optional ones", async (t) => {
    const { home, project, servers, run } = await makeMcpFixture(t);
    const file = join(project, ".vscode/mcp.json");
    const values = ["--var", "API_KEY=k", "--var", "ROOT=/", "--var", "EXTRA=e"];
    assert.equal((await run("mcp", "install", "files", "-t", "copilot", "-p", ...values)).code, 0);
    const present = await readFile(file, "utf8");
    for (const path of [file, join(home, ".svc/config.json")]) {
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replaceAll("svc-acme--files--", "svc-acme-files-"));
    }
    servers[1] = { ...servers[1]!, revision: 2 };

    const pulled = dataOf<{ warnings: string[] }>(await run("mcp", "pull"));

    assert.deepEqual(pulled.warnings, []);
    assert.equal(await readFile(file, "utf8"), present);
  });

  it("prints commands that supply a new value, and work as they are, without a terminal", async (t) => {
    const { servers, project, read, run } = await makeMcpFixture(t);
    const install = ["mcp", "install", "search", "--via", "local", "-t", "claude", "--var", "TOKEN=t1"];
    for (const place of ["-g", "-p"]) assert.equal((await run(...install, place)).code, 0);
    servers[2] = {
      ...servers[2]!,
      revision: 2,
      headers: [...servers[2]!.headers, { ...member("X-Key"), name: "X-Key" }],
    };

    const pulled = await run("mcp", "pull");

    assert.equal(pulled.code, 1);
    const commands = (pulled.data as { warnings: string[] }).warnings.map(
      (text) => text.split(": run svc ")[1]!,
    );
    const start = "mcp install acme/search -t claude";
    const rest = "--via local --var X-Key=<value> --var TOKEN=<value>";
    assert.deepEqual(commands, [`${start} -g ${rest}`, `${start} -p ${project} ${rest}`]);
    for (const command of commands)
      assert.equal((await run(...command.replaceAll("<value>", "new").split(" "))).code, 0, command);
    assert.equal((await run("mcp", "pull")).code, 0);
    for (const text of [await read(".claude.json"), await readFile(join(project, ".mcp.json"), "utf8")])
      assert.match(text, /"X-Key": "new"/);
  });

  it("reports entries that are gone, and servers that no longer exist", async (t) => {
    const { servers, put, run } = await makeMcpFixture(t);
    assert.equal((await run("mcp", "install", "clock", "-t", "claude,cursor")).code, 0);
    await put(".claude.json", "{}");

    const pulled = await run("mcp", "pull");
    assert.equal(pulled.code, 1);
    assert.match(pulled.stdout, /no longer has the entry \\"clock\\"/);
    servers.splice(0, 1);
    const gone = await run("mcp", "pull");
    assert.match(gone.stdout, /acme\/clock is not in the registry, or you don't have access to it/);
    assert.equal((await run("mcp", "uninstall", "clock")).code, 0);
    assert.equal((await run("mcp", "pull", "clock")).error.code, "E_NOT_FOUND");
  });

  it("finds values in texts of several parts, and does not take long for texts that can't be divided", async (t) => {
    const { servers, read, run } = await makeMcpFixture(t);
    const url = (template: string) => `https://mcp.example.com/${template}`;
    const variables = ["A", "B", "C", "D", "E", "F"].map((name) => member(name));
    servers[2] = {
      ...servers[2]!,
      url: url("{A}/x/{B}?c={C}"),
      headers: [],
      variables: variables.slice(0, 3),
    };
    const given = ["--var", "A=a/b", "--var", `B=${"x/".repeat(1000)}`, "--var", "C=c?c=d"];
    assert.equal((await run("mcp", "install", "search", "--via", "local", "-t", "claude", ...given)).code, 0);
    const before = await read(".claude.json");

    servers[2] = { ...servers[2], revision: 2 };
    assert.equal((await run("mcp", "pull")).code, 0);
    assert.equal(await read(".claude.json"), before);

    servers[2] = { ...servers[2], revision: 3, url: url("{A}{B}{C}{D}{E}{F}!"), variables };
    await assertProcessorSeconds(20, async () => {
      const pulled = await run("mcp", "pull");
      assert.equal(pulled.code, 1);
      assert.match(pulled.stdout, /lacks a value of yours/);
    });
    assert.equal(await read(".claude.json"), before);
  });
});
