/**
 * The Git layer against its bars (`docs/concepts/versions.md`): ratios only, each measured in one run against native
 * git or against the bare system calls, in alternating blocks, so that a busy machine slows both sides alike.
 *
 * `npm run bench -- git [--only=packages] [--kills=500]`
 */
import { execFile } from "node:child_process";
import { createCipheriv } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { compareUtf8 } from "../contract/checks/package-rules.ts";
import { writeZip } from "../repos/archive/index.ts";
import { openSkillStore, type SkillStore, type TreeFile } from "../repos/store/index.ts";
import { crashRounds } from "../test/store/crash-rounds.ts";
import { median, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import {
  bareFloor,
  nativeAdd,
  nativeFastImport,
  nativePlumbing,
  readThroughCatFile,
} from "./git/baselines.ts";
import { cloneScenario, mirrorScenarios } from "./git/mirror.ts";

const options = readOptions("git", { only: "" });
const tenantId = "5f0000000000000000000001";
const skill = (n: number) => ({ tenantId, skillId: n.toString(16).padStart(24, "0") });

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

async function timed(action: () => Promise<unknown> | void): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

function oneFile(n: number): TreeFile[] {
  const lines = Array.from(
    { length: 40 },
    (_, i) => `- step ${i}: do the thing number ${(n * 31 + i) % 97}\n`,
  );
  return [
    { path: "SKILL.md", mode: "100644", data: Buffer.from(`# Skill, version ${n}\n\n${lines.join("")}`) },
  ];
}

/**
 * A package as they are: of five files two are prose or code, one is dense text (data, minified code), two are images
 * or archives. Seeded, so that every run has the same bytes.
 */
function packageFiles(count: number, bytes: number): TreeFile[] {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const words =
    "the tool reads a folder and then writes code const import return function value of number".split(" ");
  const files: TreeFile[] = [{ path: "SKILL.md", mode: "100644", data: Buffer.from("# A package\n") }];
  for (let i = 0; i < count; i++) {
    const kind = i % 5;
    const data = Buffer.alloc(bytes);
    if (kind >= 3)
      createCipheriv("aes-128-ctr", `bench-key-${String(i).padStart(6, "0")}`, Buffer.alloc(16))
        .update(data)
        .copy(data);
    const textBytes = kind < 3 ? bytes : 0;
    for (let at = 0; at < textBytes;) {
      const word = kind === 2 ? random(2 ** 28).toString(36) : words[random(words.length)]!;
      at += data.write(random(8) === 0 ? `${word}${random(1000)}\n` : `${word} `, at);
    }
    files.push({
      path: `scripts/part-${String(i % 20).padStart(2, "0")}/file-${i}.txt`,
      mode: "100644",
      data,
    });
  }
  return files;
}

async function publish(
  store: SkillStore,
  n: number,
  version: number,
  files: readonly TreeFile[],
  parent?: string,
) {
  const written = await store.writeCommit(skill(n), {
    parent,
    source: { kind: "files", files },
    author: { name: "bench", email: "u-1@users.noreply.bench.test" },
    at: new Date(1_700_000_000_000 + version * 1000),
    message: `Version ${version}`,
    trailers: { "Svc-Skill": skill(n).skillId, "Svc-Version": String(version) },
  });
  await store.advanceRefs(skill(n), async () => ({ main: written.oid, head: written.oid }));
  return written;
}

async function countInodes(folder: string): Promise<number> {
  return (await readdir(folder, { recursive: true })).length + 1;
}

async function oneSkill(folder: string, store: SkillStore): Promise<Row[]> {
  const { versions } = options;
  const block = versions / 10;
  const own: number[] = [];
  const floor: number[] = [];
  const native: number[] = [];
  const bare = await bareFloor(join(folder, "floor"));
  const plumbing = await nativePlumbing(join(folder, "plumbing.git"));
  let parent: string | undefined;
  for (let version = 1; version <= versions; version++) {
    own.push(
      await timed(async () => (parent = (await publish(store, 1, version, oneFile(version), parent)).oid)),
    );
    if (version % 4 === 0) floor.push(await timed(() => bare(oneFile(version)[0]!.data)));
    if (version % 20 === 0) native.push(await timed(() => plumbing(oneFile(version)[0]!.data)));
  }
  const blocks = Array.from({ length: versions / block }, (_, i) => own.slice(i * block, (i + 1) * block));
  const floors = Array.from({ length: versions / block }, (_, i) =>
    floor.slice((i * block) / 4, ((i + 1) * block) / 4),
  );
  // Relative to the baseline of the same moments, so that other work on the machine has no effect on the slope.
  const slope = (i: number) => median(blocks.at(i)!) / median(floors.at(i)!);

  await store.maintain(skill(1));
  await store.sweep(skill(1));
  const inodes = await countInodes(await store.materialize(skill(1)));
  return [
    row(
      "publish 1 file: vs native plumbing",
      mean(own) / mean(native),
      "x",
      { most: 0.25 },
      `median ${median(own).toFixed(2)} ms, merges included`,
    ),
    row("publish 1 file: vs bare system calls, 1 at a time", median(floor) / median(own), "of rate", {
      least: 0.4,
    }),
    row(
      `publish 1 file: last tenth of ${versions} vs first`,
      slope(-1) / slope(0),
      "x",
      { most: 1.25 },
      "each relative to the floor then",
    ),
    row(`inodes after ${versions} versions`, inodes, "files", { most: 80 }),
  ];
}

async function sixteenConcurrently(folder: string, store: SkillStore): Promise<Row[]> {
  const skills = 16;
  const each = 12;
  const heads = new Map<number, string>();
  const bares = await Promise.all(
    Array.from({ length: skills }, (_, i) => bareFloor(join(folder, `floor-${i}`))),
  );
  const own: number[] = [];
  const floor: number[] = [];
  const lanes = Array.from({ length: skills }, (_, i) => i);
  for (let turn = 0; turn < options.turns; turn++) {
    const first = turn * each;
    const ownTime = await timed(() =>
      Promise.all(
        lanes.map(async (lane) => {
          for (let v = first; v < first + each; v++)
            heads.set(
              lane,
              (await publish(store, 100 + lane, v, oneFile(v * 16 + lane), heads.get(lane))).oid,
            );
        }),
      ),
    );
    const floorTime = await timed(() =>
      Promise.all(
        lanes.map(async (lane) => {
          for (let v = first; v < first + each; v++) await bares[lane]!(oneFile(v)[0]!.data);
        }),
      ),
    );
    // The first turn also creates the repositories.
    if (turn === 0) continue;
    own.push(ownTime);
    floor.push(floorTime);
  }
  const rate = (times: readonly number[]) => (skills * each * times.length * 1000) / sum(times);
  return [
    row(
      "publish 1 file: vs bare system calls, 16 at a time",
      rate(own) / rate(floor),
      "of rate",
      { least: 0.6 },
      `${Math.round(rate(own))} publishes/s`,
    ),
  ];
}

async function packages(folder: string, store: SkillStore): Promise<Row[]> {
  const rows: Row[] = [];
  const { rounds, largeFileBytes } = options;
  const sizes = [
    { label: "2 MB", bytes: 4_000, rounds, reads: 6, skillBase: 1000, publishBar: 0.7, readBar: 0.6 },
    {
      label: "100 MB",
      bytes: largeFileBytes,
      rounds: Math.min(rounds, 4),
      reads: 2,
      skillBase: 2000,
      publishBar: 0.45,
      readBar: 1,
    },
  ];
  for (const size of sizes) {
    // One less than the limit of files, for SKILL.md.
    const files = packageFiles(499, size.bytes);
    const own: number[] = [];
    const native: number[] = [];
    const readOwn: number[] = [];
    const readNative: number[] = [];
    for (let round = 0; round < size.rounds; round++) {
      const n = size.skillBase + round;
      let commit = "";
      own.push(await timed(async () => (commit = (await publish(store, n, 1, files)).oid)));
      const nativeRepo = join(folder, `native-${size.label.replace(" ", "")}-${round}`);
      const load = size.label === "2 MB" ? nativeFastImport : nativeAdd;
      native.push(await timed(() => load(nativeRepo, files)));

      const ownDir = await store.materialize(skill(n));
      const names = files.map((file) => `${commit}:${file.path}`);
      for (let half = 0; half < size.reads; half++) {
        if ((round + half) % 2 === 0) {
          // A store of its own has nothing in memory yet, as a fresh process.
          const cold = openSkillStore({ root: join(folder, "store"), committerHost: "bench.test" });
          readOwn.push(
            await timed(async () => {
              let bytes = 0;
              for await (const file of cold.readFiles(skill(n), commit)) bytes += file.data.length;
              if (bytes < 499 * size.bytes) throw new Error("the package came back short");
            }),
          );
          await cold.close();
        } else readNative.push(await timed(() => readThroughCatFile(ownDir, names)));
      }
      await rm(nativeRepo, { recursive: true, force: true });
    }
    const against = size.label === "2 MB" ? "one fast-import" : "git add + commit";
    // The best of each side: what other work on the machine adds falls on the slower rounds.
    const best = (times: readonly number[]) => Math.min(...times);
    rows.push(
      row(
        `publish 500 files ${size.label}: vs ${against}`,
        best(own) / best(native),
        "x",
        { most: size.publishBar },
        `best ${best(own).toFixed(0)} ms of ${size.rounds}`,
      ),
      row(
        `read all 500 files ${size.label}: vs cat-file --batch`,
        best(readOwn) / best(readNative),
        "x",
        { most: size.readBar },
        `best ${best(readOwn).toFixed(0)} ms of ${readOwn.length}, checksums included`,
      ),
    );
  }
  return rows;
}

/** A 100 MB package from its zip, as an upload comes in, and back out. */
async function largeZip(folder: string): Promise<Row[]> {
  const zip = join(folder, "large.zip");
  const members = packageFiles(499, options.largeFileBytes * 1.045)
    .toSorted((a, b) => compareUtf8(a.path, b.path))
    .map(({ path, mode, data }) => ({ path, mode, size: data.length, open: async () => data }));
  await pipeline(writeZip(members), createWriteStream(zip));
  const program = join(import.meta.dirname, "git", "large-publish.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--import",
    "tsx",
    program,
    join(folder, "large"),
    zip,
  ]);
  const { riseMb, stallMs, publishMs } = JSON.parse(stdout) as {
    riseMb: number;
    stallMs: number;
    publishMs: number;
  };
  const note = `publish ${publishMs.toFixed(0)} ms, longest stall of the event loop ${stallMs.toFixed(0)} ms`;
  return [row("memory to publish and zip 100 MB", riseMb, "MB", { most: 200 }, note)];
}

async function manyVersionsCloned(folder: string, store: SkillStore): Promise<Row[]> {
  let parent: string | undefined;
  for (let version = 1; version <= options.versions; version++)
    parent = (await publish(store, 5, version, oneFile(version), parent)).oid;
  await store.maintain(skill(5));
  return cloneScenario(folder, store, skill(5), options);
}

async function erase(store: SkillStore): Promise<Row[]> {
  const times: number[] = [];
  for (let n = 3000; n < 3005; n++) {
    let parent: string | undefined;
    for (let v = 1; v <= 5; v++) parent = (await publish(store, n, v, oneFile(v), parent)).oid;
    times.push(await timed(() => store.erase(skill(n))));
  }
  return [row("erase one skill", median(times), "ms", { most: 50 })];
}

async function kills(folder: string, count: number): Promise<Row[]> {
  const report = await crashRounds({ folder, kills: count, writers: 3 });
  const bad = report.lost + report.unreadable + report.phantom + report.fsckErrors.length;
  const note = `${report.kills} kills, ${report.versions} versions; repaired late refs ${report.lateRefs}`;
  return [row("kill -9: lost, phantom or unreadable versions", bad, "versions", { most: 0 }, note)];
}

/** Runs all scenarios in a temporary folder and removes it. */
async function gitScenarios(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-git-"));
  const store = openSkillStore({ root: join(folder, "store"), committerHost: "bench.test", graceMs: 0 });
  try {
    const scenarios: Record<string, () => Promise<Row[]>> = {
      skill: () => oneSkill(folder, store),
      sixteen: () => sixteenConcurrently(folder, store),
      packages: () => packages(folder, store),
      large: () => largeZip(folder),
      erase: () => erase(store),
      mirror: () => mirrorScenarios(join(folder, "mirror"), options),
      clone: () => manyVersionsCloned(join(folder, "clone"), store),
      kills: () => kills(join(folder, "crash"), options.kills),
    };
    const rows: Row[] = [];
    for (const [name, run] of Object.entries(scenarios))
      if (options.only === "" || options.only === name) rows.push(...(await run()));
    return rows;
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

reportRows(await gitScenarios());
