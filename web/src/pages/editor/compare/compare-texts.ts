/** Differences of texts as rows, and edits carried over to a newer version. Pure. */
import { applyPatch, structuredPatch } from "diff";

/** A button of a row. */
export interface RowAction {
  label: string;
  /** Its name for screen readers, which tells it from those of other rows. */
  name: string;
  run: () => void;
}

export type Row =
  | { kind: "file"; text: string; note: string; action?: RowAction }
  | { kind: "hunk"; text: string; action?: RowAction }
  | { kind: "add" | "del" | "same"; text: string; line: number };

/** Limits of a comparison, which an entirely different text would keep busy. */
const bounds = { maxEditLength: 20_000, timeout: 1500 };

/** Rows of the differences between two texts of a file; null is a file that does not exist. */
export function compareTexts(path: string, before: string | null, after: string | null): Row[] {
  const note = before === null ? "new" : after === null ? "removed" : "";
  const head: Row = { kind: "file", text: path, note };
  if (after === null) return [head];
  const patch = patchOf(path, before ?? "", after);
  if (!patch) return [{ ...head, note: "too different to compare" }];
  const rows: Row[] = [head];
  for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
    rows.push({ kind: "hunk", text: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@` });
    let [old, now] = [oldStart, newStart];
    for (const line of lines) {
      const text = line.slice(1).replace(/\r$/, "");
      if (line.startsWith("-")) rows.push({ kind: "del", text, line: old++ });
      else if (line.startsWith("+")) rows.push({ kind: "add", text, line: now++ });
      else if (line.startsWith(" ")) {
        old++;
        rows.push({ kind: "same", text, line: now++ });
      }
    }
  }
  return rows;
}

const patchOf = (path: string, before: string, after: string) =>
  structuredPatch(path, path, before, after, "", "", { context: 3, ...bounds });

/**
 * A text with one of the hunks that `compareTexts` shows between `before` and `after`. Undefined if the text is no
 * longer `before` and its lines there differ.
 */
export function takeHunk(text: string, before: string, after: string, index: number): string | undefined {
  const patch = patchOf("", before, after);
  const hunk = patch?.hunks[index];
  if (!patch || !hunk) return undefined;
  const taken = applyPatch(text, { ...patch, hunks: [hunk] }, { autoConvertLineEndings: false });
  return taken === false ? undefined : taken;
}

/** An edit of `before` applied to `newer`; undefined if both changed the same lines. */
export function carryOver(before: string, edited: string, newer: string): string | undefined {
  if (newer === before) return edited;
  const patch = structuredPatch("a", "b", before, edited, "", "", { context: 2, ...bounds });
  const merged = patch && applyPatch(newer, patch);
  return merged === false ? undefined : merged;
}
