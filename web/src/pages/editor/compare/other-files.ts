/** Another version, compared file by file with the files that are edited, and what is taken over from it. */
import type { BaseReader } from "../base-reader.ts";
import { textOfBlob } from "../files/dropped-files.ts";
import type { BaseFile, FileChange, WorkFile } from "../working-set.ts";
import { compareTexts, takeHunk, type Row, type RowAction } from "./compare-texts.ts";

interface Sides {
  files: readonly WorkFile[];
  reader: BaseReader;
  other: BaseReader;
  take: (taking: Taking) => void;
}

/** The change of the files that takes something over; undefined if the lines were edited meanwhile. */
export type Taking = (files: readonly WorkFile[]) => FileChange | undefined;

/** Rows that lead from the files to the other version. */
export async function otherRows(sides: Sides): Promise<Row[]> {
  const theirs = sides.other.base!;
  const rows: Row[] = [];
  for (const file of theirs.files) rows.push(...(await rowsOfFile(file, sides)));
  const paths = new Set(theirs.files.map(({ path }) => path));
  for (const { path } of sides.files)
    if (!paths.has(path)) rows.push({ kind: "file", text: path, note: `not in ${theirs.semver}` });
  return rows;
}

async function rowsOfFile(theirs: BaseFile, { files, reader, other, take }: Sides): Promise<Row[]> {
  const { path, mode } = theirs;
  const mine = files.find((file) => file.path === path);
  const modeRows = (): Row[] => {
    if (!mine || mine.mode === mode) return [];
    const run = () => take(() => ({ kind: "mode", path, mode }));
    const note = mode === "100755" ? "executable" : "not executable";
    return [
      { kind: "file", text: path, note, action: { label: "Take over", name: `Take over ${path}`, run } },
    ];
  };
  if (mine && isSameInBase(mine, theirs, reader)) return modeRows();
  const blob = await other.read(path);
  const own = mine && (await blobOf(mine, reader));
  if (own && (await isSameBytes(own, blob))) return modeRows();
  const [before, after] = [own ? await textOfBlob(own) : null, await textOfBlob(blob)];
  if (before === undefined || after === undefined)
    return [
      { kind: "file", text: path, note: "not a text", action: takeFile({ path, mode, data: blob }, take) },
    ];
  let index = 0;
  return compareTexts(path, before, after).map((row) => {
    if (row.kind === "file") return { ...row, action: takeFile({ path, mode, data: after }, take) };
    if (row.kind !== "hunk" || before === null) return row;
    const hunk = index++;
    const run = () => take((now) => hunkChange(now, { path, before, after, hunk }));
    return { ...row, action: { label: "Take over", name: `Take over ${row.text} of ${path}`, run } };
  });
}

function takeFile(file: WorkFile, take: Sides["take"]): RowAction {
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
