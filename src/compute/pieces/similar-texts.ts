/** Pairs of texts that have lines in common, by which a removed and an added file are one that was renamed. */

/** Percentage from which a file counts as renamed, as in Git. */
const minSimilarity = 50;

export interface SimilarPair {
  /** Index in the list. */
  from: number;
  to: number;
  /** Percentage of equal lines. */
  similarity: number;
}

/** The most similar pairs first. Undefined entries are similar to nothing. */
export function similarTexts({
  removed,
  added,
}: {
  removed: readonly (string | undefined)[];
  added: readonly (string | undefined)[];
}): SimilarPair[] {
  const [old, fresh] = [removed.map(countLines), added.map(countLines)];
  return old
    .flatMap((left, from) =>
      fresh.map((right, to) => ({ from, to, similarity: left && right ? similarityOf(left, right) : 0 })),
    )
    .filter(({ similarity }) => similarity >= minSimilarity)
    .toSorted((a, b) => b.similarity - a.similarity);
}

interface LineCounts {
  counts: ReadonlyMap<string, number>;
  total: number;
}

/** How often each line occurs. */
function countLines(text: string | undefined): LineCounts | undefined {
  if (text === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  return { counts, total: [...counts].reduce((sum, [line, count]) => sum + weight(line, count), 0) };
}

const weight = (line: string, count: number) => (line.length + 1) * count;

function similarityOf(left: LineCounts, right: LineCounts): number {
  const larger = Math.max(left.total, right.total);
  if (Math.min(left.total, right.total) * 100 < larger * minSimilarity) return 0;
  let common = 0;
  for (const [line, count] of left.counts)
    common += weight(line, Math.min(count, right.counts.get(line) ?? 0));
  // Below 100, which is for equal files.
  return Math.min(99, Math.floor((100 * common) / larger));
}
