/** The files of a package in a folder, checked by the rules that the service applies as well. */
import { isUtf8 } from "node:buffer";
import type { Dirent, Stats } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  PackageError,
  collectPaths,
  compareUtf8,
  packageLimits,
  shownPath,
  type FileMode,
} from "../../contract/checks/package-rules.ts";
import { linksError, tooLargeError } from "../../contract/package/check-files.ts";
import { environmentMarker, type LeftOut } from "../../contract/package/left-out.ts";
import { hasMode, packageMode } from "../../contract/package/modes.ts";
import { CliError, messageOf } from "../errors.ts";
import { addIgnoreFiles, openLeaveOutRules } from "./leave-out.ts";

export interface PackageFile {
  /** Path in the package, with `/`. */
  path: string;
  /** Path on disk. */
  source: string;
  size: number;
  /** Undefined if the system has no modes: the service keeps that of the version before. */
  mode: FileMode | undefined;
}

/** Files of which the sizes are read; a folder with more is not a skill. */
const sizedFiles = 20_000;

export interface PackageFolder {
  /** In the order of their paths. */
  files: PackageFile[];
  leftOut: LeftOut[];
}

/** The files of a package. Throws `E_PACK_FAILED` with the violated rule. */
export async function readPackageFolder(folder: string, platform: NodeJS.Platform): Promise<PackageFolder> {
  try {
    return await walkPackage(folder, platform, (error) => {
      throw error;
    });
  } catch (error) {
    throw packFailed(error);
  }
}

/** The files of a folder; `refuse` gets those that violate a rule. A rule about the whole package ends the walk. */
export async function walkPackage(
  folder: string,
  platform: NodeJS.Platform,
  refuse: (error: PackageError) => void,
): Promise<PackageFolder> {
  const files: PackageFile[] = [];
  const leftOut: LeftOut[] = [];
  const links: string[] = [];
  const paths = collectPaths();
  const rules = await openLeaveOutRules(folder);
  let bytes = 0;
  let isOver = false;
  let sized = 0;

  const keep = (work: () => void): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      isOver ||= error.rule === "too_many_files";
      refuse(error);
      return false;
    }
  };
  const walk = async (at: string, path: string): Promise<void> => {
    await addIgnoreFiles(rules, at, path);
    for (const { entry, fault } of await readEntries(at, path)) {
      if (isOver || sized > sizedFiles) return;
      await visit(entry, join(at, entry.name), path === "" ? entry.name : `${path}/${entry.name}`, fault);
    }
  };
  const visit = async (entry: Dirent, source: string, path: string, fault?: PackageError): Promise<void> => {
    const isFolder = entry.isDirectory();
    const reason = rules.reasonFor(path, isFolder, isFolder && (await isEnvironment(source)));
    if (reason !== undefined) leftOut.push({ path: isFolder ? `${path}/` : path, reason });
    else if (fault) keep(() => raise(fault));
    else if (isFolder) await walk(source, path);
    else if (entry.isSymbolicLink()) links.push(path);
    else {
      // If the folder is too large, only its size is still needed.
      const isTooLarge = bytes > packageLimits.uncompressedBytes;
      if (isTooLarge ? !entry.isFile() : !keep(() => addFile(paths, entry, path))) return;
      const info = await stat(source);
      bytes += info.size;
      sized++;
      if (!isTooLarge)
        files.push({ path, source, size: info.size, mode: await modeOf(path, info, platform) });
    }
  };
  await walk(folder, "");
  const error = linksError(links.sort(compareUtf8));
  if (error) keep(() => raise(error));
  if (bytes > packageLimits.uncompressedBytes) keep(() => raise(tooLargeError(bytes)));
  else if (!isOver) keep(() => paths.finish("SKILL.md"));
  return {
    files: files.sort((a, b) => compareUtf8(a.path, b.path)),
    leftOut: leftOut.sort((a, b) => compareUtf8(a.path, b.path)),
  };
}

interface Entry {
  entry: Dirent;
  /** Set if the name is not UTF-8. */
  fault?: PackageError;
}

/**
 * Entries of a folder. Node.js reads a replacement character for each byte that is not UTF-8, and then does not find
 * the file.
 */
async function readEntries(at: string, path: string): Promise<Entry[]> {
  const entries = await readdir(at, { withFileTypes: true });
  if (!entries.some(({ name }) => name.includes("\uFFFD"))) return entries.map((entry) => ({ entry }));
  const raw = await readdir(at, { encoding: "buffer" });
  const faults = new Map(
    raw.filter((name) => !isUtf8(name)).map((name) => [name.toString(), notUtf8(readableBytes(name), path)]),
  );
  return entries.map((entry) => ({ entry, fault: faults.get(entry.name) }));
}

/** ASCII as it is, and each other byte as `\xNN`. */
const readableBytes = (name: Buffer) =>
  Array.from(name, (byte) =>
    byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
  ).join("");

function notUtf8(name: string, folder: string): PackageError {
  const where = folder === "" ? "" : ` in ${shownPath(folder)}`;
  return new PackageError(
    "path_encoding",
    `The name "${name}"${where} is not UTF-8: rename it, for example with convmv -f latin1 -t utf8.`,
    folder === "" ? name : `${folder}/${name}`,
  );
}

const isEnvironment = (folder: string) =>
  access(join(folder, environmentMarker)).then(
    () => true,
    () => false,
  );

/** The mode of a file on disk. Windows has none. */
async function modeOf(
  path: string,
  { mode }: Stats,
  platform: NodeJS.Platform,
): Promise<PackageFile["mode"]> {
  const given = platform === "win32" ? undefined : mode & 0o111 ? "100755" : "100644";
  if (!hasMode(path, given)) return undefined;
  return packageMode(path, given, { start: async () => new Uint8Array() });
}

function raise(error: Error): never {
  throw error;
}

function addFile(paths: ReturnType<typeof collectPaths>, entry: Dirent, path: string): void {
  if (!entry.isFile())
    throw new PackageError("special_file", `${shownPath(path)} is not a regular file: leave it out.`, path);
  paths.addFile(path);
}

export function packFailed(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const details =
    error instanceof PackageError
      ? {
          kind: "content" as const,
          rule: error.rule,
          ref: error.path,
        }
      : { kind: "content" as const };
  return new CliError("E_PACK_FAILED", messageOf(error), details, { cause: error });
}
