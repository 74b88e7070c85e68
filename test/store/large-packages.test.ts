import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { readZip, writeZip } from "../../repos/archive/index.ts";
import type { TreeFile } from "../../repos/store/index.ts";
import { rawZip } from "../archive/raw-zip.ts";
import { root } from "../support/root.ts";
import { closedAfter } from "../support/set-up.ts";
import { draft, fsck, openBench, repo, temporaryFolder, textFile } from "./fixtures.ts";

const run = promisify(execFile);
const mega = 1024 * 1024;

/** Bytes that hardly compress, the same in every run. */
function dense(bytes: number, seed: number): Buffer {
  const data = Buffer.alloc(bytes);
  for (let i = 0, x = seed; i + 4 <= bytes; i += 4)
    data.writeInt32LE((x = (Math.imul(x, 1664525) + 1013904223) | 0), i);
  return data;
}

async function spoolZip(path: string, files: readonly TreeFile[]): Promise<void> {
  const members = files.map(({ path: name, mode, data }) => ({
    path: name,
    mode,
    size: data.length,
    open: async () => data,
  }));
  await pipeline(writeZip(members), createWriteStream(path));
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

describe("a large package", async () => {
  const files: TreeFile[] = [
    textFile("SKILL.md", "# Large\n"),
    { path: "data/huge.bin", mode: "100644", data: dense(8.5 * mega, 1) },
    { path: "data/same.bin", mode: "100644", data: dense(8.5 * mega, 1) },
    { path: "data/zeros", mode: "100755", data: Buffer.alloc(2 * mega) },
    { path: "img/a.png", mode: "100644", data: dense(mega / 2, 2) },
  ];

  const bench = await closedAfter(openBench());
  const zip = join(bench.folder, "large.zip");
  await spoolZip(zip, files);

  it("becomes the same commit from a zip, in a thread, as from memory", async () => {
    const fromZip = await bench.store.writeCommit(repo, {
      ...draft([]),
      source: { kind: "zip", path: zip, rootFile: "SKILL.md" },
    });
    const other = { ...repo, skillId: "0".repeat(24) };
    const fromMemory = await bench.store.writeCommit(other, draft(files));

    assert.deepEqual(fromZip, fromMemory);
    await bench.reopen().verify(repo, fromZip.oid, fromZip.digest);
    assert.deepEqual(await fsck(await bench.store.materialize(repo)), []);

    const next = await bench.store.writeCommit(repo, {
      ...draft([], fromZip.oid, 2),
      source: { kind: "zip", path: zip },
    });
    assert.equal(next.treeOid, fromZip.treeOid);
    const folder = join(await bench.store.materialize(repo), "objects", "pack");
    assert.equal((await readdir(folder)).filter((name) => name.startsWith("tmp_")).length, 0);
  });

  it("is zipped in a thread, once, and read from disk after that", async () => {
    const written = await bench.store.writeCommit(repo, { ...draft([]), source: { kind: "zip", path: zip } });
    const store = bench.reopen();

    const [first, second] = await Promise.all([
      store.openZip(repo, written.oid, written.digest),
      store.openZip(repo, written.oid, written.digest),
    ]);
    const [one, two] = await Promise.all([bytesOf(first.stream), bytesOf(second.stream)]);
    const again = await bytesOf((await bench.reopen().openZip(repo, written.oid, written.digest)).stream);

    assert.equal(first.size, one.length);
    assert.ok(one.equals(two) && one.equals(again));
    const path = join(bench.folder, "back.zip");
    await writeFile(path, one);
    const back = await readZip(path, { rootFile: "SKILL.md" });
    assert.deepEqual(
      back.map((file) => [file.path, file.mode]),
      files.map((file) => [file.path, file.mode]),
    );
    for (const file of files)
      assert.ok(back.find(({ path: name }) => name === file.path)?.data.equals(file.data), file.path);
    await assert.rejects(store.openZip(repo, written.oid, "0".repeat(64)), { code: "digest_mismatch" });
  });

  it("waits its turn when many arrive at once", async () => {
    const skills = Array.from({ length: 3 }, (_, i) => ({ ...repo, skillId: `${i + 1}`.padStart(24, "0") }));

    const written = await Promise.all(
      skills.map((skill) =>
        bench.store.writeCommit(skill, { ...draft([]), source: { kind: "zip", path: zip } }),
      ),
    );

    assert.equal(new Set(written.map(({ oid }) => oid)).size, 1);
  });

  it("that breaks a rule is rejected by the thread with that rule, and leaves nothing", async () => {
    const skill = { ...repo, skillId: "9".repeat(24) };
    const path = join(bench.folder, "broken.zip");
    const data = Buffer.alloc(17 * mega, "x");
    const cases = [
      {
        rule: "checksum_mismatch",
        zip: rawZip([{ name: "SKILL.md" }, { name: "big", data, declaredCrc: 1 }]),
      },
      {
        rule: "size_mismatch",
        zip: rawZip([{ name: "SKILL.md" }, { name: "big", data, declaredSize: data.length + 1 }]),
      },
      { rule: "root_file_missing", zip: rawZip([{ name: "big", data, method: 0 }]) },
    ];
    for (const { rule, zip: bytes } of cases) {
      await writeFile(path, bytes);
      const input = { ...draft([]), source: { kind: "zip" as const, path, rootFile: "SKILL.md" } };
      await assert.rejects(bench.store.writeCommit(skill, input), { name: "PackageError", rule });
    }

    const folder = join(await bench.store.materialize(skill), "objects", "pack");
    assert.deepEqual(await readdir(folder).catch(() => []), []);
    await assert.rejects(
      bench.store.writeCommit(skill, { ...draft([], "1".repeat(40)), source: { kind: "zip", path } }),
      { code: "object_missing" },
    );
  });

  it("works from compiled files as it does from source", async () => {
    const folder = await temporaryFolder();
    try {
      await mkdir(join(folder, "dist"));
      await symlink(join(root, "node_modules"), join(folder, "node_modules"));
      await writeFile(join(folder, "package.json"), `{ "type": "module" }`);
      const config = {
        extends: join(root, "tsconfig.build.json"),
        compilerOptions: { rootDir: root, outDir: join(folder, "dist"), sourceMap: false },
        include: [join(root, "repos"), join(root, "contract")],
      };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
      await run(process.execPath, [
        join(root, "node_modules/typescript/bin/tsc"),
        "-p",
        join(folder, "tsconfig.json"),
      ]);
      const program = `
        import { openSkillStore } from "./dist/repos/store/index.js";
        const store = openSkillStore({ root: ${JSON.stringify(join(folder, "git"))}, committerHost: "svc.test" });
        const source = { kind: "zip", path: ${JSON.stringify(zip)} };
        const written = await store.writeCommit(${JSON.stringify(repo)}, { source, author: { name: "a", email: "a" }, at: new Date(0), message: "m", trailers: {} });
        const zipped = await store.openZip(${JSON.stringify(repo)}, written.oid, written.digest);
        zipped.stream.destroy();
        console.log(written.fileCount, zipped.size > 0);
        await store.close();`;
      await writeFile(join(folder, "program.js"), program);

      const { stdout } = await run(process.execPath, [join(folder, "program.js")], {
        env: { PATH: process.env["PATH"] },
      });

      assert.equal(stdout.trim(), "5 true");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
