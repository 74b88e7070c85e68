/**
 * Finds the skills below `skills/` of a commit, or those that differ between two commits: both trees are walked side by
 * side, and what has one id on both sides is not looked into.
 */
import { RepoError } from "../errors.ts";
import type { ObjectReader } from "../store/object-reader.ts";
import { hashObject, type RawTreeEntry } from "../store/objects.ts";
import type { MirrorId } from "../store/types.ts";
import { skillsFolder, svcFile } from "./layout.ts";
import { readSvcId } from "./svc-record.ts";
import { entryNamed, isFileMode, isFolder, rootFileOf, type RootFile, type TreeReader } from "./trees.ts";
import type { RemoteScan, RemoteSkill, ScanProblem } from "./types.ts";

/** Folders looked into: a few kilobytes of tree can name billions of paths. */
const foldersAtMost = 200_000;
const deepest = 1024;
const problemsAtMost = 1000;
const svcBytes = 64 * 1024;

interface Pair {
  path: string;
  depth: number;
  before: string | undefined;
  now: string | undefined;
}

export interface ScanContext {
  objects: ObjectReader;
  repo: MirrorId;
  trees: TreeReader;
}

/** `since` must be readable here; without it the scan is complete. `known` are paths of skills. */
export async function scanSkills(
  context: ScanContext,
  commit: string,
  { since, known }: { since: string | undefined; known: ReadonlySet<string> },
): Promise<RemoteScan> {
  const { trees } = context;
  const [now, before] = await Promise.all([
    skillsTree(trees, commit),
    since === undefined ? undefined : skillsTree(trees, since),
  ]);
  const scan: RemoteScan = {
    commit,
    skills: now === "blocked" ? "blocked" : now === undefined ? "absent" : "present",
    complete: since === undefined,
    directories: [],
    gone: [],
    problems: [],
  };
  const oidOf = (found: string | undefined) => (found === "blocked" ? undefined : found);
  const inQuestion: InQuestion = { folders: foldersOf(known), found: [] };
  await walk(trees, scan, inQuestion, {
    path: skillsFolder,
    depth: 0,
    before: oidOf(before),
    now: oidOf(now),
  });
  settle(scan, inQuestion, known);
  await readIds(context, scan.directories);
  return scan;
}

async function skillsTree(trees: TreeReader, commit: string): Promise<string | undefined> {
  const { treeOid } = await trees.commit(commit);
  const entry = entryNamed(await trees.tree(treeOid), skillsFolder);
  return entry === undefined ? undefined : isFolder(entry) ? entry.oid : "blocked";
}

async function walk(trees: TreeReader, scan: RemoteScan, inQuestion: InQuestion, start: Pair): Promise<void> {
  let looked = 0;
  const differs = ({ before, now }: Pair) => before !== now;
  // Level by level: the trees of one level lie side by side.
  for (let level = [start].filter(differs); level.length > 0;) {
    looked += level.length;
    if (looked > foldersAtMost)
      throw new RepoError(
        "remote_too_large",
        `the repository has more than ${foldersAtMost} folders in skills/`,
      );
    const read = await trees.trees(
      level.flatMap(({ before, now }) => [before, now].filter((oid) => oid !== undefined)),
    );
    level = level.flatMap((pair) => visit(pair, read, scan, inQuestion)).filter(differs);
  }
}

/** Takes note of one folder and answers the pairs below it. */
function visit(
  pair: Pair,
  read: ReadonlyMap<string, RawTreeEntry[]>,
  scan: RemoteScan,
  { folders, found }: InQuestion,
): Pair[] {
  let before = pair.before === undefined ? [] : (read.get(pair.before) ?? []);
  let now = pair.now === undefined ? [] : (read.get(pair.now) ?? []);
  // `skills/` itself is no skill, whatever lies in it.
  const wasSkill = pair.depth > 0 && rootFileOf(before) !== undefined;
  let rootFile = pair.depth > 0 ? rootFileOf(now) : undefined;
  if (rootFile !== undefined && pair.now !== undefined && folders.has(pair.path)) {
    found.push(asSkill(pair.path, pair.now, rootFile, now));
    rootFile = undefined;
  }
  if (rootFile !== undefined && pair.now !== undefined)
    scan.directories.push(asSkill(pair.path, pair.now, rootFile, now));
  else if (wasSkill) scan.gone.push(pair.path);

  if (!wasSkill && rootFile === undefined) [before, now] = withoutEqual(before, now);
  const below = new Map<string, Pair>();
  const pairOf = (name: string): Pair => {
    const known = below.get(name);
    if (known !== undefined) return known;
    const fresh = { path: `${pair.path}/${name}`, depth: pair.depth + 1, before: undefined, now: undefined };
    below.set(name, fresh);
    return fresh;
  };
  if (rootFile === undefined)
    for (const entry of now) {
      const { name } = entry;
      const why = problemOf(entry, pair.depth);
      if (why !== undefined) note(scan, { path: `${pair.path}/${shownName(entry)}`, why });
      else if (name !== undefined && isFolder(entry)) pairOf(name).now = entry.oid;
    }
  if (!wasSkill)
    for (const entry of before)
      if (entry.name !== undefined && isFolder(entry) && pair.depth < deepest)
        pairOf(entry.name).before = entry.oid;
  return [...below.values()];
}

/** Folders of skills that have got a SKILL.md or RULE.md: a skill only if those below it are gone. */
interface InQuestion {
  folders: ReadonlySet<string>;
  found: RemoteSkill[];
}

/** All folders around some paths. */
function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

function settle(scan: RemoteScan, { found }: InQuestion, known: ReadonlySet<string>): void {
  const held = foldersOf(scan.directories.map(({ path }) => path).filter((path) => known.has(path)));
  // From the outside in: what lies in a skill is part of it.
  for (const skill of found) {
    const { path } = skill;
    if (scan.directories.some((outer) => path.startsWith(`${outer.path}/`))) continue;
    if (held.has(path)) {
      note(scan, { path, why: "holds_skills" });
      continue;
    }
    const isOutside = (one: { path: string }) => !one.path.startsWith(`${path}/`);
    scan.directories = [...scan.directories.filter(isOutside), skill];
    scan.problems = scan.problems.filter(isOutside);
  }
}

/** What is on one side alone. Both are sorted, as git writes them; where one is not, equal entries may stay. */
function withoutEqual(
  before: readonly RawTreeEntry[],
  now: readonly RawTreeEntry[],
): [RawTreeEntry[], RawTreeEntry[]] {
  const [was, is]: [RawTreeEntry[], RawTreeEntry[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < before.length && j < now.length) {
    const [left, right] = [before[i]!, now[j]!];
    if (left.equals(right)) {
      i++;
      j++;
      continue;
    }
    const order = left.compareName(right);
    if (order <= 0) was.push(before[i++]!);
    if (order >= 0) is.push(now[j++]!);
  }
  return [
    [...was, ...before.slice(i)],
    [...is, ...now.slice(j)],
  ];
}

function problemOf(entry: RawTreeEntry, depth: number): ScanProblem["why"] | undefined {
  if (entry.name === undefined) return "name_not_text";
  if (depth > 0 && (entry.name === "SKILL.md" || entry.name === "RULE.md") && !isFileMode(entry.mode))
    return "root_file_is_no_file";
  if (entry.mode === "160000") return "submodule";
  if (entry.mode === "120000") return "symlink";
  return isFolder(entry) && depth >= deepest ? "too_deep" : undefined;
}

function note(scan: RemoteScan, problem: ScanProblem): void {
  if (scan.problems.length < problemsAtMost) scan.problems.push(problem);
}

const shownName = (entry: RawTreeEntry) => entry.name ?? entry.nameBytes.toString("latin1");

function asSkill(
  path: string,
  tree: string,
  rootFile: RootFile,
  entries: readonly RawTreeEntry[],
): RemoteSkill {
  const svc = entryNamed(entries, svcFile);
  return {
    path,
    tree,
    contentTree: contentTreeOfEntries(entries),
    svcBlob: svc !== undefined && isFileMode(svc.mode) ? svc.oid : null,
    svcId: undefined,
    rootFile,
  };
}

/** Id of a tree without its `.svc.json`, the other entries as they stand. */
export function contentTreeOfEntries(entries: readonly RawTreeEntry[]): string {
  return hashObject(
    "tree",
    Buffer.concat(entries.filter(({ name }) => name !== svcFile).map(({ bytes }) => bytes)),
  );
}

async function readIds({ objects, repo }: ScanContext, skills: readonly RemoteSkill[]): Promise<void> {
  const heads = await objects.heads(
    repo,
    skills.flatMap(({ svcBlob }) => svcBlob ?? []),
  );
  const readable = skills.filter(({ svcBlob }) => {
    const head = svcBlob === null ? undefined : heads.get(svcBlob);
    return head?.type === "blob" && head.size <= svcBytes;
  });
  const contents = objects.sequence(
    repo,
    readable.map(({ svcBlob }) => svcBlob ?? ""),
    "blob",
  );
  let i = 0;
  for await (const data of contents) readable[i++]!.svcId = readSvcId(data);
}
