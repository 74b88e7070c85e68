/**
 * Replacement of files, folders and links. A replaced entry always exists in its old or its new form: the new one
 * is created next to it and renamed. A folder can't be renamed over a folder, so the old one is renamed first, and
 * restored if the second rename fails.
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
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { hasCode } from "../../errors.ts";
import { temporaryName, writeAtomic } from "../../state/atomic.ts";

/** Writes a file atomically, through a link to its target, and keeps its mode. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeAtomic(path, text);
}

/** Lets `fill` create a folder, then replaces svc's file or folder at `path` with it. */
export async function replaceFolder(path: string, fill: (folder: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = temporaryName(path, "new");
  try {
    await mkdir(fresh);
    await fill(fresh);
    await moveIntoPlace(fresh, path);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** Replaces svc's link or folder as well; an atomic write would follow the link. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const info = await lstat(path).catch(() => undefined);
  if (info === undefined || info.isFile()) return writeWhole(path, text);
  const fresh = temporaryName(path, "new");
  await writeWhole(fresh, text);
  await moveIntoPlace(fresh, path);
}

/** The system's type of a link to a folder or file. On Windows, junctions need no privilege, file links do. */
export function linkType(kind: "dir" | "file", platform: NodeJS.Platform): "dir" | "file" | "junction" {
  return platform === "win32" && kind === "dir" ? "junction" : kind;
}

/** Whether an error means that this user, or this disk, can't create links. */
export function isWithoutLinks(error: unknown): boolean {
  return hasCode(error, "EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP");
}

/** Links `path` to `target`, both absolute. Changes nothing if that is impossible (`isWithoutLinks`). */
export async function replaceLink(
  path: string,
  target: string,
  type: "dir" | "file" | "junction",
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = temporaryName(path, "new");
  await symlink(target, fresh, type);
  try {
    await moveIntoPlace(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Renames an entry on the same disk to its destination. */
export async function moveIntoPlace(fresh: string, path: string): Promise<void> {
  const [next, present] = await Promise.all([lstat(fresh), lstat(path).catch(() => undefined)]);
  if (present === undefined || (!present.isDirectory() && !next.isDirectory())) {
    await rename(fresh, path);
    return;
  }
  const old = temporaryName(path, "old");
  await rename(path, old);
  try {
    await rename(fresh, path);
  } catch (error) {
    await rename(old, path);
    throw error;
  }
  await rm(old, { recursive: true, force: true, maxRetries: 3 });
}

/** The absolute target of a link; undefined if the path is not a link. */
export async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return resolve(dirname(path), await readlink(path));
  } catch (error) {
    if (hasCode(error, "EINVAL", "ENOENT", "ENOTDIR", "UNKNOWN")) return undefined;
    throw error;
  }
}

/** The files of a package are many and mostly small. */
const copyConcurrency = 8;

/** Copies a tree of plain files with their executable bits. */
export async function copyTree(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    await mkdir(join(to, name), { recursive: true });
    await copyTree(join(from, name), join(to, name));
  }
  const files = entries.filter((entry) => entry.isFile());
  await mapLimit(files, copyConcurrency, async ({ name }) => {
    const [source, target] = [join(from, name), join(to, name)];
    // The copy has the mode of its source, which a strict umask may have narrowed.
    const [{ mode }] = await Promise.all([lstat(source), copyFile(source, target)]);
    const wanted = (mode & 0o111) === 0 ? 0o644 : 0o755;
    if ((mode & 0o777) !== wanted) await chmod(target, wanted);
  });
}

/**
 * A file's text, with its byte order mark; undefined if it does not exist. Throws if it is not UTF-8: written back,
 * it would differ.
 */
export async function readTextFile(path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    // A link in a repository may point to a pipe or a device, which would be read endlessly.
    if (!(await stat(path)).isFile()) throw new Error("it is not a regular file");
    bytes = await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // As for UTF-16, which contains zero bytes.
  }
  throw new Error("it is not UTF-8 text");
}

export function isInside(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === "" || (!/^\.\.(?:[\\/]|$)/.test(inside) && !isAbsolute(inside));
}

/** The outermost missing folder of a path; undefined if the folder exists. */
export async function firstMissing(folder: string): Promise<string | undefined> {
  const isMissing = async (path: string) => (await lstat(path).catch(() => undefined)) === undefined;
  let missing: string | undefined;
  for (let at = folder; await isMissing(at); at = dirname(at)) {
    missing = at;
    if (dirname(at) === at) break;
  }
  return missing;
}
