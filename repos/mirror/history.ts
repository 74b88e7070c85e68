/**
 * Finds the last change of directories, as `git log -1 -- <path>` does, within the fetched history. All paths are
 * followed together, newest commit first; trees that did not change between a commit and its parent are not read.
 */
import { RepoError } from "../errors.ts";
import { plainText } from "../transport/pkt-line.ts";
import { commitIfHere, isFolder, type ForeignCommit, type TreeReader } from "./trees.ts";
import type { RemoteChange } from "./types.ts";

/** Limit of commits read; a path that did not change in these is attributed to the tip. */
const maxCommits = 2000;
/** Trees of a commit are read a second time, for the comparison with its parent. */
const foldersKept = 64;
const shownCharacters = 500;

/** Paths by their components. */
interface Wanted {
  path?: string;
  below: Map<string, Wanted>;
}

/** A commit in which some paths still are as they are at the tip. */
interface Waiting {
  commit: ForeignCommit;
  paths: Set<string>;
}

export async function lastChanges(
  trees: TreeReader,
  tip: string,
  paths: readonly string[],
): Promise<Map<string, RemoteChange>> {
  if (paths.length === 0) return new Map();
  const whole = await commitIfHere(trees, tip);
  if (whole === undefined) throw new RepoError("object_missing", `there is no commit ${tip}`);
  const wanted = wantedOf(paths);
  const folders = openFolders(trees);
  const unknown = changeOf(tip, whole, false);
  const found = new Map(paths.map((path) => [path, unknown]));

  const waiting = new Map<string, Waiting>([[tip, { commit: whole, paths: new Set(paths) }]]);
  for (let i = 0; i < maxCommits && waiting.size > 0; i++) {
    const oid = newestOf(waiting);
    const { commit, paths: held } = waiting.get(oid)!;
    let left = held;
    waiting.delete(oid);
    let isHidden = false;
    for (const parent of commit.parents) {
      if (left.size === 0) break;
      const known = waiting.get(parent);
      const fields = known?.commit ?? (await commitIfHere(trees, parent));
      if (fields === undefined) {
        isHidden = true;
        continue;
      }
      const changed = await changedBetween(folders, commit.treeOid, fields.treeOid, wanted);
      // With several parents, the content comes from the first in which the path is the same.
      const differing = [...changed].filter((path) => left.has(path));
      if (differing.length === left.size) continue;
      const same = left;
      left = new Set(differing);
      for (const path of differing) same.delete(path);
      for (const path of known?.paths ?? []) same.add(path);
      waiting.set(parent, { commit: fields, paths: same });
    }
    // Beyond the fetched history, the path may have been the same.
    if (!isHidden) for (const path of left) found.set(path, changeOf(oid, commit, true));
  }
  return found;
}

function wantedOf(paths: readonly string[]): Wanted {
  const root: Wanted = { below: new Map() };
  for (const path of paths) {
    let at = root;
    for (const name of path.split("/").map(keyOf)) {
      let next = at.below.get(name);
      if (next === undefined) at.below.set(name, (next = { below: new Map() }));
      at = next;
    }
    at.path = path;
  }
  return root;
}

/** Names are compared by their bytes. */
const keyOf = (name: string) => Buffer.from(name).toString("latin1");

/** Ordered by the author's clock; if it is wrong, a commit is visited twice. */
function newestOf(waiting: ReadonlyMap<string, Waiting>): string {
  let newest: [string, Waiting] | undefined;
  for (const one of waiting) if (newest === undefined || one[1].commit.at > newest[1].commit.at) newest = one;
  return newest![0];
}

type Folders = (oid: string | undefined) => Promise<ReadonlyMap<string, string>>;

/** Folders of a tree by name; empty if the tree does not exist. */
function openFolders(trees: TreeReader): Folders {
  const kept = new Map<string, ReadonlyMap<string, string>>();
  return async (oid) => {
    if (oid === undefined) return new Map();
    let folders = kept.get(oid);
    if (folders === undefined) {
      const entries = (await trees.tree(oid)).filter(isFolder).toReversed();
      folders = new Map(entries.map((entry) => [entry.nameBytes.toString("latin1"), entry.oid]));
      if (kept.size >= foldersKept) kept.delete(kept.keys().next().value!);
      kept.set(oid, folders);
    }
    return folders;
  };
}

/** The wanted paths whose folders differ between two trees. */
async function changedBetween(
  folders: Folders,
  here: string | undefined,
  there: string | undefined,
  wanted: Wanted,
  changed = new Set<string>(),
): Promise<Set<string>> {
  if (here === there) return changed;
  if (wanted.path !== undefined) changed.add(wanted.path);
  if (wanted.below.size === 0) return changed;
  const [inHere, inThere] = [await folders(here), await folders(there)];
  for (const [name, next] of wanted.below)
    await changedBetween(folders, inHere.get(name), inThere.get(name), next, changed);
  return changed;
}

function changeOf(oid: string, commit: ForeignCommit, exact: boolean): RemoteChange {
  const line = (text: string) => plainText(text.trimStart().split("\n", 1)[0] ?? "", shownCharacters);
  return {
    oid,
    subject: line(commit.text),
    authorName: line(commit.author.name),
    authorEmail: line(commit.author.email),
    at: commit.at,
    exact,
  };
}
