/** The driver of a store: the file system, or an object store with copies in the file system. */
import type { PackStore, StoreDriver } from "./driver.ts";
import { openPosixDriver } from "./posix/posix.ts";
import { openRemoteDriver } from "./remote/remote.ts";
import type { StoreOptions } from "./types.ts";

/** Plain data, so that a thread can open the same driver. */
export interface DriverOptions extends Pick<StoreOptions, "root" | "remote"> {
  readHandles: number;
  staleLockMs: number;
}

export function openDriver(
  { remote, ...options }: DriverOptions,
  log: NonNullable<StoreOptions["log"]>,
): StoreDriver {
  return remote === undefined ? openPosixDriver(options) : openRemoteDriver({ ...options, ...remote, log });
}

/** A folder, or an object store with its copies in a folder. */
export type PackLocation = Pick<StoreOptions, "root" | "remote">;

/** The packs of a store alone, for copies between stores. */
export function openPacks({ root, remote }: PackLocation, log: NonNullable<StoreOptions["log"]>): PackStore {
  return openDriver({ root, remote, readHandles: 64, staleLockMs: 10_000 }, log).packs;
}
