/**
 * `backup`: one point of a backup location, written while the service serves. The database is exported first, so
 * that the packs, which never change, contain all objects that it refers to. What an earlier backup, or an interrupted
 * one, has copied is not copied again.
 */
import { copyFile, open, stat } from "node:fs/promises";
import path from "node:path";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { allRepositories, copyRepository, openPacks, type PackStore } from "../../../repos/store/index.ts";
import { inSlices } from "../../../storage/database.ts";
import type { Stores } from "../../app.ts";
import { storeOf } from "../../open.ts";
import { exportTo } from "../transfer.ts";
import type { BackupLocation } from "./location.ts";
import {
  digestOf,
  keyOf,
  listPoints,
  names,
  packsOf,
  removePoints,
  writeManifest,
  type Manifest,
  type PointPacks,
} from "./points.ts";

export interface BackupOptions {
  into: BackupLocation;
  /** Points that are kept, with this one. */
  keep: number;
  /** Version of the service. */
  release: string;
  progress?: (repositories: number) => void;
}

export interface Backup extends Manifest {
  name: string;
  /** Packs that were not in the folder yet, and their size. */
  copied: number;
  bytes: number;
}

const concurrency = 4;
/** A backup that began before is not running any more. */
const abandonedMs = 24 * 3_600_000;

const pointName = (time: Date) => time.toISOString().replace(/[:.]/g, "-");

export async function backUp(app: Stores, { into, keep, release, progress }: BackupOptions): Promise<Backup> {
  const startedAt = app.now();
  const name = pointName(startedAt);
  const folder = await into.begin(name);
  const log = () => undefined;
  const [from, to] = [openPacks(storeOf(app.config), log), openPacks(into.git, log)];
  try {
    await exportTo(app, path.join(folder, names.database));
    const copied = await copyAll(from, to, path.join(folder, names.packs), progress);
    const files = [names.database, names.packs];
    if (await copyKeys(app, folder)) files.push(names.keys);
    const sha256: Record<string, string> = {};
    for (const file of files) sha256[file] = await digestOf(path.join(folder, file));
    const { repositories, packs, faults } = copied;
    const manifest: Manifest = {
      format: "svc-backup",
      version: 1,
      release,
      startedAt: startedAt.toISOString(),
      endedAt: app.now().toISOString(),
      repositories,
      packs,
      sha256,
      faults,
    };
    await writeManifest(folder, manifest);
    if (!(await into.hasBegun(name)))
      throw new Error("Another machine has removed this backup, which took more than a day: run it again.");
    for (const file of [...files, names.manifest]) await into.store(name, file);
    const abandoned = pointName(new Date(startedAt.getTime() - abandonedMs));
    await removePoints(into, keep, (point) => into.isExclusive || point < abandoned);
    faults.push(...(await removeUnneeded(into, to)));
    return { ...manifest, name, copied: copied.copied, bytes: copied.bytes };
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

/** Copies all repositories, and writes the list of their packs. A damaged one is a fault, and does not end it. */
async function copyAll(from: PackStore, to: PackStore, list: string, progress: BackupOptions["progress"]) {
  const total = { repositories: 0, packs: 0, copied: 0, bytes: 0, faults: [] as string[] };
  const file = await open(list, "w", 0o600);
  try {
    for await (const slice of inSlices(allRepositories(from), 100)) {
      const lines = await mapLimit(slice, concurrency, async (repo) => {
        const { packs, copied, bytes, faults } = await copyRepository(from, to, repo);
        // It was erased since it was listed.
        if (packs.length === 0 && !(await from.exists(repo))) return "";
        total.packs += packs.length;
        total.copied += copied;
        total.bytes += bytes;
        for (const { message } of faults) total.faults.push(`${keyOf(repo)}: ${message}`);
        return `${JSON.stringify({ repo, packs } satisfies PointPacks)}\n`;
      });
      total.repositories += slice.length;
      await file.write(lines.join(""));
      progress?.(total.repositories);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return total;
}

/** The keys that the service made itself. Those of `SECRET_KEYS` are kept by the operator. */
async function copyKeys({ config }: Stores, folder: string): Promise<boolean> {
  const file = path.join(config.dataDir, "secrets");
  if (config.secretKeys !== undefined || !(await stat(file).catch(() => undefined))) return false;
  await copyFile(file, path.join(folder, names.keys));
  return true;
}

/**
 * Removes packs and repositories that no point needs any more, unless another backup is being written, which may rely
 * on them. Returns a sentence if a point has lost its list.
 */
async function removeUnneeded(location: BackupLocation, stored: PackStore): Promise<string[]> {
  const points = (await listPoints(location)).map(({ name }) => name);
  const isAlone = async () => (await location.pointNames()).join() === points.join();
  const needed = new Map<string, Set<string>>();
  try {
    for (const name of points)
      for await (const { repo, packs } of packsOf(location, name)) {
        const all = needed.get(keyOf(repo)) ?? new Set();
        for (const pack of packs) all.add(pack);
        needed.set(keyOf(repo), all);
      }
  } catch (error) {
    return [`${(error as Error).message} Until it is removed, packs that are not needed stay.`];
  }
  for await (const repo of allRepositories(stored)) {
    const kept = needed.get(keyOf(repo));
    const packs = (await stored.list(repo)).packs.filter((pack) => !kept?.has(pack));
    if (kept && packs.length === 0) continue;
    // After the list: a backup that has begun since may have copied packs that the list does not have.
    if (!(await isAlone())) return [];
    if (kept) await stored.remove(repo, { packs });
    else await stored.erase(repo);
  }
  return [];
}
