/** Hunks of a comparison as flat rows of equal kinds, so that only those in view are drawn. */
import type { Diff, DiffFile, Finding } from "../../api/versions.ts";

export interface Line {
  kind: "add" | "del" | "same";
  text: string;
  old: number | undefined;
  now: number | undefined;
  /** The line of the other version, with which words are compared. */
  pair: string | undefined;
}

export type Row =
  | { kind: "file"; file: DiffFile; index: number }
  | { kind: "hunk"; text: string }
  | { kind: "note"; text: string; file: DiffFile; canShow: boolean }
  | { kind: "finding"; finding: Finding; isAtLine: boolean }
  | { kind: "line"; line: Line; path: string; startsChange: boolean }
  | { kind: "pair"; left: Line | undefined; right: Line | undefined; path: string; startsChange: boolean };

/** Files that the reader has marked as viewed. */
export interface ViewedFiles {
  has: (path: string) => boolean;
  mark: (path: string, isViewed: boolean) => void;
}

export interface Counts {
  added: number;
  removed: number;
}

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
}

export function toRows({ files }: Diff, { isSplit, isOpen, findings }: Options): Row[] {
  return files.flatMap((file, index): Row[] => {
    const header: Row = { kind: "file", file, index };
    if (!isOpen(file)) return [header, { kind: "note", text: collapsedText(file), file, canShow: true }];
    const reason = unshownReason(file);
    const own = findings.filter(({ path }) => path === file.path);
    if (reason !== undefined)
      return [header, ...findingsElsewhere(own, []), { kind: "note", text: reason, file, canShow: false }];
    const rows = file.hunks.flatMap((hunk) => hunkRows(hunk, file.path, isSplit, own));
    return [header, ...findingsElsewhere(own, rows), ...rows];
  });
}

function collapsedText(file: DiffFile): string {
  const { added, removed } = countsOf(file);
  return `${(added + removed).toLocaleString("en")} changed lines are hidden.`;
}

function unshownReason(file: DiffFile): string | undefined {
  if (file.binary) return "The file is not text.";
  if (file.truncated) return "The file is too large or too different to compare line by line.";
  if (file.hunks.length > 0) return undefined;
  return file.status === "renamed"
    ? "The file was renamed without a change."
    : "Only the mode of the file changed.";
}

/** Findings about a whole file, and those at lines that are not part of the comparison, precede the lines. */
function findingsElsewhere(findings: Finding[], rows: Row[]): Row[] {
  const shown = new Set(rows.map((row) => (row.kind === "finding" ? row.finding : undefined)));
  return findings
    .filter((finding) => !shown.has(finding))
    .map((finding) => ({ kind: "finding", finding, isAtLine: false }));
}

type Hunk = DiffFile["hunks"][number];

function hunkRows(hunk: Hunk, path: string, isSplit: boolean, findings: Finding[]): Row[] {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  const rows: Row[] = [{ kind: "hunk", text: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@` }];
  const push = (row: Row, now: number | undefined) => {
    rows.push(row);
    if (now === undefined || findings.length === 0) return;
    for (const finding of findings)
      if (finding.line === now) rows.push({ kind: "finding", finding, isAtLine: true });
  };
  for (const [dels, adds] of runsOf(hunk)) {
    const isSame = dels[0]?.kind === "same";
    if (isSplit || isSame) {
      for (let n = 0; n < Math.max(dels.length, adds.length); n++) {
        const [left, right] = [dels[n], adds[n]];
        const startsChange = !isSame && n === 0;
        if (isSplit) push({ kind: "pair", left, right, path, startsChange }, right?.now);
        else push({ kind: "line", line: right!, path, startsChange }, right!.now);
      }
      continue;
    }
    for (const [n, line] of [...dels, ...adds].entries())
      push({ kind: "line", line, path, startsChange: n === 0 }, line.now);
  }
  return rows;
}

/** Runs of removed lines with the added ones that follow them; an unchanged line is on both sides. */
function runsOf({ oldStart, newStart, lines }: Hunk): [Line[], Line[]][] {
  const runs: [Line[], Line[]][] = [];
  let [old, now] = [oldStart, newStart];
  let at = 0;
  while (at < lines.length) {
    const dels: string[] = [];
    const adds: string[] = [];
    while (lines[at]?.startsWith("-")) dels.push(lines[at++]!.slice(1));
    while (lines[at]?.startsWith("+")) adds.push(lines[at++]!.slice(1));
    if (dels.length + adds.length > 0) {
      runs.push([
        dels.map((text, n) => ({ kind: "del", text, old: old++, now: undefined, pair: adds[n] })),
        adds.map((text, n) => ({ kind: "add", text, old: undefined, now: now++, pair: dels[n] })),
      ]);
      continue;
    }
    const text = lines[at++]!;
    // "\ No newline at end of file" belongs to neither version.
    if (text.startsWith("\\")) continue;
    const line: Line = { kind: "same", text: text.slice(1), old: old++, now: now++, pair: undefined };
    runs.push([[line], [line]]);
  }
  return runs;
}
