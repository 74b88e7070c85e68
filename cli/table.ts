/** Columns of text that fit the terminal. */
import { stripVTControlCharacters } from "node:util";
import { escapeLine } from "./escape-control.ts";

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Number of terminal cells that a text occupies. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** The text as one line without control characters, so that untrusted names can't move the cursor. */
export function plainLine(text: string): string {
  return escapeLine(
    stripVTControlCharacters(text)
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim(),
  );
}

/** The text cut to a number of cells, with an ellipsis. */
export function fit(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const character of text) {
    const next = displayWidth(character);
    if (used + next > width - 1) break;
    kept += character;
    used += next;
  }
  return `${kept}…`;
}

/** Minimum width of a useful column. */
const narrowest = { last: 12, others: 8 };

/** Column widths that fit: the last column shrinks first, then the widest one. */
function fitWidths(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  const last = widths.length - 1;
  const floor = (i: number) => Math.min(natural[i]!, i === last ? narrowest.last : narrowest.others);
  let over = widths.reduce((sum, width) => sum + width, 2 * last) - (columns - 1);
  if (over > 0) {
    const given = Math.min(over, widths[last]! - floor(last));
    widths[last]! -= given;
    over -= given;
  }
  for (; over > 0; over--) {
    let widest = -1;
    for (let i = 0; i < last; i++)
      if (widths[i]! > floor(i) && (widest === -1 || widths[i]! > widths[widest]!)) widest = i;
    if (widest === -1) break;
    widths[widest]!--;
  }
  return widths;
}

/** Rows under bold headings, two spaces apart, cut to the terminal. `paintHead` styles a heading after measuring it. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: { columns: number; paintHead: (text: string) => string },
): string {
  const cells = rows.map((row) => row.map(plainLine));
  const widths = fitWidths(
    head.map((title, i) => Math.max(displayWidth(title), ...cells.map((row) => displayWidth(row[i] ?? "")))),
    options.columns,
  );
  const line = (row: readonly string[], paint: (text: string) => string) =>
    row
      .map((cell, i) => {
        const fitted = fit(cell, widths[i]!);
        return paint(fitted) + " ".repeat(widths[i]! - displayWidth(fitted));
      })
      .join("  ")
      .trimEnd();
  return [line(head, options.paintHead), ...cells.map((row) => line(row, (text) => text))].join("\n");
}
