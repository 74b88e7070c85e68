/** Differences of texts as rows, and edits carried over to a newer version. Pure. */
import { applyPatch, structuredPatch } from "diff";

export type Row =
  | { kind: "file"; text: string; note: string }
  | { kind: "hunk"; text: string }
  | { kind: "add" | "del" | "same"; text: string; line: number };

/** Limits of a comparison, which an entirely different text would keep busy. */
const bounds = { maxEditLength: 20_000, timeout: 1500 };

/** Rows of the differences between two texts of a file; null is a file that does not exist. */
export function compareTexts(path: string, before: string | null, after: string | null): Row[] {
  const note = before === null ? "new" : after === null ? "removed" : "";
  const head: Row = { kind: "file", text: path, note };
  if (after === null) return [head];
  const patch = structuredPatch(path, path, before ?? "", after, "", "", { context: 3, ...bounds });
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

/** An edit of `before` applied to `newer`; undefined if both changed the same lines. */
export function carryOver(before: string, edited: string, newer: string): string | undefined {
  if (newer === before) return edited;
  const patch = structuredPatch("a", "b", before, edited, "", "", { context: 2, ...bounds });
  const merged = patch && applyPatch(newer, patch);
  return merged === false ? undefined : merged;
}
