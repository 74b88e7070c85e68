/**
 * Content of a skill's directory: its tree without `.svc.json` and without the files that are left out of packages by
 * their names (`contract/package/left-out.ts`). Those stay in the repository, and no change of them is an edit. Ignore
 * files are not applied: what is committed is not ignored.
 */
import { packageLimits } from "../../contract/checks/package-rules.ts";
import {
  environmentMarker,
  reasonByNameOf,
  type LeftOut,
  type LeftOutReason,
} from "../../contract/package/left-out.ts";
import { RepoError } from "../errors.ts";
import { hashObject, type RawTreeEntry } from "../store/objects.ts";
import { svcFile } from "./layout.ts";
import { treeEntry } from "./tree-edits.ts";
import { entryNamed, isFileMode, isFolder, type TreeReader } from "./trees.ts";

/** A directory with more of them has all its files as content, of which a package can't have so many. */
export const maxLeftOut = 1000;
/** Limits of one call: different folders that are read, and entries that are listed for the folders around them. */
const maxFolders = 200_000;
const maxListed = 1_000_000;

/** An entry that is left out: a file, or a folder with everything in it. Its path has no slash at the end. */
export interface LeftOutEntry {
  path: string;
  mode: string;
  oid: string;
  reason: LeftOutReason;
}

export interface DirectoryContent {
  /** Id of the tree. */
  tree: string;
  leftOut: readonly LeftOutEntry[];
}

export const isRecord = (entry: RawTreeEntry) => entry.name === svcFile && isFileMode(entry.mode);

/** Reason why an entry is left out by its name alone. */
export const reasonByEntry = ({ name }: RawTreeEntry): LeftOutReason | undefined =>
  name === undefined ? undefined : reasonByNameOf(name);

/** Whether the entries of a folder are those of a virtual environment of Python. */
export const isEnvironment = (entries: readonly RawTreeEntry[]) =>
  entryNamed(entries, environmentMarker) !== undefined;

export const asLeftOut = ({ path, mode, reason }: LeftOutEntry): LeftOut => ({
  path: mode === "40000" ? `${path}/` : path,
  reason,
});

/** Contents of directories, by the entries of each. Folders are read level by level, each once. */
export async function readContents(
  trees: TreeReader,
  directories: readonly (readonly RawTreeEntry[])[],
): Promise<DirectoryContent[]> {
  const read = await readBelow(trees, directories);
  const known = new Map<string, Kept>();
  let listed = 0;
  return directories.map((entries) => {
    const content = entries.filter((entry) => !isRecord(entry));
    const kept = keep(content, 0);
    if (kept.leftOut.length > maxLeftOut) return { tree: treeOf(content), leftOut: [] };
    return { tree: treeOf(kept.entries), leftOut: kept.leftOut };
  });

  function keep(entries: readonly RawTreeEntry[], depth: number): Kept {
    const kept: RawTreeEntry[] = [];
    const leftOut: LeftOutEntry[] = [];
    for (const entry of entries) {
      const inner = innerOf(entry, depth);
      const name = entry.name ?? "";
      const reason = reasonByEntry(entry) ?? inner?.reason;
      if (reason !== undefined)
        leftOut.push({ path: name, mode: isFolder(entry) ? "40000" : entry.mode, oid: entry.oid, reason });
      else if (inner === undefined || inner.leftOut.length === 0) kept.push(entry);
      else {
        if (inner.entries.length > 0) kept.push(treeEntry("40000", name, treeOf(inner.entries)));
        listed += inner.leftOut.length;
        // A few trees that contain each other can have billions of paths.
        if (listed > maxListed)
          throw new RepoError("remote_too_large", "the skills have too many files that are left out");
        for (const each of inner.leftOut) leftOut.push({ ...each, path: `${name}/${each.path}` });
      }
      if (leftOut.length > maxLeftOut) break;
    }
    return { entries: kept, leftOut };
  }

  function innerOf(entry: RawTreeEntry, depth: number): Kept | undefined {
    if (!isFolder(entry) || entry.name === undefined || depth >= packageLimits.depth) return undefined;
    const entries = read.get(entry.oid);
    if (entries === undefined) return undefined;
    let inner = known.get(entry.oid);
    if (inner === undefined) {
      inner = keep(entries, depth + 1);
      if (isEnvironment(entries)) inner.reason = "virtual_environment";
      known.set(entry.oid, inner);
    }
    return inner;
  }
}

interface Kept {
  entries: readonly RawTreeEntry[];
  leftOut: readonly LeftOutEntry[];
  /** Reason why the whole folder is left out. */
  reason?: LeftOutReason;
}

const treeOf = (entries: readonly RawTreeEntry[]) =>
  hashObject("tree", Buffer.concat(entries.map(({ bytes }) => bytes)));

/** All folders in the directories as deep as a package may have them, except those that are left out by name. */
async function readBelow(
  trees: TreeReader,
  directories: readonly (readonly RawTreeEntry[])[],
): Promise<Map<string, RawTreeEntry[]>> {
  const read = new Map<string, RawTreeEntry[]>();
  let level = directories.flat();
  for (let depth = 0; depth < packageLimits.depth && level.length > 0; depth++) {
    const wanted = new Set(
      level
        .filter((entry) => isFolder(entry) && reasonByEntry(entry) === undefined && !read.has(entry.oid))
        .map(({ oid }) => oid),
    );
    if (read.size + wanted.size > maxFolders)
      throw new RepoError(
        "remote_too_large",
        `the skills of the repository have more than ${maxFolders} folders`,
      );
    const found = await trees.trees(wanted);
    for (const [oid, entries] of found) read.set(oid, entries);
    level = [...found.values()].filter((entries) => !isEnvironment(entries)).flat();
  }
  return read;
}
