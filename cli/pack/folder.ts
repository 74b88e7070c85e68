/** The files of a package in a folder, checked by the rules that the service applies as well. */
import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { PackageError, collectPaths, compareUtf8, packageLimits } from "../../contract/package-rules.ts";
import { sizeText } from "../../contract/size-text.ts";
import { CliError, messageOf } from "../errors.ts";

export interface PackageFile {
  /** Path in the package, with `/`. */
  path: string;
  /** Path on disk. */
  source: string;
  size: number;
  executable: boolean;
}

/** Files of which the sizes are read; a folder with more is not a skill. */
const sizedFiles = 20_000;

/** Names that are never part of a skill. */
const leftOut = new Set([".git", "node_modules", ".DS_Store"]);

export function isLeftOut(name: string): boolean {
  return leftOut.has(name);
}

/** The files in the order of their paths. Throws `E_PACK_FAILED` with the violated rule. */
export async function readPackageFolder(folder: string): Promise<PackageFile[]> {
  try {
    return await walkPackage(folder, (error) => {
      throw error;
    });
  } catch (error) {
    throw packFailed(error);
  }
}

/**
 * The files of a folder in the order of their paths; `refuse` gets those that violate a rule. A rule
 * about the whole package ends the walk.
 */
export async function walkPackage(
  folder: string,
  refuse: (error: PackageError) => void,
): Promise<PackageFile[]> {
  const files: PackageFile[] = [];
  const paths = collectPaths();
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
  const walk = async (at: string, prefix: string): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true });
    for (const entry of entries) {
      if (isLeftOut(entry.name)) continue;
      if (isOver || sized > sizedFiles) return;
      const path = prefix + entry.name;
      const source = join(at, entry.name);
      if (entry.isDirectory()) {
        await walk(source, `${path}/`);
        continue;
      }
      // If the folder is too large, only its size is still needed.
      const isTooLarge = bytes > packageLimits.uncompressedBytes;
      if (isTooLarge ? !entry.isFile() : !keep(() => addFile(paths, entry, path))) continue;
      const info = await stat(source);
      bytes += info.size;
      sized++;
      if (!isTooLarge) files.push({ path, source, size: info.size, executable: (info.mode & 0o111) !== 0 });
    }
  };
  await walk(folder, "");
  if (bytes > packageLimits.uncompressedBytes) keep(() => refuseSize(bytes));
  else if (!isOver) keep(() => paths.finish("SKILL.md"));
  return files.sort((a, b) => compareUtf8(a.path, b.path));
}

function addFile(paths: ReturnType<typeof collectPaths>, entry: Dirent, path: string): void {
  if (entry.isSymbolicLink())
    throw new PackageError("symlink", `${JSON.stringify(path)} is a link: put the file itself there.`, path);
  if (!entry.isFile())
    throw new PackageError(
      "special_file",
      `${JSON.stringify(path)} is not a regular file: leave it out.`,
      path,
    );
  paths.addFile(path);
}

function refuseSize(bytes: number): never {
  throw new PackageError(
    "too_large",
    `The folder has ${sizeText(bytes)}, over the ${sizeText(packageLimits.uncompressedBytes)} of a package: ` +
      "leave out what the skill does not need.",
  );
}

export function packFailed(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const details =
    error instanceof PackageError
      ? {
          kind: "content" as const,
          rule: error.rule,
          ...(error.path === undefined ? {} : { ref: error.path }),
        }
      : { kind: "content" as const };
  return new CliError("E_PACK_FAILED", messageOf(error), details, { cause: error });
}
