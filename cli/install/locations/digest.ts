/** Digests of written files, to distinguish untouched copies from edited ones. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readFile, readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { compareUtf8 } from "../../../contract/checks/package-rules.ts";
import { reasonByNameOf } from "../../../contract/package/left-out.ts";
import { hasCode } from "../../errors.ts";
import { isTemporaryName } from "../../state/atomic.ts";
import { readSection } from "./section.ts";

export function digestOfText(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** The digest of the sorted list of paths and file digests, without files that tools create. */
const digestOfFolder = async (folder: string): Promise<string> => digestOfFiles(await filesOfFolder(folder));

/** Files of a folder with their digests, without those that tools create. */
export async function filesOfFolder(folder: string): Promise<{ path: string; sha256: string }[]> {
  const files: { path: string; sha256: string }[] = [];
  const walk = async (at: string, prefix: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (isLeaving(entry.name)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) await walk(path, `${prefix}${entry.name}/`);
      else
        files.push({
          path: prefix + entry.name,
          sha256: entry.isFile() ? await digestOfFile(path) : `link ${await readlink(path).catch(() => "")}`,
        });
    }
  };
  await walk(folder, "");
  return files;
}

/** Whether tools create such files when they run a package's scripts or show its folder; they don't count as edits. */
function isLeaving(name: string): boolean {
  return reasonByNameOf(name) !== undefined || isTemporaryName(name);
}

/** The digest of a list of files, which equals that of a folder with them. */
export function digestOfFiles(files: readonly { path: string; sha256: string }[]): string {
  const sorted = files
    .filter((file) => !file.path.split("/").some(isLeaving))
    .toSorted((a, b) => compareUtf8(a.path, b.path));
  return digestOfText(sorted.map((file) => `${file.sha256} ${file.path}\n`).join(""));
}

/** The digest of a file or folder; undefined if it does not exist. Follows links. */
export async function digestOfPath(path: string): Promise<string | undefined> {
  try {
    const entries = await readdir(path).then(
      () => true,
      (error: unknown) => {
        if (hasCode(error, "ENOTDIR")) return false;
        throw error;
      },
    );
    return entries ? await digestOfFolder(path) : await digestOfFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** The digest of a section; undefined if the file or the section does not exist. */
export async function digestOfSection(path: string, name: string): Promise<string | undefined> {
  let text: string;
  try {
    if (!(await stat(path)).isFile()) return undefined;
    text = await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
  const content = readSection(text, name);
  return content === undefined ? undefined : digestOfText(content);
}

/** Whether the path exists, also as a dangling link. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
