/**
 * The points of a backup location. `git/` has the packs of all of them, each once, as a Git store; `points/` has a
 * folder for each backup, named by its time: the export of the database, the list of the packs that it needs, and the
 * manifest, which is stored last. A point without one is that of an interrupted or running backup.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { StoredId } from "../../../repos/store/index.ts";
import type { BackupLocation } from "./location.ts";

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
  manifest: Manifest;
}

export const keyOf = (repo: StoredId) => Object.values(repo).join("/");

/** Complete points, the latest first. */
export async function listPoints(location: BackupLocation): Promise<Point[]> {
  const points: Point[] = [];
  for (const name of await location.pointNames()) {
    const file = await location.fetch(name, names.manifest);
    if (file !== undefined)
      points.push({ name, manifest: parseManifest(name, await readFile(file, "utf8")) });
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

/** Removes all but the latest `keep` complete points, and the given incomplete ones. */
export async function removePoints(
  location: BackupLocation,
  keep: number,
  isIncomplete: (name: string) => boolean,
): Promise<void> {
  const points = (await listPoints(location)).map(({ name }) => name);
  const [complete, kept] = [new Set(points), new Set(points.slice(0, keep))];
  for (const name of await location.pointNames())
    if (complete.has(name) ? !kept.has(name) : isIncomplete(name)) await location.remove(name);
}

/** Path of a file of a point. Throws if the location has lost it. */
export async function fetchFile(location: BackupLocation, point: string, file: string): Promise<string> {
  const found = await location.fetch(point, file);
  if (found === undefined)
    throw new Error(`The file ${file} of the backup ${point} is missing: restore another backup.`);
  return found;
}

export async function* packsOf(location: BackupLocation, point: string): AsyncGenerator<PointPacks> {
  const input = createReadStream(await fetchFile(location, point, names.packs), "utf8");
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
