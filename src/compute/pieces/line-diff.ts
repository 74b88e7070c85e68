/** Comparison of two texts, line by line. */
import { structuredPatch } from "diff";
import type { FileDiffPayload } from "../../../contract/payloads/skills.ts";

/** Time limit for one file. Hostile input is slow to compare and is reported as `truncated` instead. */
const fileTimeMs = 500;

export interface TextsToCompare {
  left: string;
  right: string;
  /** Number of unchanged lines around each change. */
  context: number;
}

export interface Comparison {
  /** Undefined if the comparison takes too long. */
  hunks: FileDiffPayload["hunks"] | undefined;
  /** Time that it took. */
  ms: number;
}

export function diffLines({ left, right, context }: TextsToCompare): Comparison {
  const started = performance.now();
  const patch = structuredPatch("a", "b", left, right, "", "", { context, timeout: fileTimeMs });
  const hunks = patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
  return { hunks, ms: performance.now() - started };
}
