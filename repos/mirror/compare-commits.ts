/** Compares commits of a second branch with the mirrored one: ancestry, and whether they contain changes by others. */
import type { RawTreeEntry } from "../store/objects.ts";
import { skillsFolder } from "./layout.ts";
import { commitIfHere, entryNamed, isFolder, type TreeReader } from "./trees.ts";
import type { CommitFacts } from "./types.ts";

/** Limit of commits read while searching for an ancestor. */
const maxCommits = 5000;
/** Limit of differing folders; a merge that touches more counts as an edit. */
const maxFolders = 20_000;

export async function readCommitFacts(trees: TreeReader, oid: string): Promise<CommitFacts | undefined> {
  const commit = await commitIfHere(trees, oid);
  if (!commit) return undefined;
  const skills = entryNamed(await trees.tree(commit.treeOid), skillsFolder);
  return {
    tree: commit.treeOid,
    skills: skills && isFolder(skills) ? skills.oid : null,
    parents: commit.parents,
  };
}

/** Whether `oid` is `from` or descends from it, within the fetched history. */
export async function isDescendant(trees: TreeReader, oid: string, from: string): Promise<boolean> {
  const seen = new Set([oid]);
  for (let level = [oid]; level.length > 0;) {
    if (seen.has(from)) return true;
    if (seen.size > maxCommits) return false;
    const commits = await Promise.all(level.map((one) => commitIfHere(trees, one)));
    const parents = new Set(commits.flatMap((commit) => commit?.parents ?? []));
    level = [...parents].filter((parent) => !seen.has(parent));
    for (const parent of level) seen.add(parent);
  }
  return false;
}

interface Sides<T> {
  found: T;
  ours: T;
  before: T;
  after: T;
}

/**
 * Whether the tree `found` differs from `ours` only in paths that upstream changed from `before` to `after`, and has
 * the content of `after` there. Any other difference is an edit by a user.
 */
export async function containsOnlyUpstreamChanges(trees: TreeReader, roots: Sides<string>): Promise<boolean> {
  let looked = 0;
  for (let level: Sides<string | undefined>[] = [roots]; level.length > 0;) {
    looked += level.length;
    if (looked > maxFolders) return false;
    const read = await trees.trees(
      level.flatMap(({ found, ours, before, after }) =>
        [found, ours, before, after].filter((oid) => oid !== undefined),
      ),
    );
    const next: Sides<string | undefined>[] = [];
    for (const { found, ours, before, after } of level) {
      const list = (oid: string | undefined) => byName(oid === undefined ? [] : (read.get(oid) ?? []));
      const sides = { found: list(found), ours: list(ours), before: list(before), after: list(after) };
      for (const name of new Set([...sides.found.keys(), ...sides.ours.keys()])) {
        const at = {
          found: sides.found.get(name),
          ours: sides.ours.get(name),
          before: sides.before.get(name),
          after: sides.after.get(name),
        };
        if (isSame(at.found, at.ours)) continue;
        if (isSame(at.found, at.after) && !isSame(at.after, at.before)) continue;
        // A folder changed on both sides is compared entry by entry.
        if (!at.found || !at.after || !isFolder(at.found) || !isFolder(at.after)) return false;
        if (at.ours && !isFolder(at.ours)) return false;
        next.push({
          found: at.found.oid,
          ours: at.ours?.oid,
          before: at.before && isFolder(at.before) ? at.before.oid : undefined,
          after: at.after.oid,
        });
      }
    }
    level = next;
  }
  return true;
}

const byName = (entries: readonly RawTreeEntry[]) =>
  new Map(entries.map((entry) => [entry.nameBytes.toString("latin1"), entry]));

const isSame = (a: RawTreeEntry | undefined, b: RawTreeEntry | undefined) =>
  a === undefined || b === undefined ? a === b : a.mode === b.mode && a.oid === b.oid;
