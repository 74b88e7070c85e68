/** Another version, compared file by file with the files that are edited, and what is taken over from it. */
import type { BaseReader } from "../base-reader.ts";
import { textOfBlob } from "../files/dropped-files.ts";
import type { BaseFile, FileChange, WorkFile } from "../working-set.ts";
import { hunkHeader, type ChangeAction, type ChangedFile } from "./changed-file.ts";
import { compareTexts, takeHunk } from "./compare-texts.ts";

interface Sides {
  files: readonly WorkFile[];
  reader: BaseReader;
  other: BaseReader;
  take: (taking: Taking) => void;
}

/** The change of the files that takes something over; undefined if the lines were edited meanwhile. */
export type Taking = (files: readonly WorkFile[]) => FileChange | undefined;

/** The changes that lead from the files to the other version. */
export async function otherFiles(sides: Sides): Promise<ChangedFile[]> {
  const theirs = sides.other.base!;
  const changed: ChangedFile[] = [];
  for (const file of theirs.files) {
    const one = await compareFile(file, sides);
    if (one) changed.push(one);
  }
  const paths = new Set(theirs.files.map(({ path }) => path));
  for (const { path } of sides.files)
    if (!paths.has(path)) changed.push({ path, note: `not in ${theirs.semver}`, hunks: [] });
  return changed;
}

async function compareFile(
  theirs: BaseFile,
  { files, reader, other, take }: Sides,
): Promise<ChangedFile | undefined> {
  const { path, mode } = theirs;
  const mine = files.find((file) => file.path === path);
  if (mine && isSameInBase(mine, theirs, reader)) return compareMode(mine, theirs, take);
  const blob = await other.read(path);
  const own = mine && (await blobOf(mine, reader));
  if (own && (await isSameBytes(own, blob))) return compareMode(mine, theirs, take);
  const [before, after] = [own ? await textOfBlob(own) : null, await textOfBlob(blob)];
  if (before === undefined || after === undefined)
    return { path, note: "not text", hunks: [], action: takeFile({ path, mode, data: blob }, take) };
  const changed = compareTexts(path, before, after);
  const action = takeFile({ path, mode, data: after }, take);
  if (before === null) return { ...changed, action };
  const hunkActions = changed.hunks.map((hunk, index) => ({
    label: "Take over",
    name: `Take over ${hunkHeader(hunk)} of ${path}`,
    run: () => take((now) => hunkChange(now, { path, before, after, hunk: index })),
  }));
  return { ...changed, action, hunkActions };
}

function compareMode(mine: WorkFile, { path, mode }: BaseFile, take: Sides["take"]): ChangedFile | undefined {
  if (mine.mode === mode) return undefined;
  const run = () => take(() => ({ kind: "mode", path, mode }));
  const note = mode === "100755" ? "executable" : "not executable";
  return { path, note, hunks: [], action: { label: "Take over", name: `Take over ${path}`, run } };
}

function takeFile(file: WorkFile, take: Sides["take"]): ChangeAction {
  return {
    label: "Take over the file",
    name: `Take over the file ${file.path}`,
    run: () => take(() => ({ kind: "add", files: [file] })),
  };
}

interface Hunk {
  path: string;
  before: string;
  after: string;
  hunk: number;
}

function hunkChange(files: readonly WorkFile[], { path, before, after, hunk }: Hunk): FileChange | undefined {
  const now = files.find((file) => file.path === path);
  if (!now) return undefined;
  const data = takeHunk(typeof now.data === "string" ? now.data : before, before, after, hunk);
  return data === undefined ? undefined : { kind: "add", files: [{ path, mode: now.mode, data }] };
}

/** Whether neither side has to be read: the file is that of the base, with the same bytes. */
function isSameInBase(mine: WorkFile, theirs: BaseFile, { base }: BaseReader): boolean {
  if (mine.data !== undefined || theirs.sha256 === undefined) return false;
  return base?.files.find(({ path }) => path === mine.from)?.sha256 === theirs.sha256;
}

function blobOf({ path, data, from }: WorkFile, reader: BaseReader): Promise<Blob> {
  if (data !== undefined) return Promise.resolve(typeof data === "string" ? new Blob([data]) : data);
  return reader.read(from ?? path);
}

async function isSameBytes(one: Blob, two: Blob): Promise<boolean> {
  if (one.size !== two.size) return false;
  const [a, b] = (await Promise.all([one.arrayBuffer(), two.arrayBuffer()])).map((it) => new Uint8Array(it));
  return a!.every((byte, index) => byte === b![index]);
}
