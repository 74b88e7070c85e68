/**
 * Finds the skills below `skills/` of a commit, or those that differ between two commits: both trees are walked in
 * parallel, and entries with equal ids are skipped.
 */
import { PackageError, checkDirectoryName, foldName } from "../../contract/checks/package-rules.ts";
import { RepoError } from "../errors.ts";
import type { ObjectReader } from "../store/object-reader.ts";
import type { RawTreeEntry } from "../store/objects.ts";
import type { MirrorId } from "../store/types.ts";
import { asLeftOut, isRecord, readContents, reasonByEntry } from "./content.ts";
import { deepestSkill, indexPath, skillsFolder, svcFile } from "./layout.ts";
import { readSvcId } from "./svc-record.ts";
import {
  entryNamed,
  isFileMode,
  isFolder,
  rootFileOf,
  rootFiles,
  type RootFile,
  type TreeReader,
} from "./trees.ts";
import type { RemoteScan, RemoteSkill, ScanFault, ScanProblem } from "./types.ts";

/** Limit of folders that are read: a few kilobytes of trees can have billions of paths. */
const maxFolders = 200_000;
const maxProblems = 1000;
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
    unreadable: new Map(),
  };
  await noteMisspelledFolders(trees, scan);
  const oidOf = (found: string | undefined) => (found === "blocked" ? undefined : found);
  const inQuestion: InQuestion = { known, folders: foldersOf(known), found: [], emptied: [] };
  await walk(trees, scan, inQuestion, {
    path: skillsFolder,
    depth: 0,
    before: oidOf(before),
    now: oidOf(now),
  });
  decideFolders(scan, inQuestion);
  await readContent(trees, scan.directories);
  await readIds(context, scan.directories);
  return scan;
}

async function skillsTree(trees: TreeReader, commit: string): Promise<string | undefined> {
  const { treeOid } = await trees.commit(commit);
  const entry = entryNamed(await trees.tree(treeOid), skillsFolder);
  return entry === undefined ? undefined : isFolder(entry) ? entry.oid : "blocked";
}

/** Folders next to `skills/` or instead of it whose names differ by case alone: they are not read. */
async function noteMisspelledFolders(trees: TreeReader, scan: RemoteScan): Promise<void> {
  const { treeOid } = await trees.commit(scan.commit);
  for (const entry of await trees.tree(treeOid))
    if (isFolder(entry) && isMisspelled(entry, [skillsFolder]))
      note(scan, {
        path: entry.name ?? "",
        why: "wrong_case",
        message: `Skills are read from ${skillsFolder}/, spelled exactly so: rename the folder.`,
      });
}

async function walk(trees: TreeReader, scan: RemoteScan, inQuestion: InQuestion, start: Pair): Promise<void> {
  let looked = 0;
  const differs = ({ before, now }: Pair) => before !== now;
  // Level by level: the trees of one level are next to each other in the pack.
  for (let level = [start].filter(differs); level.length > 0;) {
    looked += level.length;
    if (looked > maxFolders)
      throw new RepoError(
        "remote_too_large",
        `the repository has more than ${maxFolders} folders in skills/`,
      );
    const read = await trees.trees(
      level.flatMap(({ before, now }) => [before, now].filter((oid) => oid !== undefined)),
    );
    level = level.flatMap((pair) => visit(pair, read, scan, inQuestion)).filter(differs);
  }
}

/** Records one folder and returns the pairs below it. */
function visit(
  pair: Pair,
  read: ReadonlyMap<string, RawTreeEntry[]>,
  scan: RemoteScan,
  inQuestion: InQuestion,
): Pair[] {
  const { folders, found } = inQuestion;
  let before = pair.before === undefined ? [] : (read.get(pair.before) ?? []);
  let now = pair.now === undefined ? [] : (read.get(pair.now) ?? []);
  // `skills/` itself is never a skill.
  const wasSkill = pair.depth > 0 && rootFileOf(before) !== undefined;
  let rootFile = pair.depth > 0 ? rootFileOf(now) : undefined;
  if (rootFile !== undefined && pair.now !== undefined && folders.has(pair.path)) {
    found.push(asSkill(pair.path, pair.now, rootFile, now));
    rootFile = undefined;
  }
  if (rootFile !== undefined && pair.now !== undefined)
    scan.directories.push(asSkill(pair.path, pair.now, rootFile, now));
  else if (wasSkill) scan.gone.push(pair.path);
  if (rootFile === undefined) {
    const isLeftOut = isUnreadable(pair, now, scan, inQuestion);
    noteRootNames(pair, now, scan);
    if (isLeftOut) now = [];
  }

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
      const problem = problemOf(entry, pair, inQuestion.known);
      if (problem !== undefined) noteEntry(scan, inQuestion.known, pair.path, problem);
      else if (entry.name !== undefined && isFolder(entry)) pairOf(entry.name).now = entry.oid;
    }
  if (!wasSkill)
    for (const entry of before)
      if (entry.name !== undefined && isFolder(entry) && pair.depth < deepestSkill)
        pairOf(entry.name).before = entry.oid;
  return [...below.values()];
}

interface InQuestion {
  /** Paths of skills. */
  known: ReadonlySet<string>;
  /** All folders around those. */
  folders: ReadonlySet<string>;
  /** Folders of skills that have got a SKILL.md or RULE.md: a skill only if those below it are gone. */
  found: RemoteSkill[];
  /**
   * Known paths that contain only folders: leftover content, unless a skill was moved into one of them.
   */
  emptied: string[];
}

/**
 * Records a directory that was a skill, or is at the path of one, and has no SKILL.md or RULE.md. Nothing below it is
 * read, unless other skills are known to be there.
 */
function isUnreadable(
  { path, depth }: Pair,
  entries: readonly RawTreeEntry[],
  scan: RemoteScan,
  { known, folders, emptied }: InQuestion,
): boolean {
  if (depth === 0 || rootFileOf(entries) !== undefined) return false;
  const isKnown = known.has(path);
  const others = entries.filter((entry) => !isRecord(entry) && reasonByEntry(entry) === undefined);
  const hasRecord = entries.some(isRecord);
  const hasFiles = others.some((entry) => !isFolder(entry));
  if (isKnown && !hasRecord && !hasFiles && others.length > 0) emptied.push(path);
  if (!(isKnown && (hasFiles || (hasRecord && others.length > 0))) && !(hasRecord && hasFiles)) return false;
  // A SKILL.md that is a link or a directory is reported as such.
  const isOdd = others.some((entry) => isRootName(entry) && !isFileMode(entry.mode));
  const why = isOdd ? "root_file_is_no_file" : hasRecord ? "root_file_missing" : "occupied";
  const problem = problemAt(isOdd ? `${path}/${rootNameIn(others)}` : path, why);
  note(scan, problem);
  if (isKnown) scan.unreadable.set(path, problem);
  return isKnown && !folders.has(path);
}

/** Reports files that are probably meant to be skills: spelled in another case, or directly in `skills/`. */
function noteRootNames({ path, depth }: Pair, entries: readonly RawTreeEntry[], scan: RemoteScan): void {
  if (scan.problems.length >= maxProblems) return;
  for (const entry of entries) {
    if (!isFileMode(entry.mode)) continue;
    const isExact = isRootName(entry);
    if (depth === 0 && (isExact || isMisspelled(entry, rootFiles)))
      note(scan, problemAt(`${path}/${entry.name}`, "root_file_misplaced"));
    else if (isMisspelled(entry, rootFiles) && !scan.problems.some((known) => known.path === path))
      note(scan, problemAt(`${path}/${entry.name}`, "wrong_case"));
  }
}

function isMisspelled({ name }: RawTreeEntry, spellings: readonly string[]): boolean {
  if (name === undefined || spellings.includes(name)) return false;
  return spellings.some((spelling) => foldName(name) === foldName(spelling));
}

const isRootName = ({ name }: RawTreeEntry) => name === "SKILL.md" || name === "RULE.md";
const rootNameIn = (entries: readonly RawTreeEntry[]) => entries.find(isRootName)?.name ?? "SKILL.md";

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

function decideFolders(scan: RemoteScan, { found, emptied, known }: InQuestion): void {
  const held = foldersOf(scan.directories.map(({ path }) => path).filter((path) => known.has(path)));
  // From the outside in: the content of a skill's directory is part of that skill.
  for (const skill of found) {
    const { path } = skill;
    if (scan.directories.some((outer) => path.startsWith(`${outer.path}/`))) continue;
    if (held.has(path)) {
      const problem = problemAt(path, "holds_skills");
      note(scan, problem);
      if (known.has(path)) scan.unreadable.set(path, problem);
      continue;
    }
    const isOutside = (one: { path: string }) => !one.path.startsWith(`${path}/`);
    scan.directories = [...scan.directories.filter(isOutside), skill];
    scan.problems = scan.problems.filter(isOutside);
  }
  if (emptied.length === 0) return;
  const around = foldersOf(scan.directories.map(({ path }) => path));
  for (const path of emptied.filter((one) => !around.has(one) && !scan.unreadable.has(one))) {
    const problem = problemAt(path, "occupied");
    note(scan, problem);
    scan.unreadable.set(path, problem);
  }
}

/** Entries on one side only. Git sorts both lists; if one is unsorted, equal entries may remain. */
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

/** Problem for which an entry of a folder is skipped, with its path. */
function problemOf(
  entry: RawTreeEntry,
  { path: above, depth }: Pair,
  known: ReadonlySet<string>,
): ScanProblem | undefined {
  const path = `${above}/${shownName(entry)}`;
  if (entry.name === undefined) return problemAt(path, "name_not_text");
  if (depth > 0 && isRootName(entry) && !isFileMode(entry.mode))
    return problemAt(path, "root_file_is_no_file");
  if (entry.mode === "160000") return problemAt(path, "submodule");
  if (entry.mode === "120000") return problemAt(path, "symlink");
  if (!isFolder(entry)) return known.has(path) ? problemAt(path, "path_blocked") : undefined;
  if (depth >= deepestSkill) return problemAt(path, "too_deep");
  try {
    checkDirectoryName(entry.name);
    return undefined;
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    return { path, why: error.rule, message: `${error.message} It is skipped.` };
  }
}

const scanMessages: Record<ScanFault, string> = {
  root_file_is_no_file:
    "Its SKILL.md or RULE.md is not a file, so the directory is left as it is: put a file there.",
  root_file_missing:
    "It has no SKILL.md or RULE.md any more, so it is left as it is: " +
    "add one, spelled exactly so, or delete the directory.",
  root_file_misplaced:
    "A file directly in skills/ is not a skill: move it to a directory of its own, such as skills/my-skill/.",
  wrong_case: "Skills are recognized by SKILL.md or RULE.md, spelled exactly so: rename the file.",
  occupied:
    "It holds files and no SKILL.md or RULE.md, so it is left as it is, and the skill of this name is not " +
    "written: add one, or move the files.",
  path_blocked: "It is not a directory, so the skill of this name is not written: move it.",
  submodule: "It is a submodule: it is skipped.",
  symlink: "It is a symbolic link: it is skipped.",
  name_not_text: "Its name is not UTF-8: it is skipped.",
  too_deep: "It lies too deep: it is skipped.",
  holds_skills: "Other skills lie in it: its SKILL.md or RULE.md is skipped until it is moved elsewhere.",
};

const problemAt = (path: string, why: ScanFault): ScanProblem => ({ path, why, message: scanMessages[why] });

/** An entry at the path of a skill, or at its SKILL.md, prevents the skill from being written. */
function noteEntry(scan: RemoteScan, known: ReadonlySet<string>, above: string, problem: ScanProblem): void {
  // The index is reported where it is written.
  if (problem.why === "path_reserved" && problem.path === indexPath) return;
  note(scan, problem);
  for (const path of [problem.path, ...(problem.why === "root_file_is_no_file" ? [above] : [])])
    if (known.has(path)) scan.unreadable.set(path, problem);
}

function note(scan: RemoteScan, problem: ScanProblem): void {
  if (scan.problems.length >= maxProblems) return;
  const isNoted = scan.problems.some(({ path, why }) => path === problem.path && why === problem.why);
  if (!isNoted) scan.problems.push(problem);
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
    // Both are read for all directories together.
    contentTree: "",
    leftOut: [],
    svcBlob: svc !== undefined && isFileMode(svc.mode) ? svc.oid : null,
    svcId: undefined,
    rootFile,
  };
}

async function readContent(trees: TreeReader, skills: readonly RemoteSkill[]): Promise<void> {
  const read = await trees.trees(skills.map(({ tree }) => tree));
  const contents = await readContents(
    trees,
    skills.map(({ tree }) => read.get(tree)!),
  );
  for (const [i, { tree, leftOut }] of contents.entries())
    Object.assign(skills[i]!, { contentTree: tree, leftOut: leftOut.map(asLeftOut) });
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
