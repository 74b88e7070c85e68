/**
 * Kills publishers with SIGKILL at random moments and checks what they leave behind. Used by the crash test with a few
 * kills and by the bench with hundreds.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, readFile, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { openSkillStore, type StoreOptions } from "../../repos/store/index.ts";
import { root as checkout } from "../support/root.ts";
import type { CrashRow } from "./crash-writer.ts";
import { fsck, repo } from "./fixtures.ts";

export interface CrashReport {
  kills: number;
  versions: number;
  /** Acknowledged to a user and missing. */
  lost: number;
  /** Present but unreadable, with other bytes than were published, or not based on the previous version. */
  unreadable: number;
  /** Reachable by a ref and not a version. */
  phantom: number;
  fsckErrors: string[];
  /** Rounds that ended with refs behind the newest version; the next advance repairs them. */
  lateRefs: number;
}

export async function crashRounds(options: {
  folder: string;
  kills: number;
  writers: number;
  /** Options of the store for a writer, by its number, or for the inspection; by default, a folder for all. */
  storeOf?: (writer: number | "inspection") => StoreOptions;
}): Promise<CrashReport> {
  const { folder, kills, writers } = options;
  const root = join(folder, "git");
  const storeOf = options.storeOf ?? (() => ({ root, committerHost: "svc.test" }));
  const rows = join(folder, "rows");
  await mkdir(rows, { recursive: true });
  const program = await bundleWriter(folder);
  const report: CrashReport = {
    kills: 0,
    versions: 0,
    lost: 0,
    unreadable: 0,
    phantom: 0,
    fsckErrors: [],
    lateRefs: 0,
  };

  for (let round = 0; report.kills < kills; round++) {
    const acknowledged = new Map<number, string>();
    const children = Array.from({ length: writers }, (_, i) =>
      spawn(
        process.execPath,
        [
          program,
          JSON.stringify({ ...storeOf(i), graceMs: 0, staleLockMs: 300 }),
          rows,
          `w${round}-${i}`,
          String(round * 31 + i * 7 + 1),
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      ),
    );
    await Promise.all(children.map((child) => killSometime(child, acknowledged)));
    report.kills += writers;
    await inspect({ store: storeOf("inspection"), rows, acknowledged, report, from: report.versions });
  }
  return report;
}

/** One file, so that a start takes only a process. */
async function bundleWriter(folder: string): Promise<string> {
  const file = join(folder, "writer.mjs");
  const bundle = await rolldown({
    input: join(checkout, "test/store/crash-writer.ts"),
    platform: "node",
    logLevel: "silent",
  });
  await bundle.write({ file, format: "esm" });
  await bundle.close();
  return file;
}

function killSometime(child: ChildProcess, acknowledged: Map<number, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    let timer: NodeJS.Timeout | undefined;
    child.stdout?.on("data", (piece: Buffer) => {
      // The clock starts with the first acknowledgement: a kill during start-up would show nothing.
      timer ??= setTimeout(() => child.kill("SIGKILL"), Math.random() * 150);
      text += piece.toString();
    });
    child.once("close", (status, signal) => {
      clearTimeout(timer);
      for (const [, version, oid] of text.matchAll(/^ack (\d+) ([0-9a-f]{40})$/gm))
        acknowledged.set(Number(version), oid!);
      if (signal === "SIGKILL") resolve();
      else reject(new Error(`a publisher ended by itself, with status ${status}`));
    });
  });
}

async function inspect(state: {
  store: StoreOptions;
  rows: string;
  acknowledged: ReadonlyMap<number, string>;
  report: CrashReport;
  from: number;
}): Promise<void> {
  const { report } = state;
  const store = openSkillStore({ ...state.store, graceMs: 0 });
  try {
    const versions = await readRows(state.rows);
    const oids = new Set(versions.map((row) => row.oid));
    for (const [version, oid] of state.acknowledged) if (versions[version - 1]?.oid !== oid) report.lost++;
    for (let i = state.from; i < versions.length; i++) {
      const row = versions[i]!;
      try {
        const commit = await store.readCommit(repo, row.oid);
        await store.verify(repo, row.oid, row.digest);
        if (commit.parents.join() !== (versions[i - 1]?.oid ?? "")) report.unreadable++;
      } catch {
        report.unreadable++;
      }
    }
    const newest = versions.at(-1)?.oid ?? null;
    // A machine that has only read has no refs yet.
    if (state.store.remote !== undefined)
      await store.advanceRefs(repo, async () => ({ main: newest, head: newest }));
    const before = await store.readRefs(repo);
    for (const oid of [before.main, before.head]) if (oid !== null && !oids.has(oid)) report.phantom++;
    if (before.main !== newest || before.head !== newest) report.lateRefs++;
    report.fsckErrors.push(...(await fsck(await store.materialize(repo))));

    await ageLocks(await store.materialize(repo));
    await store.sweep(repo);
    await store.advanceRefs(repo, async () => ({ main: newest, head: newest }));
    const after = await store.readRefs(repo);
    if (after.main !== newest || after.head !== newest) report.phantom++;
    report.versions = versions.length;
  } finally {
    await store.close();
  }
}

/** Waits until a dead process's lock may be broken. */
async function ageLocks(folder: string): Promise<void> {
  const past = new Date(Date.now() - 60_000);
  for (const name of await readdir(folder, { recursive: true }))
    if (name.endsWith(".lock")) await utimes(join(folder, name), past, past);
}

/** All rows, oldest first; a gap between them counts as the end. */
async function readRows(rows: string): Promise<CrashRow[]> {
  const numbers = (await readdir(rows)).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: CrashRow[] = [];
  for (const version of numbers.toSorted((a, b) => a - b)) {
    if (version !== found.length + 1)
      throw new Error(`version ${found.length + 1} is missing between others`);
    found.push(JSON.parse(await readFile(join(rows, String(version)), "utf8")) as CrashRow);
  }
  return found;
}
