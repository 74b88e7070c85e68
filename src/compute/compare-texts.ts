/** Comparison of two texts, in a thread unless it takes little time. */
import type { CallerCompute } from "./compute.ts";
import { diffLines, type Comparison, type TextsToCompare } from "./pieces/line-diff.ts";

/** Texts of so few lines are compared within a millisecond. */
const cheapLines = 300;
const cheapLength = 64 * 1024;

/** Throws as `run`. */
export async function compareTexts(compute: CallerCompute, texts: TextsToCompare): Promise<Comparison> {
  return isCheap(texts) ? diffLines(texts) : compute.run("compare", texts);
}

function isCheap({ left, right }: TextsToCompare): boolean {
  if (left.length + right.length > cheapLength) return false;
  return countLines(left) + countLines(right) <= cheapLines;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
