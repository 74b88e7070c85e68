/** Comparison of two texts, line by line. */
import { structuredPatch } from "diff";
import { isScript } from "../../../contract/checks/script-effects.ts";
import type { FileDiffPayload } from "../../../contract/payloads/skills/skills.ts";

/** Time limit for one file. Hostile input is slow to compare and is reported as `truncated` instead. */
const fileTimeMs = 500;

export interface TextsToCompare {
  /** Markdown has headings above its changes, and a script declarations. */
  path: string;
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

export function diffLines({ path, left, right, context }: TextsToCompare): Comparison {
  const started = performance.now();
  const patch = structuredPatch("a", "b", left, right, "", "", { context, timeout: fileTimeMs });
  const sectionBefore = sectionsOf(path, left);
  const hunks = patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    section: sectionBefore(oldStart),
    lines,
  }));
  return { hunks, ms: performance.now() - started };
}

const fence = /^ {0,3}(```|~~~)/;
const heading = /^ {0,3}#{1,6}[ \t]/;
const declaration = /^[A-Za-z_$]/;
const maxSectionLength = 80;

/**
 * The heading or declaration that is nearest above a line, as Git shows it in a hunk's header (gitattributes,
 * "Defining a custom hunk-header"). Asked for lines in ascending order.
 */
function sectionsOf(path: string, text: string): (line: number) => string | undefined {
  const isMarkdown = /\.mdc?$/i.test(path);
  const lines = text.split("\n");
  const isCode = isScript(path, lines[0]);
  let at = 0;
  let isFenced = false;
  let section: string | undefined;
  return (before) => {
    for (; at < before - 1; at++) {
      const line = lines[at] ?? "";
      if (isMarkdown && fence.test(line)) isFenced = !isFenced;
      if (isMarkdown ? !isFenced && heading.test(line) : isCode && declaration.test(line))
        section = line.slice(0, maxSectionLength).trim();
    }
    return section;
  };
}
