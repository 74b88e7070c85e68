/**
 * Versions in an object store relative to those in the file system, in one run and in turns: publishes, reads from
 * copies, and reads of a machine that has no copy. The server (radosgw) runs on this machine, with its data in memory.
 *
 * `npm run bench -- object-store`
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkillStore, type SkillStore, type TreeFile, type WrittenCommit } from "../repos/store/index.ts";
import { newBucket, whyNoObjectStore } from "../test/support/object-store.ts";
import { median, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";

const options = readOptions("object-store", {});
const tenantId = "5f0000000000000000000001";
const skill = (n: number) => ({ tenantId, skillId: n.toString(16).padStart(24, "0") });
const filesEach = 8;

function filesOf(version: number, bytes: number): TreeFile[] {
  return Array.from({ length: filesEach }, (_, index) => ({
    path: index === 0 ? "SKILL.md" : `part-${index}.txt`,
    mode: "100644",
    data: Buffer.from(`# Version ${version} ${"step of the skill ".repeat(bytes / 18)}${index}\n`),
  }));
}

async function publish(
  store: SkillStore,
  n: number,
  version: number,
  parent: string | undefined,
  bytes: number,
) {
  const written = await store.writeCommit(skill(n), {
    parent,
    source: { kind: "files", files: filesOf(version, bytes) },
    author: { name: "ada", email: "u-1@users.noreply.svc.test" },
    at: new Date(1_700_000_000_000 + version * 1000),
    message: `Version ${version}`,
    trailers: {},
  });
  await store.advanceRefs(skill(n), async () => ({ main: written.oid, head: written.oid }));
  return written;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

interface Side {
  store: SkillStore;
  times: { publish: number[]; first: number[]; warm: number[] };
  heads: Map<number, WrittenCommit>;
}

async function measure(folder: string): Promise<Row[]> {
  const remote = { store: await newBucket(), maxBytes: 4 * 1024 ** 3 };
  const open = (name: string, isRemote: boolean) =>
    // Without a cache of objects, every read is one of a pack.
    openSkillStore({
      root: join(folder, name),
      committerHost: "svc.test",
      cacheBytes: 1,
      remote: isRemote ? remote : undefined,
    });
  const newSide = (store: SkillStore): Side => ({
    store,
    times: { publish: [], first: [], warm: [] },
    heads: new Map(),
  });
  const [local, distant] = [newSide(open("local", false)), newSide(open("copies", true))];
  const { publishes, reads } = options;

  for (let version = 1; version <= publishes; version++)
    for (const [n, bytes] of [
      [1, 500],
      [version + 1000, 500],
    ] as const)
      for (const side of version % 2 === 0 ? [local, distant] : [distant, local]) {
        const { store, heads, times } = side;
        const measured = n === 1 ? times.publish : times.first;
        measured.push(
          await timed(async () => {
            heads.set(n, await publish(store, n, version, heads.get(n)?.oid, bytes));
          }),
        );
      }
  for (let turn = 0; turn < reads; turn++) {
    const n = 1001 + (turn % publishes);
    for (const { store, heads, times } of turn % 2 === 0 ? [local, distant] : [distant, local]) {
      const { oid, digest } = heads.get(n)!;
      times.warm.push(await timed(() => store.verify(skill(n), oid, digest)));
    }
  }
  const cold: number[] = [];
  const elsewhere = open("elsewhere", true);
  for (let turn = 0; turn < Math.min(reads, publishes); turn++) {
    const { oid, digest } = distant.heads.get(1001 + turn)!;
    cold.push(await timed(() => elsewhere.verify(skill(1001 + turn), oid, digest)));
  }
  await Promise.all([local, distant].map(({ store }) => store.close()));
  await elsewhere.close();

  const ratio = (name: string, kind: keyof Side["times"], most: number) => {
    const [own, other] = [median(distant.times[kind]), median(local.times[kind])];
    return row(name, own / other, "x", { most }, `${own.toFixed(2)} and ${other.toFixed(2)} ms`);
  };
  return [
    ratio("publish: vs the file system", "publish", 4),
    ratio("first publish of a skill: vs the file system", "first", 4),
    ratio("read of a version from copies: vs the file system", "warm", 1.2),
    row("first read on a machine without copies", median(cold), "ms", {}),
  ];
}

const missing = whyNoObjectStore();
if (missing !== undefined) console.log(`0 figures: ${missing}`);
else {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-objects-"));
  try {
    reportRows(await measure(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.exit();
}
