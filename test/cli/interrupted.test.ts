import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { startRegistry, svc, temporaryFolder } from "./harness.ts";

/** Ends the process, as a power cut would, right before its n-th change of the file system. */
const killer = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  let left = Number(process.env.KILL_BEFORE);
  for (const name of ["open", "rename", "mkdir", "mkdtemp", "symlink", "rm", "writeFile", "copyFile", "chmod"]) {
    const original = fs.promises[name];
    fs.promises[name] = (...args) => {
      if (name === "open" && args[1] === "r") return original(...args);
      if (--left === 0) process.kill(process.pid, "SIGKILL");
      return original(...args);
    };
  }
  syncBuiltinESMExports();
`)}`;

const kit = (text: string) => ({
  "SKILL.md": { data: `---\nname: kit\ndescription: d\n---\n${text}` },
  "part.txt": { data: text },
});

describe("an update that is killed", () => {
  it("leaves every place whole, and the next pull brings all of them to one version", async (t) => {
    const home = await temporaryFolder(t);
    const dist = await temporaryFolder(t);
    const bundle = await rolldown({
      input: fileURLToPath(new URL("../../cli/main.ts", import.meta.url)),
      platform: "node",
      logLevel: "silent",
    });
    await bundle.write({
      dir: dist,
      format: "esm",
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
    });
    await bundle.close();
    const skills = [
      {
        slug: "review",
        publicId: "aaaaaaaaaa",
        name: "Review",
        versions: [
          { semver: "1.0.0", body: "old\n" },
          { semver: "2.0.0", body: "new\n" },
        ],
      },
      {
        slug: "kit",
        publicId: "cccccccccc",
        name: "Kit",
        versions: [
          { semver: "1.0.0", files: kit("old") },
          { semver: "2.0.0", files: kit("new") },
        ],
      },
    ];
    const env = { SVC_API_URL: await startRegistry(t, skills) };
    const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, env });
    await mkdir(join(home, ".codex"));
    await writeFile(join(home, ".codex/AGENTS.md"), "# Mine");
    for (const ref of ["review@1.0.0", "kit@1.0.0"])
      await run("install", ref, "-t", "claude,cursor,codex", "-g");

    const read = (path: string) => readFile(join(home, path), "utf8").catch(() => undefined);
    /** Old, new, or for folders not there: between two renames a folder is beside its place. */
    const check = async (allowed: readonly (string | undefined)[], told: string) => {
      const agents = await read(".codex/AGENTS.md");
      assert.ok(agents?.startsWith("# Mine\n\n<!-- svc:start:review -->"), `${told}: ${agents}`);
      const texts = await Promise.all(
        [".claude/skills/review", ".cursor/skills/review"].map((path) => read(`${path}/SKILL.md`)),
      );
      for (const text of [agents, ...texts])
        assert.ok(
          allowed.includes(text === undefined ? undefined : /(old|new)\n/.exec(text)?.[1]),
          `${told}: ${text}`,
        );
      for (const folder of [".claude/skills/kit", ".cursor/skills/kit", ".agents/skills/kit"]) {
        const [skillFile, part] = [await read(`${folder}/SKILL.md`), await read(`${folder}/part.txt`)];
        assert.equal(skillFile?.slice(-3), part, `${told}: ${folder}`);
        assert.ok(allowed.includes(part), `${told}: ${folder} ${part}`);
      }
    };

    // Every third change, from another first one each run: all of them over a few runs, in a third of the time.
    const stride = 3;
    const first = 1 + Math.floor(Math.random() * stride);
    let ended = 0;
    let at = 0;
    for (const slug of ["review", "kit"])
      for (let killBefore = first; ; killBefore += stride) {
        const child = spawn(
          process.execPath,
          ["--import", killer, join(dist, "main.mjs"), "pull", slug, "--latest"],
          {
            env: { ...env, PATH: process.env["PATH"], HOME: home, KILL_BEFORE: String(killBefore) },
            stdio: "ignore",
          },
        );
        const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
        await rm(join(home, ".svc/config.lock"), { recursive: true, force: true });
        const told = `${slug}, before change ${killBefore}`;
        await check(["old", "new", undefined], told);
        if (signal === null) {
          assert.equal(code, 0, told);
          ended++;
          break;
        }
        at++;

        const repaired = await run("pull", slug, "--latest");
        assert.deepEqual([repaired.code, repaired.stderr], [0, ""], `${told}: ${repaired.stdout}`);
        const again = (await run("pull")).data as {
          summary: { upToDate: number };
          skills: { warnings: string[] }[];
        };
        assert.equal(again.summary.upToDate, 2, told);
        assert.deepEqual(
          again.skills.flatMap((skill) => skill.warnings),
          [],
          told,
        );
        await run("pull", slug, "--version", "1.0.0");
        await check(["old", "new"], told);
      }

    assert.equal(ended, 2);
    assert.ok(at > 15, `only ${at} places to die at`);
    await check(["new"], "in the end");
    for (const folder of [".claude/skills", ".cursor/skills", ".agents/skills", ".codex", ".svc"])
      assert.deepEqual(
        (await readdir(join(home, folder))).filter((name) => name.startsWith(".svc-")),
        [],
        folder,
      );
  });
});
