/** Rows of a comparison with the old text on the left and the new one on the right. */
export interface SplitRow {
  kind: "same" | "changed";
  /** Line numbers, also of the side that has no line here: of the line before it. */
  oldLine: number;
  newLine: number;
  old?: string;
  now?: string;
}

interface Hunk {
  oldStart: number;
  newStart: number;
  lines: string[];
}

/** Pairs the removed lines of each change with its added ones, in their order. */
export function splitRows(hunks: readonly Hunk[]): SplitRow[] {
  const rows: SplitRow[] = [];
  for (const { oldStart, newStart, lines } of hunks) {
    let [oldLine, newLine] = [oldStart - 1, newStart - 1];
    let [removed, added]: [string[], string[]] = [[], []];
    const flush = () => {
      for (let at = 0; at < Math.max(removed.length, added.length); at++) {
        const [old, now] = [removed[at], added[at]];
        if (old !== undefined) oldLine++;
        if (now !== undefined) newLine++;
        rows.push({
          kind: "changed",
          oldLine,
          newLine,
          old,
          now,
        });
      }
      [removed, added] = [[], []];
    };
    for (const line of lines) {
      const [sign, text] = [line[0], line.slice(1)];
      if (sign === "-") removed.push(text);
      else if (sign === "+") added.push(text);
      else if (sign === " ") {
        flush();
        rows.push({ kind: "same", oldLine: ++oldLine, newLine: ++newLine, old: text, now: text });
      }
    }
    flush();
  }
  return rows;
}
