/** A folder on disk as data, to compare byte by byte. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

export interface TreeFile {
  bytes: Buffer;
  executable?: boolean;
}

/** Entries by path with `/`. */
export type FileTree = Record<string, TreeFile>;

export function writeTree(folder: string, tree: FileTree): void {
  for (const [name, { bytes, executable }] of Object.entries(tree)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    chmodSync(file, executable === true ? 0o755 : 0o644);
  }
}

/** The files below a folder. A file is executable if anyone may run it. */
export function readTree(folder: string): FileTree {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const executable = (lstatSync(file).mode & 0o111) !== 0;
      const name = path.relative(folder, file).split(path.sep).join("/");
      return [name, { bytes: readFileSync(file), executable }];
    }),
  );
}

/**
 * Every entry below a folder with its kind, permissions and content (as a digest), except below the names in `except`.
 * A link is an entry of its own and is not followed.
 */
export function snapshot(folder: string, except: readonly string[] = []): Record<string, string> {
  const seen: Record<string, string> = {};
  const visit = (at: string, prefix: string) => {
    for (const name of readdirSync(at).sort()) {
      if (except.includes(prefix + name)) continue;
      const file = path.join(at, name);
      const info = lstatSync(file);
      const mode = (info.mode & 0o777).toString(8);
      if (info.isSymbolicLink()) seen[prefix + name] = `link ${readlinkSync(file)}`;
      else if (info.isDirectory()) {
        seen[`${prefix}${name}/`] = `folder ${mode}`;
        visit(file, `${prefix}${name}/`);
      } else seen[prefix + name] = `file ${mode} ${digest(readFileSync(file))}`;
    }
  };
  visit(folder, "");
  return seen;
}

/** Fails unless the folder, or the one that a link leads to, holds exactly these files with these bytes and modes. */
export function assertTree(folder: string, tree: FileTree): void {
  const found = snapshot(realpathSync(folder));
  const files = Object.fromEntries(Object.entries(found).filter(([, what]) => !what.startsWith("folder")));
  const wanted = Object.fromEntries(
    Object.entries(tree)
      .map(([name, { bytes, executable }]): [string, string] => [
        name,
        `file ${executable === true ? "755" : "644"} ${digest(bytes)}`,
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  assert.deepEqual(files, wanted, folder);
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
