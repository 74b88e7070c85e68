/** Differences of texts, and edits carried over to a newer version. Pure. */
import { applyPatch, structuredPatch } from "diff";
import type { ChangedFile } from "./changed-file.ts";

/** Limits of a comparison, which an entirely different text would keep busy. */
const bounds = { maxEditLength: 20_000, timeout: 1500 };

/** The differences between two texts of a file; null is a file that does not exist. */
export function compareTexts(path: string, before: string | null, after: string | null): ChangedFile {
  const note = before === null ? "new" : after === null ? "removed" : "";
  if (after === null) return { path, note, hunks: [] };
  const patch = patchOf(path, before ?? "", after);
  if (!patch) return { path, note: "too different to compare", hunks: [] };
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => line.replace(/\r$/, "")),
  }));
  return { path, note, hunks };
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
