import assert from "node:assert/strict";
import { chmod, lstat, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Installed, entriesOf, globalFiles, makeMcpFixture } from "./fixture.ts";

describe("a file that svc can't edit", () => {
  const broken: [title: string, file: string, content: string, reason: RegExp][] = [
    ["is not JSON", ".claude.json", '{ "token": "s3cr3t", }', /is not valid JSON \(line 1, column/],
    [
      "has a comment",
      ".claude.json",
      '{ // s3cr3t\n"mcpServers": {} }',
      /has a comment.*\(line 1, column 3\)/,
    ],
    ["is a list", ".claude.json", "[]", /its content is not an object/],
    ["has a list of servers", ".claude.json", '{"mcpServers": []}', /"mcpServers" in it is not an object/],
    [
      "has the servers twice",
      ".claude.json",
      '{"mcpServers": {}, "mcpServers": {}}',
      /has "mcpServers" twice/,
    ],
    ["is nested too deeply", ".claude.json", "[".repeat(200_000), /nested too deeply|not valid JSON/],
    ["has NUL bytes", ".claude.json", "{\0}", /not UTF-8/],
    ["is not TOML", ".codex/config.toml", 'token = "s3cr3t\nx', /is not valid TOML \(line 1, column/],
    ["has a key twice", ".codex/config.toml", "a = 1\na = 2\n", /is not valid TOML/],
    ["has an inline table of servers", ".codex/config.toml", "mcp_servers = {}\n", /is an inline table/],
    [
      "has a list of tables",
      ".codex/config.toml",
      "[[mcp_servers.clock]]\na = 1\n",
      /already exists|list of tables/,
    ],
  ];
  for (const [title, file, content, reason] of broken)
    it(`stays as it is if it ${title}`, async (t) => {
      const { put, read, run } = await makeMcpFixture(t);
      await put(file, content);
      const target = Object.entries(globalFiles).find(([, path]) => path === file)![0];

      const done = await run("mcp", "install", "clock", "-t", `${target},windsurf`, "--force");

      const data = done.data as Installed;
      assert.equal(done.code, 1, done.stdout);
      assert.deepEqual(
        data.installed.map(({ platform }) => platform),
        ["windsurf"],
      );
      assert.match(data.failed[0]!.error, reason);
      assert.doesNotMatch(done.stdout, /s3cr3t/);
      assert.equal(await read(file), content);
    });

  it("stays as it is if it is read-only", async (t) => {
    const { put, read, run } = await makeMcpFixture(t);
    const path = await put(".claude.json", "{}\n");
    await chmod(path, 0o444);

    const done = await run("mcp", "install", "clock", "-t", "claude");

    assert.equal(done.error.code, "E_NO_TARGETS");
    assert.match(done.stderr, /it is read-only/);
    assert.equal(await read(".claude.json"), "{}\n");
    assert.equal((await run("mcp", "uninstall", "clock")).error.code, "E_NOT_FOUND");
  });

  it("is written through a link of the user, and not through one that leaves a project or leads nowhere", async (t) => {
    const { home, project, put, read, run } = await makeMcpFixture(t);
    const real = await put("dotfiles/claude.json", "{}\n");
    await chmod(real, 0o640);
    await symlink(real, join(home, ".claude.json"));
    await mkdir(join(home, ".cursor"));
    await symlink(join(home, "nowhere"), join(home, ".cursor/mcp.json"));
    await symlink(real, join(project, ".mcp.json"));

    const user = await run("mcp", "install", "clock", "-t", "claude,cursor");
    const inProject = await run("mcp", "install", "clock", "-t", "claude", "-p");

    assert.match((user.data as Installed).failed[0]!.error, /a link that leads nowhere/);
    assert.match(inProject.stderr, /leads out of the project/);
    const info = await lstat(join(home, ".claude.json"));
    assert.ok(info.isSymbolicLink());
    assert.match(await read("dotfiles/claude.json"), /@example\/clock/);
    assert.equal((await run("mcp", "uninstall", "clock")).code, 0);
    assert.equal(await read("dotfiles/claude.json"), "{}\n");
  });
});

describe("a file that svc created", () => {
  it("begins with the next entry after the first one is removed, and is removed with the last", async (t) => {
    const { servers, put, read, run } = await makeMcpFixture(t);
    servers.push({ ...servers[0]!, publicId: "dddddddddd", slug: "second" });
    const file = globalFiles.codex;
    for (const name of ["clock", "second"]) await run("mcp", "install", name, "-t", "codex");

    await run("mcp", "uninstall", "clock");
    assert.match(await read(file), /^\[mcp_servers\.second\]\n/);
    await run("mcp", "uninstall", "second");
    await assert.rejects(read(file), { code: "ENOENT" });

    await run("mcp", "install", "clock", "-t", "codex");
    await put(file, `${await read(file)}\n[own]\na = 1\n`);
    await run("mcp", "uninstall", "clock");
    assert.equal(await read(file), "\n[own]\na = 1\n", "the bytes of others stay");
  });
});

describe("two clients that edit one file", () => {
  it("both keep their entries", async (t) => {
    const { read, run, servers, project } = await makeMcpFixture(t);
    servers.push({ ...servers[0]!, publicId: "dddddddddd", slug: "second" });
    // Another user's client, which has a state and a lock of its own.
    const other = await makeMcpFixture(t);
    await writeFile(join(project, ".mcp.json"), "{}\n");

    const done = await Promise.all([
      run("mcp", "install", "clock", "-t", "claude"),
      run("mcp", "install", "second", "-t", "claude"),
      run("mcp", "install", "clock", "-t", "claude", "-p"),
      other.run(
        "mcp",
        "install",
        "files",
        "-t",
        "claude",
        "-p",
        project,
        "--var",
        "API_KEY=k",
        "--var",
        "ROOT=/",
      ),
    ]);

    assert.deepEqual(
      done.map(({ code }) => code),
      [0, 0, 0, 0],
    );
    assert.deepEqual(Object.keys(entriesOf(await read(".claude.json"))).toSorted(), ["clock", "second"]);
    const shared = entriesOf(await readFile(join(project, ".mcp.json"), "utf8"));
    assert.deepEqual(Object.keys(shared).toSorted(), ["clock", "files"]);
    assert.deepEqual((await readdir(project)).toSorted(), [".mcp.json"]);
  });
});
