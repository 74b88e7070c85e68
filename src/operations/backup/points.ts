/**
 * The folder of backups. `git/` has the packs of all of them, each once, in the form of a Git root; `points/` has a
 * folder for each backup, named by its time: the export of the database, the list of the packs that it needs, and the
 * manifest, which is written last. A point without one is that of an interrupted backup.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { StoredId } from "../../../repos/store/index.ts";

export const names = {
  database: "database.ndjson",
  packs: "packs.ndjson",
  keys: "secrets",
  manifest: "manifest.json",
};

const Manifest = z.object({
  format: z.literal("svc-backup"),
  version: z.literal(1),
  /** Version of the service that wrote it. */
  release: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  repositories: z.number().int(),
  packs: z.number().int(),
  /** SHA-256 in hexadecimal, by file of the point. */
  sha256: z.record(z.string(), z.string()),
  /** Packs that could not be copied, each with the reason. */
  faults: z.array(z.string()),
});
export type Manifest = z.output<typeof Manifest>;

/** The packs of a repository that a point needs. */
export interface PointPacks {
  repo: StoredId;
  packs: string[];
}

export interface Point {
  name: string;
  folder: string;
  manifest: Manifest;
}

export const keyOf = (repo: StoredId) => Object.values(repo).join("/");
export const gitFolder = (backups: string) => path.join(backups, "git");
export const pointFolder = (backups: string, name: string) => path.join(backups, "points", name);

/** Complete points, the latest first. */
export async function listPoints(backups: string): Promise<Point[]> {
  const points: Point[] = [];
  for (const name of await pointNames(backups)) {
    const folder = pointFolder(backups, name);
    const text = await readFile(path.join(folder, names.manifest), "utf8").catch(() => undefined);
    if (text !== undefined) points.push({ name, folder, manifest: parseManifest(name, text) });
  }
  return points;
}

function parseManifest(name: string, text: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`The manifest of ${name} can't be read, or is that of a newer release.`, { cause });
  }
}

async function pointNames(backups: string): Promise<string[]> {
  const found = await readdir(path.join(backups, "points")).catch(() => [] as string[]);
  return found.toSorted().toReversed();
}

/** Removes the points of interrupted backups, and all but the latest `keep` complete ones. */
export async function removePoints(backups: string, keep: number): Promise<void> {
  const kept = new Set((await listPoints(backups)).slice(0, keep).map(({ name }) => name));
  for (const name of await pointNames(backups))
    if (!kept.has(name)) await rm(pointFolder(backups, name), { recursive: true, force: true });
}

export async function* packsOf(point: Pick<Point, "folder">): AsyncGenerator<PointPacks> {
  const input = createReadStream(path.join(point.folder, names.packs), "utf8");
  for await (const line of createInterface({ input, crlfDelay: Infinity }))
    yield JSON.parse(line) as PointPacks;
}

/** Makes a point complete. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const part = path.join(folder, `${names.manifest}.part`);
  await writeFile(part, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(part, path.join(folder, names.manifest));
}

/** SHA-256 of a file in hexadecimal. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest("hex");
}
