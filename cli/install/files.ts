/**
 * Putting files, folders and links in place. Whatever is replaced is there in its old or its new form: the new one
 * is made beside it and renamed. A folder cannot be renamed over a folder, so the old one steps aside first and
 * comes back if the second rename fails.
 */
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { hasCode } from "../errors.ts";
import { besideName, writeAtomic } from "../state/atomic.ts";

/** Writes a file whole, through a link to its target, keeping its mode. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeAtomic(path, text);
}

/** Makes `fill` build a folder, then puts it in place of whatever of ours lies at `path`. */
export async function replaceFolder(path: string, fill: (folder: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = besideName(path, "new");
  try {
    await mkdir(fresh);
    await fill(fresh);
    await moveIntoPlace(fresh, path);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** Puts a file in place of a link or folder of ours as well, where an atomic write would follow the link. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const info = await lstat(path).catch(() => undefined);
  if (info === undefined || info.isFile()) return writeWhole(path, text);
  const fresh = besideName(path, "new");
  await writeWhole(fresh, text);
  await moveIntoPlace(fresh, path);
}

/** What the system calls a link to a folder or file. Junctions of Windows need no privilege; file links do. */
export function linkType(kind: "dir" | "file", platform: NodeJS.Platform): "dir" | "file" | "junction" {
  return platform === "win32" && kind === "dir" ? "junction" : kind;
}

/** Whether an error says that no link can be made here, by this user or on this disk. */
export function isWithoutLinks(error: unknown): boolean {
  return hasCode(error, "EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP");
}

/** Links `path` to `target`, both absolute. Nothing has changed where that is not possible (`isWithoutLinks`). */
export async function replaceLink(
  path: string,
  target: string,
  type: "dir" | "file" | "junction",
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = besideName(path, "new");
  await symlink(target, fresh, type);
  try {
    await moveIntoPlace(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Renames what was made elsewhere on the same disk to its place. */
export async function moveIntoPlace(fresh: string, path: string): Promise<void> {
  const [next, present] = await Promise.all([lstat(fresh), lstat(path).catch(() => undefined)]);
  if (present === undefined || (!present.isDirectory() && !next.isDirectory())) {
    await rename(fresh, path);
    return;
  }
  const old = besideName(path, "old");
  await rename(path, old);
  try {
    await rename(fresh, path);
  } catch (error) {
    await rename(old, path);
    throw error;
  }
  await rm(old, { recursive: true, force: true, maxRetries: 3 });
}

/** Where a link leads, absolute; undefined when it is no link. */
export async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return resolve(dirname(path), await readlink(path));
  } catch (error) {
    if (hasCode(error, "EINVAL", "ENOENT", "ENOTDIR", "UNKNOWN")) return undefined;
    throw error;
  }
}

/** Copies a tree of plain files with their executable bits. */
export async function copyTree(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { recursive: true });
      await copyTree(source, target);
    } else if (entry.isFile()) {
      await copyFile(source, target);
      const { mode } = await lstat(source);
      await chmod(target, (mode & 0o111) === 0 ? 0o644 : 0o755);
    }
  }
}

/**
 * A file's text, with its byte order mark; undefined where there is none. Throws for what is no UTF-8: written back,
 * it would not be the same.
 */
export async function readTextFile(path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    // A pipe or a device, as a repository's link may name one, would be read without end.
    if (!(await stat(path)).isFile()) throw new Error("it is no file");
    bytes = await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // The same answer as for a text in 16-bit units, which is full of zeros.
  }
  throw new Error("it is not UTF-8 text");
}

export function isInside(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === "" || (!/^\.\.(?:[\\/]|$)/.test(inside) && !isAbsolute(inside));
}

/** The outermost folder that has to be made for a folder to be there; undefined where it is. */
export async function firstMissing(folder: string): Promise<string | undefined> {
  const isMissing = async (path: string) => (await lstat(path).catch(() => undefined)) === undefined;
  let missing: string | undefined;
  for (let at = folder; await isMissing(at); at = dirname(at)) {
    missing = at;
    if (dirname(at) === at) break;
  }
  return missing;
}
