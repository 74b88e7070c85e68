/** Hunks of a comparison as flat rows of equal kinds, so that only those in view are drawn. */
import type { CSSProperties, ReactNode } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import type { Diff, DiffFile, Finding } from "../../api/skills/versions.ts";

export interface Line {
  kind: "add" | "del" | "same";
  text: string;
  old: number | undefined;
  now: number | undefined;
  /** The line of the other version, with which words are compared. */
  pair: string | undefined;
  /** Whether the file ends here, without a newline. */
  isUnterminated: boolean;
}

/** Unchanged lines that are not shown; without `to`, up to the end of the file. */
export interface Gap {
  file: DiffFile;
  /** Numbers in the later version, from 1. */
  from: number;
  to: number | undefined;
  /** The sum of it and the number of a line is the number in the earlier version. */
  oldOffset: number;
  /** The heading or declaration above the change that follows. */
  section: string | undefined;
}

/** The later text of a file whose unchanged lines are shown, and the first lines of the gaps that are open. */
export interface OpenGaps {
  lines: string[];
  from: ReadonlySet<number>;
}

/** A line of both versions or of one, or two lines next to each other. */
export type ChangeRow =
  | { kind: "line"; line: Line; path: string; startsChange: boolean }
  | { kind: "pair"; left: Line | undefined; right: Line | undefined; path: string; startsChange: boolean };

export type Row =
  | { kind: "file"; file: DiffFile; index: number }
  | { kind: "gap"; gap: Gap }
  | { kind: "note"; text: string; file: DiffFile; canShow: boolean }
  | Attached
  | ChangeRow;

/** A row below the line that it is about, or above all lines of a file. */
export type Attached =
  | { kind: "finding"; finding: Finding; isAtLine: boolean }
  | { kind: "comment"; comment: LineComment; isAtLine: boolean };

/** A comment about a file of the later version, or about one of its lines. */
export interface LineComment {
  id: string;
  path: string;
  line?: number;
  content: ReactNode;
}

/** Files that the reader has marked as viewed. */
export interface ViewedFiles {
  has: (path: string) => boolean;
  mark: (path: string, isViewed: boolean) => void;
}

export interface Counts {
  added: number;
  removed: number;
}

/** Unchanged lines around each change, as the service sends them. */
const contextLines = 3;
/** Changed lines above which a file is collapsed at first. */
const collapsedLines = 300;

export function countsOf(file: DiffFile): Counts {
  let [added, removed] = [0, 0];
  for (const { lines } of file.hunks) {
    for (const line of lines) {
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
    }
  }
  return { added, removed };
}

/** Whether a file is open before the user decides. */
export const isOpenAtFirst = (file: DiffFile): boolean => {
  const { added, removed } = countsOf(file);
  return added + removed <= collapsedLines;
};

interface Options {
  isSplit: boolean;
  isOpen: (file: DiffFile) => boolean;
  findings: Finding[];
  comments?: readonly LineComment[];
  openGaps?: ReadonlyMap<string, OpenGaps>;
}

/** The width of line numbers, as a custom property of the element with class `diff`. */
export function digitsOf(files: readonly Pick<DiffFile, "hunks">[]): CSSProperties {
  const last = Math.max(
    0,
    ...files.flatMap(({ hunks }) =>
      hunks.map((hunk) => Math.max(hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines)),
    ),
  );
  return { "--digits": String(last).length } as CSSProperties;
}

export function toRows({ files }: Diff, options: Options): Row[] {
  return files.flatMap((file, index): Row[] => {
    const header: Row = { kind: "file", file, index };
    if (!options.isOpen(file))
      return [header, { kind: "note", text: collapsedText(file), file, canShow: true }];
    return [header, ...fileRows(file, options)];
  });
}

/** The rows below a file's header. */
export function fileRows(
  file: DiffFile,
  { isSplit, findings, comments = [], openGaps }: Omit<Options, "isOpen">,
): Row[] {
  const reason = unshownReason(file);
  const attached = attachedTo(file, findings, comments);
  if (reason !== undefined) return [...attached, { kind: "note", text: reason, file, canShow: false }];
  const gaps = gapsOf(file);
  const open = openGaps?.get(file.path);
  const gapRows = (at: number): Row[] => {
    const gap = gaps[at];
    if (!gap) return [];
    if (!open?.from.has(gap.from)) return isPast(gap, open) ? [] : [{ kind: "gap", gap }];
    return linesOfGap(gap, open).map((line) => rowOfSame(line, file.path, isSplit));
  };
  const rows = file.hunks.flatMap((hunk, at) => [...gapRows(at), ...lineRows(hunk, file.path, isSplit)]);
  rows.push(...gapRows(file.hunks.length));
  return attach(rows, attached);
}

const attachedTo = (
  { path }: DiffFile,
  findings: readonly Finding[],
  comments: readonly LineComment[],
): Attached[] => [
  ...findings
    .filter((finding) => finding.path === path)
    .map((finding) => ({ kind: "finding" as const, finding, isAtLine: false })),
  ...comments
    .filter((comment) => comment.path === path)
    .map((comment) => ({ kind: "comment" as const, comment, isAtLine: false })),
];

/** Puts what is attached below its line. What is about a whole file, or about a line that is not shown, comes first. */
function attach(rows: Row[], attached: readonly Attached[]): Row[] {
  if (attached.length === 0) return rows;
  const left = new Set(attached);
  const below = rows.flatMap((row): Row[] => {
    const now = row.kind === "pair" ? row.right?.now : row.kind === "line" ? row.line.now : undefined;
    const own = now === undefined ? [] : attached.filter((one) => subjectOf(one).line === now);
    for (const one of own) left.delete(one);
    return [row, ...own.map((one) => ({ ...one, isAtLine: true }))];
  });
  return [...left, ...below];
}

const subjectOf = (one: Attached) => (one.kind === "finding" ? one.finding : one.comment);

/** The gap before each change, and the one after the last; undefined where there is none. */
function gapsOf(file: DiffFile): (Gap | undefined)[] {
  if (file.status === "added" || file.status === "removed") return [];
  let from = 1;
  const gaps = file.hunks.map(({ oldStart, newStart, newLines, section }): Gap | undefined => {
    const gap = { file, from, to: newStart - 1, oldOffset: oldStart - newStart, section };
    from = newStart + newLines;
    return gap.to >= gap.from ? gap : undefined;
  });
  const last = file.hunks.at(-1);
  if (!last || !endsInContext(last)) return gaps;
  const oldOffset = last.oldStart + last.oldLines - from;
  return [...gaps, { file, from, to: undefined, oldOffset, section: undefined }];
}

/** A change with fewer unchanged lines after it than before others reaches the end of the file. */
function endsInContext({ lines }: Hunk): boolean {
  return lines.length >= contextLines && lines.slice(-contextLines).every((line) => line.startsWith(" "));
}

const isPast = ({ from }: Gap, open: OpenGaps | undefined) => open !== undefined && from > open.lines.length;

function linesOfGap({ from, to, oldOffset }: Gap, { lines }: OpenGaps): Line[] {
  return lines.slice(from - 1, to).map((text, at) => ({
    kind: "same",
    text,
    old: from + at + oldOffset,
    now: from + at,
    pair: undefined,
    isUnterminated: false,
  }));
}

const rowOfSame = (line: Line, path: string, isSplit: boolean): Row =>
  isSplit
    ? { kind: "pair", left: line, right: line, path, startsChange: false }
    : { kind: "line", line, path, startsChange: false };

function collapsedText(file: DiffFile): string {
  const { added, removed } = countsOf(file);
  return `${countText(added + removed, "changed line is", "changed lines are")} hidden.`;
}

function unshownReason(file: DiffFile): string | undefined {
  if (file.binary) return "The file is not text.";
  if (file.truncated) return "The file is too large or too different to compare line by line.";
  if (file.hunks.length > 0) return undefined;
  return file.status === "renamed"
    ? "The file was renamed without a change."
    : "Only the mode of the file changed.";
}

export type Hunk = DiffFile["hunks"][number];

/** The lines of a change: below each other, or both sides next to each other. */
export function lineRows(hunk: Hunk, path: string, isSplit: boolean): ChangeRow[] {
  return runsOf(hunk).flatMap(([dels, adds]): ChangeRow[] => {
    const isSame = dels[0]?.kind === "same";
    const startsChange = (at: number) => !isSame && at === 0;
    if (!isSplit)
      return (isSame ? adds : [...dels, ...adds]).map((line, at) => ({
        kind: "line",
        line,
        path,
        startsChange: startsChange(at),
      }));
    return Array.from({ length: Math.max(dels.length, adds.length) }, (_, at) => ({
      kind: "pair",
      left: dels[at],
      right: adds[at],
      path,
      startsChange: startsChange(at),
    }));
  });
}

/** Runs of removed lines with the added ones that follow them; an unchanged line is on both sides. */
function runsOf({ oldStart, newStart, lines }: Hunk): [Line[], Line[]][] {
  const runs: [Line[], Line[]][] = [];
  let [old, now] = [oldStart, newStart];
  let [dels, adds]: [Line[], Line[]] = [[], []];
  const flush = () => {
    if (dels.length + adds.length > 0) runs.push([paired(dels, adds), paired(adds, dels)]);
    [dels, adds] = [[], []];
  };
  for (const [at, signed] of lines.entries()) {
    const sign = signed[0];
    // "\ No newline at end of file" is about the line before it.
    if (sign === "\\") continue;
    const isUnterminated = lines[at + 1]?.startsWith("\\") === true;
    const line = { text: signed.slice(1), pair: undefined, isUnterminated };
    if (sign === "-") {
      if (adds.length > 0) flush();
      dels.push({ ...line, kind: "del", old: old++, now: undefined });
    } else if (sign === "+") adds.push({ ...line, kind: "add", old: undefined, now: now++ });
    else {
      flush();
      const same: Line = { ...line, kind: "same", old: old++, now: now++ };
      runs.push([[same], [same]]);
    }
  }
  flush();
  return runs;
}

const paired = (lines: Line[], others: Line[]) =>
  lines.map((line, at) => ({ ...line, pair: others[at]?.text }));
