/** Files that differ between two versions, with renames where they are requested. */
import { isUtf8 } from "node:buffer";
import type { ListedFile } from "../../../repos/store/index.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import type { CallerCompute } from "../../compute/compute.ts";
import { ServiceError } from "../../errors.ts";
import { readSmallFile, repoOf } from "../read/content.ts";

export interface ChangedFile {
  path: string;
  status: "added" | "removed" | "modified" | "renamed";
  /** The file before and after the change; its path before a rename is that of `left`. */
  left?: ListedFile;
  right?: ListedFile;
  /** Percentage of equal lines, of a renamed file. */
  similarity?: number;
}

/** Removed or added files that are compared with each other; equal ones are always found. */
const maxCompared = 20;
/** Bytes of these files in total. */
const maxComparedBytes = 2 * 1024 * 1024;
/** In the order of the paths. Without an earlier version, all files are added. */
export async function listChangedFiles(
  app: App,
  compute: CallerCompute,
  before: VersionDoc | undefined,
  after: VersionDoc,
  options: { renames: boolean },
): Promise<ChangedFile[]> {
  const [old, fresh] = await Promise.all([
    before ? listByPath(app, before) : new Map<string, ListedFile>(),
    listByPath(app, after),
  ]);
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  const changed: ChangedFile[] = [];
  for (const path of paths) {
    const [left, right] = [old.get(path), fresh.get(path)];
    if (left && right && left.oid === right.oid && left.mode === right.mode) continue;
    const status = !left ? "added" : !right ? "removed" : "modified";
    changed.push({ path, status, left, right });
  }
  return options.renames && before ? joinRenames(app, compute, before, after, changed) : changed;
}

async function listByPath(app: App, version: VersionDoc): Promise<Map<string, ListedFile>> {
  const files = await app.repos.listFiles(repoOf(version), version.oid);
  return new Map(files.map((file) => [file.path, file]));
}

/** Joins a removed and an added file to a renamed one: equal bytes first, then the most similar texts. */
async function joinRenames(
  app: App,
  compute: CallerCompute,
  before: VersionDoc,
  after: VersionDoc,
  changed: readonly ChangedFile[],
): Promise<ChangedFile[]> {
  const removed = new Set(changed.filter(({ status }) => status === "removed"));
  const added = new Set(changed.filter(({ status }) => status === "added"));
  const renamed: ChangedFile[] = [];
  const join = (from: ChangedFile, to: ChangedFile, similarity: number) => {
    removed.delete(from);
    added.delete(to);
    renamed.push({ path: to.path, status: "renamed", left: from.left!, right: to.right!, similarity });
  };
  for (const to of added) {
    const from = to.right!.size > 0 && [...removed].find(({ left }) => left!.oid === to.right!.oid);
    if (from) join(from, to, 100);
  }
  if (isComparable([...removed], [...added]))
    for (const { from, to, similarity } of await similarPairs(
      app,
      compute,
      before,
      after,
      [...removed],
      [...added],
    ))
      if (removed.has(from) && added.has(to)) join(from, to, similarity);
  const others = changed.filter((file) => file.status === "modified" || removed.has(file) || added.has(file));
  return [...others, ...renamed].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function isComparable(removed: readonly ChangedFile[], added: readonly ChangedFile[]): boolean {
  if (removed.length === 0 || added.length === 0) return false;
  if (Math.max(removed.length, added.length) > maxCompared) return false;
  const bytes = [...removed, ...added].reduce((sum, { left, right }) => sum + (left ?? right)!.size, 0);
  return bytes <= maxComparedBytes;
}

/** No pairs if the comparison takes too long. */
async function similarPairs(
  app: App,
  compute: CallerCompute,
  before: VersionDoc,
  after: VersionDoc,
  removed: readonly ChangedFile[],
  added: readonly ChangedFile[],
): Promise<{ from: ChangedFile; to: ChangedFile; similarity: number }[]> {
  const textsOf = (version: VersionDoc, files: readonly ChangedFile[]) =>
    Promise.all(files.map(({ path }) => readSmallText(app, version, path)));
  const [old, fresh] = await Promise.all([textsOf(before, removed), textsOf(after, added)]);
  try {
    const pairs = await compute.run("similar", { removed: old, added: fresh });
    return pairs.map(({ from, to, similarity }) => ({ from: removed[from]!, to: added[to]!, similarity }));
  } catch (error) {
    if (error instanceof ServiceError && error.code === "too_costly") return [];
    throw error;
  }
}

/** Undefined for a file that is large or no text. */
async function readSmallText(app: App, version: VersionDoc, path: string): Promise<string | undefined> {
  const data = await readSmallFile(app, version, path);
  return data && isText(data) ? data.toString("utf8") : undefined;
}

export function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
