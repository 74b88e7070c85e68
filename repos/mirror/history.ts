/** Who changed a directory last, as `git log -1 -- <path>` tells it, within what was fetched. */
import { RepoError } from "../errors.ts";
import type { RawTreeEntry } from "../store/objects.ts";
import { plainText } from "../transport/pkt-line.ts";
import { commitIfHere, entryNamed, isFolder, type ForeignCommit, type TreeReader } from "./trees.ts";
import type { RemoteChange } from "./types.ts";

/** Commits looked at for one path; beyond, the tip has to do. */
const commitsAtMost = 2000;
const shownCharacters = 500;

export async function lastChanges(
  trees: TreeReader,
  tip: string,
  paths: readonly string[],
): Promise<Map<string, RemoteChange>> {
  const commits = new Map<string, Promise<ForeignCommit | undefined>>();
  const read = new Map<string, Promise<RawTreeEntry[]>>();
  // Paths of one sync share their folders, and most of them their commits.
  const commitAt = (oid: string) => {
    let known = commits.get(oid);
    if (known === undefined) commits.set(oid, (known = commitIfHere(trees, oid)));
    return known;
  };
  const treeAt = (oid: string) => {
    let known = read.get(oid);
    if (known === undefined) read.set(oid, (known = trees.tree(oid)));
    return known;
  };
  async function at(commit: ForeignCommit, components: readonly string[]): Promise<string | undefined> {
    let oid = commit.treeOid;
    for (const component of components) {
      const entry = entryNamed(await treeAt(oid), component);
      if (entry === undefined || !isFolder(entry)) return undefined;
      oid = entry.oid;
    }
    return oid;
  }

  async function lastChange(path: string): Promise<RemoteChange> {
    const components = path.split("/");
    const whole = await commitAt(tip);
    if (whole === undefined) throw new RepoError("object_missing", `there is no commit ${tip}`);
    let [oid, commit] = [tip, whole];
    for (let i = 0; i < commitsAtMost; i++) {
      const here = await at(commit, components);
      let same: [string, ForeignCommit] | undefined;
      let hidden = false;
      for (const parent of commit.parents) {
        const fields = await commitAt(parent);
        if (fields === undefined) hidden = true;
        else if ((await at(fields, components)) === here) {
          same = [parent, fields];
          break;
        }
      }
      if (same === undefined)
        // Behind the edge of what was fetched it may have been the same.
        return hidden ? changeOf(tip, whole, false) : changeOf(oid, commit, true);
      [oid, commit] = same;
    }
    return changeOf(tip, whole, false);
  }

  const found = new Map<string, RemoteChange>();
  for (const path of paths) found.set(path, await lastChange(path));
  return found;
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
