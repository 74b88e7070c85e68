/**
 * File operations that are whole or not at all. The callback API under promises: a `FileHandle` costs more than the
 * small writes it would make here.
 */
import * as fs from "node:fs";
import { promisify } from "node:util";

const open = promisify(fs.open);
const close = promisify(fs.close);
const write = promisify(fs.write);
const writev = promisify(fs.writev);
const fdatasync = promisify(fs.fdatasync);
const fsync = promisify(fs.fsync);
export const rename = promisify(fs.rename);
export const link = promisify(fs.link);
export const unlink = promisify(fs.unlink);
export const stat = promisify(fs.stat);
export const readdir = promisify(fs.readdir);
export const readFile = promisify(fs.readFile);
export const mkdir = promisify(fs.mkdir);
export const remove = promisify(fs.rm);

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Returns `instead` if the file does not exist. */
export async function orMissing<T, U>(result: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await result;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return instead;
    throw error;
  }
}

let sequence = 0;

/** A name that no other process or call uses; `git gc` and our sweep recognize the prefix. */
export function temporaryName(kind: "pack" | "idx" | "ref" | "note" | "epoch"): string {
  return `tmp_${kind}_${process.pid}_${sequence++}_${Date.now().toString(36)}`;
}

/** Appends all of the buffers at the end of the file. */
export async function writeAll(fd: number, buffers: readonly Buffer[]): Promise<void> {
  let total = 0;
  for (const buffer of buffers) total += buffer.length;
  let rest =
    total <= 1 << 20 ? [Buffer.concat(buffers, total)] : buffers.filter((buffer) => buffer.length > 0);
  while (rest.length > 0) {
    const [only, more] = rest;
    let { bytesWritten } =
      only !== undefined && more === undefined ? await write(fd, only) : await writev(fd, rest);
    // A full disk or a signal may cut a write short.
    while (rest.length > 0 && bytesWritten >= rest[0]!.length) bytesWritten -= rest.shift()!.length;
    if (rest.length > 0 && bytesWritten > 0) rest[0] = rest[0]!.subarray(bytesWritten);
  }
}

const { O_WRONLY, O_CREAT, O_EXCL, O_DSYNC } = fs.constants;
/**
 * Whether a write can wait for the disk itself, which saves a call per file. Only on Linux, where `O_DSYNC` is a write
 * with `fdatasync`; on macOS, the latter also empties the disk's own cache.
 */
const writesThrough = process.platform === "linux";
const newFile = writesThrough ? O_WRONLY | O_CREAT | O_EXCL | O_DSYNC : "wx";

/** Writes a new file and waits until its bytes are on disk; removes it if that fails. */
export async function writeDurably(path: string, buffers: readonly Buffer[], mode: number): Promise<void> {
  const fd = await open(path, newFile, mode);
  try {
    await writeAll(fd, buffers);
    if (!writesThrough) await fdatasync(fd);
  } catch (error) {
    await close(fd);
    await orMissing(unlink(path), undefined);
    throw error;
  }
  closeUnwatched(fd);
}

/** For a file whose bytes are on disk: nothing depends on its end, so nothing waits for it. */
function closeUnwatched(fd: number): void {
  fs.close(fd, () => undefined);
}

export async function discard(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => orMissing(unlink(path), undefined)));
}

/** Names in a folder; empty if the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return orMissing(readdir(folder), []);
}

/** Milliseconds since the file was written, either way should the clock have been set; undefined if it is gone. */
export async function ageMs(path: string): Promise<number | undefined> {
  const facts = await orMissing(stat(path), undefined);
  return facts === undefined ? undefined : Math.abs(Date.now() - facts.mtimeMs);
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await openFolder(path);
  try {
    await folder.sync();
  } finally {
    folder.close();
  }
}

export interface OpenFolder {
  /** Makes the names in it durable. */
  sync(): Promise<void>;
  close(): void;
}

/** Opens a folder before its names change, so that they can be made durable in one step after that. */
export async function openFolder(path: string): Promise<OpenFolder> {
  const fd = await open(path, "r");
  return { sync: () => fsync(fd), close: () => closeUnwatched(fd) };
}

/** An exclusively created file, empty: a lock. False if there is one already. */
export async function createLock(path: string): Promise<boolean> {
  try {
    closeUnwatched(await open(path, "wx", 0o644));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

export const descriptors = {
  open,
  close,
  write,
  fdatasync,
  read: promisify(fs.read),
  fstat: promisify(fs.fstat),
};
