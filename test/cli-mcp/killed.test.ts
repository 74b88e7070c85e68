import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { bundleClient, runKilled } from "../cli/killed.ts";
import { root } from "../support/root.ts";
import { isLong } from "../support/run-count.ts";
import { globalFiles, makeMcpFixture } from "./fixture.ts";

/** Kills before every n-th change of the file system, from a random one: several runs cover all of them. */
const stride = isLong ? 1 : 11;
const targets = ["claude", "windsurf", "cline", "codex", "cursor", "opencode"] as const;
/** Those that have a file of the user. The others get one from svc. */
const present = { claude: "json", windsurf: "json", cline: "json", codex: "toml" } as const;
const values = ["--var", "API_KEY=k", "--var", "ROOT=/data"];

bundleClient();

/** Locks of a killed process are taken over when they are old. */
async function ageLocks(home: string): Promise<void> {
  for (const path of await readdir(home, { recursive: true }))
    if (path.endsWith(".lock")) await utimes(join(home, path), 0, 0);
}

describe("svc mcp that is killed between two changes of the file system", () => {
  it("leaves each file in its old or new form, and the next run completes it", async (t) => {
    const { home, project, env, servers, run } = await makeMcpFixture(t);
    const fileOf = (platform: (typeof targets)[number]) => join(home, globalFiles[platform]);
    for (const [platform, ending] of Object.entries(present)) {
      const file = fileOf(platform as keyof typeof present);
      await mkdir(dirname(file), { recursive: true });
      await copyFile(join(root, `test/cli-mcp/golden/${platform}.before.${ending}`), file);
    }
    const contents = () =>
      Promise.all(targets.map(async (one) => readFile(fileOf(one), "utf8").catch(() => undefined)));
    const install = ["mcp", "install", "files", "-t", targets.join(","), ...values];
    const saveRevision = (revision: 1 | 2) => {
      const args = [revision === 1 ? "@example/files" : "@example/files@2", "{ROOT}"];
      servers[1] = { ...servers[1]!, revision, args };
    };

    const before = await contents();
    assert.equal((await run(...install)).code, 0);
    const first = await contents();
    saveRevision(2);
    assert.equal((await run("mcp", "pull")).code, 0);
    const second = await contents();
    assert.equal((await run("mcp", "uninstall", "files")).code, 0);
    assert.deepEqual(await contents(), before);

    let kills = 0;
    /** Kills the command at each chosen change, checks the files, completes the command, and undoes it. */
    async function killAt(
      argv: string[],
      forms: readonly (readonly (string | undefined)[])[],
      { complete, undo }: { complete: () => Promise<void>; undo: () => Promise<void> },
    ): Promise<void> {
      const start = 1 + Math.floor(Math.random() * stride);
      for (let killBefore = start; ; killBefore += stride) {
        const code = await runKilled([...argv, "-o", "json"], killBefore, { home, env, cwd: project });
        const context = `${argv[1]}, before change ${killBefore}`;
        for (const [i, text] of (await contents()).entries())
          assert.ok(
            forms.some((form) => form[i] === text),
            `${context}: ${targets[i]}: ${text}`,
          );
        if (code === undefined) kills++;
        else assert.equal(code, 0, context);
        await ageLocks(home);
        await complete();
        assert.deepEqual(await contents(), forms.at(-1), context);
        const left = (await readdir(home, { recursive: true })).filter((name) => /\.lock$|\.svc-/.test(name));
        assert.deepEqual(left, [], context);
        await undo();
        assert.deepEqual(await contents(), forms[0], context);
        if (code !== undefined) return;
      }
    }
    const runWell = async (...argv: string[]) => {
      const done = await run(...argv);
      assert.equal(done.code, 0, `${argv.join(" ")}: ${done.stdout}${done.stderr}`);
    };
    const uninstall = async () => {
      const done = await run("mcp", "uninstall", "files");
      if (done.code !== 0) assert.equal(done.error.code, "E_NOT_FOUND");
    };

    saveRevision(1);
    await killAt(install, [before, first], { complete: () => runWell(...install), undo: uninstall });
    await runWell(...install);
    saveRevision(2);
    await killAt(["mcp", "pull"], [first, second], {
      complete: () => runWell("mcp", "pull"),
      undo: async () => {
        saveRevision(1);
        await runWell(...install);
        saveRevision(2);
      },
    });
    saveRevision(1);
    await killAt(["mcp", "uninstall", "files"], [first, before], {
      complete: uninstall,
      undo: async () => runWell(...install),
    });

    await uninstall();
    for (const folder of [".cursor", ".config"]) assert.ok(!existsSync(join(home, folder)), folder);
    assert.ok(kills > 3, `only ${kills} places to die at`);
  });

  it("never removes an entry of someone else that --force was about to replace", async (t) => {
    const { home, project, env, put, read, run } = await makeMcpFixture(t);
    const foreign = '{ "mcpServers": { "clock": { "command": "mine" } } }';
    const install = ["mcp", "install", "clock", "-t", "claude", "--force", "-o", "json"];
    const states = { foreign: 0, ours: 0 };
    const step = stride === 1 ? 1 : 3;
    for (let killBefore = step; ; killBefore += step) {
      await put(".claude.json", foreign);
      const code = await runKilled(install, killBefore, { home, env, cwd: project });
      const isForeign = (await read(".claude.json")) === foreign;
      states[isForeign ? "foreign" : "ours"]++;
      await ageLocks(home);
      const removed = await run("mcp", "uninstall", "clock");
      if (isForeign) assert.equal(await read(".claude.json"), foreign);
      else if (code === 0) assert.equal(await read(".claude.json"), '{ "mcpServers": { } }');
      if (removed.code !== 0) assert.equal(removed.error.code, "E_NOT_FOUND");
      if (code !== undefined) break;
    }
    assert.ok(states.foreign > 0 && states.ours > 0, JSON.stringify(states));
  });
});
