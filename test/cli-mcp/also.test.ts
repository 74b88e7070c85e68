import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse as parseToml } from "smol-toml";
import { dataOf } from "../cli/fixture.ts";
import { type Installed, entriesOf, makeMcpFixture } from "./fixture.ts";

type Placed = Installed["installed"][number] & { also?: string };
const placed = ({ installed }: Installed) =>
  (installed as Placed[]).map(({ platform, also }) =>
    also === undefined ? platform : `${platform} ${also}`,
  );

describe("svc mcp install --also", () => {
  it("writes the files of Copilot's command line, and removes them again", async (t) => {
    const { home, project, read, run } = await makeMcpFixture(t);
    const args = ["-t", "copilot", "--also", "copilot-cli"];
    const values = ["--via", "local", "--var", "TOKEN=t9"];

    const user = dataOf<Installed>(await run("mcp", "install", "search", ...args, ...values));
    const own = await run("mcp", "install", "files", "-p", ...args, "--var", "API_KEY=k", "--var", "ROOT=/d");

    assert.deepEqual(placed(user), ["copilot copilot-cli"]);
    assert.deepEqual(user.skipped, [], "a tool that has the server is not skipped");
    assert.deepEqual(entriesOf(await read(".copilot/mcp-config.json")), {
      search: {
        type: "http",
        url: "https://mcp.example.com/mcp",
        headers: { Authorization: "Bearer t9", "X-Region": "eu" },
        tools: ["*"],
      },
    });
    assert.deepEqual(placed(own.data as Installed), ["copilot", "copilot copilot-cli"]);
    const cli = await readFile(join(project, ".github/mcp.json"), "utf8");
    assert.deepEqual(entriesOf(cli), {
      files: {
        type: "stdio",
        command: "npx",
        args: ["@example/files", "/d"],
        env: { API_KEY: "k" },
        tools: ["*"],
      },
    });
    assert.doesNotMatch(await readFile(join(project, ".vscode/mcp.json"), "utf8"), /\/d"/);

    for (const name of ["search", "files"]) assert.equal((await run("mcp", "uninstall", name)).code, 0);
    for (const file of [".github", ".vscode"])
      await assert.rejects(stat(join(project, file)), { code: "ENOENT" });
    await assert.rejects(stat(join(home, ".copilot")), { code: "ENOENT" });
  });

  it("keeps a member's values and the user's fields through an update", async (t) => {
    const { home, servers, read, run } = await makeMcpFixture(t);
    const args = ["-t", "copilot", "--also", "copilot-cli", "--via", "local", "--var", "TOKEN=t9"];
    assert.equal((await run("mcp", "install", "search", ...args)).code, 0);
    const path = ".copilot/mcp-config.json";
    const edited = (await read(path)).replace('"*"', '"find"');
    await writeFile(join(home, path), edited);

    servers[2]!.url = "https://mcp.example.com/v2";
    servers[2]!.revision = 2;
    const pulled = await run("mcp", "pull");

    assert.equal(pulled.code, 0, pulled.stdout);
    assert.equal(await read(path), edited.replace('/mcp"', '/v2"'));
  });

  it("writes a project's file of Codex", async (t) => {
    const { project, run } = await makeMcpFixture(t);

    const done = dataOf<Installed>(
      await run("mcp", "install", "clock", "-t", "codex", "--also", "codex-project", "-p"),
    );

    assert.deepEqual([placed(done), done.skipped], [["codex codex-project"], []]);
    const text = await readFile(join(project, ".codex/config.toml"), "utf8");
    assert.deepEqual(structuredClone(parseToml(text)), {
      mcp_servers: { clock: { command: "npx", args: ["-y", "@example/clock"], env: { ZONE: "UTC" } } },
    });
    const user = await run("mcp", "install", "clock", "-t", "codex", "--also", "codex-project", "-g");
    assert.deepEqual((user.data as Installed).skipped, [
      { platform: "codex", reason: "codex-project is a file of a project; use --project" },
    ]);
  });

  it("refuses an unknown name, and proposes the one that was meant", async (t) => {
    const { run } = await makeMcpFixture(t);
    const done = await run("mcp", "install", "clock", "-t", "codex", "--also", "codex-projct");
    assert.equal(done.error.code, "E_INVALID_ARGUMENT");
    assert.deepEqual(done.error.details, { flag: "--also" });
    assert.match(done.error.message, /Did you mean codex-project\?/);
  });
});

describe("svc mcp install where Devin Desktop is set up", () => {
  it("writes its files as well as those of Windsurf", async (t) => {
    const { home, project, read, run } = await makeMcpFixture(t);
    await mkdir(join(home, ".config/devin"), { recursive: true });
    const values = ["-t", "windsurf", "--via", "local", "--var", "TOKEN=t9"];

    const user = dataOf<Installed>(await run("mcp", "install", "search", ...values));
    const own = dataOf<Installed>(await run("mcp", "install", "search", ...values, "-p"));

    assert.deepEqual(placed(user), ["windsurf", "windsurf devin"]);
    assert.deepEqual([placed(own), own.skipped], [["windsurf devin"], []]);
    const url = "https://mcp.example.com/mcp";
    const headers = { Authorization: "Bearer t9", "X-Region": "eu" };
    const devin = { search: { url, transport: "http", headers } };
    assert.deepEqual(entriesOf(await read(".codeium/windsurf/mcp_config.json")), {
      search: { serverUrl: url, headers },
    });
    assert.deepEqual(entriesOf(await read(".config/devin/mcp_config.json")), devin);
    assert.deepEqual(entriesOf(await readFile(join(project, ".devin/mcp_config.json"), "utf8")), devin);

    assert.equal((await run("mcp", "uninstall", "search")).code, 0);
    await assert.rejects(stat(join(home, ".config/devin/mcp_config.json")), { code: "ENOENT" });
    assert.ok((await stat(join(home, ".config/devin"))).isDirectory());
    await assert.rejects(stat(join(project, ".devin")), { code: "ENOENT" });
  });

  it("reports a file of Devin that can't be edited, and writes that of Windsurf", async (t) => {
    const { put, read, run } = await makeMcpFixture(t);
    const path = await put(".config/devin/mcp_config.json", "{ broken");

    const done = await run("mcp", "install", "clock", "-t", "windsurf");

    assert.equal(done.code, 1);
    assert.deepEqual(placed(done.data as Installed), ["windsurf"]);
    assert.equal((done.data as Installed).failed[0]!.path, path);
    assert.equal(await read(".config/devin/mcp_config.json"), "{ broken");
  });
});
