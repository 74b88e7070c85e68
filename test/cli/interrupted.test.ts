import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { targets } from "../../contract/vocabulary.ts";
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
          { semver: "1.0.0", body: "old review\n" },
          { semver: "2.0.0", body: "new review\n" },
        ],
      },
      {
        slug: "house",
        publicId: "bbbbbbbbbb",
        name: "House",
        type: "rule" as const,
        versions: [
          { semver: "1.0.0", body: "old house\n" },
          { semver: "2.0.0", body: "new house\n" },
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
    const project = await temporaryFolder(t);
    await writeFile(join(project, "AGENTS.md"), "# Ours");
    await mkdir(join(home, ".codex"));
    await writeFile(join(home, ".codex/AGENTS.md"), "# Mine");
    for (const ref of ["review@1.0.0", "house@1.0.0", "kit@1.0.0"]) {
      assert.equal((await run("install", ref, "-t", "claude,cursor,codex,windsurf", "-g")).code, 0);
      assert.equal((await run("install", ref, "-t", targets.join(","), "-p", project)).code, 0);
    }

    const read = (...path: string[]) => readFile(join(...path), "utf8").catch(() => undefined);
    /** Every file that a text is in, and how the text is told there. */
    const texts = (slug: string) => [
      ...(slug === "review"
        ? [[home, `.claude/skills/${slug}/SKILL.md`]]
        : [[home, `.claude/rules/${slug}.md`]]),
      ...(slug === "review" ? [[home, `.cursor/skills/${slug}/SKILL.md`]] : []),
      ...(slug === "review" ? [[project, `.opencode/skills/${slug}/SKILL.md`]] : []),
      [project, `.cursor/rules/${slug}.mdc`],
      [project, `.windsurf/rules/${slug}.md`],
      [project, `.clinerules/${slug}.md`],
      [project, `.aider/skills/${slug}.md`],
      [home, ".codex/AGENTS.md"],
      [home, ".codeium/windsurf/memories/global_rules.md"],
      [project, "AGENTS.md"],
      [project, ".github/copilot-instructions.md"],
    ];
    const packages = [
      ...[".claude", ".cursor", ".agents", ".codeium/windsurf"].map((tool) => join(home, tool, "skills/kit")),
      ...[".claude", ".cursor", ".agents", ".windsurf", ".cline", ".github", ".opencode"].map((tool) =>
        join(project, tool, "skills/kit"),
      ),
    ];
    /** Old, new, or for folders not there: between two renames a folder is beside its place. */
    const check = async (allowed: readonly (string | undefined)[], told: string) => {
      assert.ok(
        (await read(home, ".codex/AGENTS.md"))?.startsWith("# Mine\n\n<!-- svc:start:review -->"),
        told,
      );
      assert.ok((await read(project, "AGENTS.md"))?.startsWith("# Ours\n\n<!-- svc:start:review -->"), told);
      for (const slug of ["review", "house"])
        for (const path of texts(slug)) {
          const text = await read(...path);
          const word = new RegExp(`(old|new) ${slug}\n`).exec(text ?? "")?.[1];
          assert.ok(allowed.includes(word), `${told}: ${path.join("/")}: ${text}`);
        }
      for (const folder of packages) {
        const [skillFile, part] = [await read(folder, "SKILL.md"), await read(folder, "part.txt")];
        assert.equal(skillFile?.slice(-3), part, `${told}: ${folder}`);
        assert.ok(allowed.includes(part), `${told}: ${folder} ${part}`);
      }
    };

    // Every so many changes, from another first one each run: all of them over some runs, in a part of the time.
    const stride = 13;
    const first = 1 + Math.floor(Math.random() * stride);
    let ended = 0;
    let at = 0;
    for (const slug of ["review", "house", "kit"])
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
        assert.equal(again.summary.upToDate, 3, told);
        assert.deepEqual(
          again.skills.flatMap((skill) => skill.warnings),
          [],
          told,
        );
        await run("pull", slug, "--version", "1.0.0");
        await check(["old", "new"], told);
      }

    assert.equal(ended, 3);
    assert.ok(at > 15, `only ${at} places to die at`);
    await check(["new"], "in the end");
    for (const root of [home, project])
      assert.deepEqual(
        (await readdir(root, { recursive: true })).filter((name) => name.includes(".svc-")),
        [],
      );
  });
});
