/** A backup location: a folder, or the prefix of a bucket. */
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { lockDataDir } from "../../../engines/data-dir-lock.ts";
import { getFile, putFile } from "../../../repos/object-store/files.ts";
import { openObjectStore } from "../../../repos/object-store/s3.ts";
import type { ObjectStoreOptions } from "../../../repos/object-store/types.ts";
import type { PackLocation } from "../../../repos/store/open-driver.ts";
import { readConfigWithStore, type Config } from "../../config.ts";
import { isAddress, requireFolder, requireStore } from "../preflight.ts";

export interface BackupLocation {
  /** Store of the packs of all backups. */
  git: PackLocation;
  /** Whether no other machine writes there: a point without a manifest is then that of an interrupted backup. */
  isExclusive: boolean;
  /** Names of all points, complete or not, the latest first. */
  pointNames(): Promise<string[]>;
  /** Begins a point. Returns a local folder to write its files into. */
  begin(point: string): Promise<string>;
  /** False if another machine has removed a point that was begun. */
  hasBegun(point: string): Promise<boolean>;
  /** Local path of a file of a point; undefined if the location does not have it. */
  fetch(point: string, file: string): Promise<string | undefined>;
  /** Takes over a file that was written into the folder of a point. */
  store(point: string, file: string): Promise<void>;
  remove(point: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a location for one process of this machine at a time; only a folder may be read by several. Throws an Error
 * with a sentence if it can't be used, or, with `isWritten`, not be written.
 */
export async function openBackups(
  config: Config,
  location: string | ObjectStoreOptions,
  isWritten: boolean,
): Promise<BackupLocation> {
  if (typeof location === "string" && !isAddress(location)) {
    const folder = path.resolve(location);
    return folderLocation(folder, isWritten ? await lockDataDir(folder, "backup") : undefined);
  }
  const gitStore = typeof location === "string" ? readConfigWithStore(location).gitStore : location;
  if (isWritten) await requireStore({ ...config, gitStore });
  const scratch = path.join(config.cacheDir, "backups");
  requireFolder(scratch, "CACHE_DIR");
  return bucketLocation(config, gitStore!, { scratch, unlock: await lockDataDir(scratch, "backup") });
}

export const gitFolder = (backups: string) => path.join(backups, "git");
export const pointFolder = (backups: string, point: string) => path.join(backups, "points", point);

function folderLocation(backups: string, unlock: (() => void) | undefined): BackupLocation {
  const folderOf = (point: string) => pointFolder(backups, point);
  return {
    git: { root: gitFolder(backups) },
    isExclusive: true,
    pointNames: async () => latestFirst(await readdir(path.join(backups, "points")).catch(() => [])),
    begin: (point) => newFolder(folderOf(point)),
    hasBegun: () => Promise.resolve(true),
    fetch: async (point, file) => existing(path.join(folderOf(point), file)),
    store: () => Promise.resolve(),
    remove: (point) => rm(folderOf(point), { recursive: true, force: true }),
    close() {
      unlock?.();
      return Promise.resolve();
    },
  };
}

interface Scratch {
  scratch: string;
  unlock: () => void;
}

function bucketLocation(
  config: Config,
  store: ObjectStoreOptions,
  { scratch, unlock }: Scratch,
): BackupLocation {
  const objects = openObjectStore(store);
  const { location } = store;
  const git = { ...store, location: { ...location, prefix: `${location.prefix}git/` } };
  const folderOf = (point: string) => pointFolder(scratch, point);
  const keyOf = (point: string, file: string) => `points/${point}/${file}`;
  return {
    git: { root: gitFolder(scratch), remote: { store: git, maxBytes: config.cacheBytes } },
    isExclusive: false,
    async pointNames() {
      const names: string[] = [];
      for await (const name of objects.folders("points/")) names.push(name);
      return latestFirst(names);
    },
    async begin(point) {
      await objects.put(keyOf(point, "started"), [Buffer.from(new Date().toISOString())]);
      return newFolder(folderOf(point));
    },
    hasBegun: (point) => objects.exists(keyOf(point, "started")),
    async fetch(point, file) {
      const target = path.join(folderOf(point), file);
      if (await existing(target)) return target;
      const part = `${target}.part`;
      await newFolder(folderOf(point));
      await rm(part, { force: true });
      const isThere = await getFile(objects, keyOf(point, file), part);
      if (isThere) await rename(part, target);
      return isThere ? target : undefined;
    },
    store: (point, file) => putFile(objects, keyOf(point, file), path.join(folderOf(point), file)),
    async remove(point) {
      const keys: string[] = [];
      for await (const { key } of objects.list(`points/${point}/`)) keys.push(key);
      await objects.remove(keys);
    },
    async close() {
      objects.close();
      for (const name of ["points", "git"])
        await rm(path.join(scratch, name), { recursive: true, force: true });
      unlock();
    },
  };
}

async function newFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

const latestFirst = (names: string[]) => names.toSorted().toReversed();

async function existing(file: string): Promise<string | undefined> {
  return (await stat(file).catch(() => undefined)) && file;
}
