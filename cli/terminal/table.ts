/** Columns of text that fit the terminal. */
import { stripVTControlCharacters } from "node:util";
import { escapeLine } from "./escape-control.ts";

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Printable ASCII. For it the classes of Unicode are not needed, whose compilation takes two milliseconds. */
const simple = /^[ -~]*$/;

/** Number of terminal cells that a text occupies. */
export function displayWidth(text: string): number {
  if (simple.test(text)) return text.length;
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** The text as one line without control characters, so that untrusted names can't move the cursor. */
export function plainLine(text: string): string {
  if (simple.test(text)) return text.replace(/ {2,}/g, " ").trim();
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

/** Column widths that fit, by the column's index; a column without one is left out. */
function fitWidths(
  natural: readonly number[],
  columns: number,
  names: readonly number[],
): ReadonlyMap<number, number> {
  const shown = natural.map((_, i) => i);
  for (;;) {
    const { widths, over } = shrinkOthers(natural, shown, columns, names);
    const least = shown.findLast((i) => !names.includes(i));
    if (over <= 0) return widths;
    if (least === undefined) return shrinkNames(widths, over, names);
    shown.splice(shown.indexOf(least), 1);
  }
}

/** The last column shrinks first, then the widest one; those of names keep their width. `over`: what is missing. */
function shrinkOthers(
  natural: readonly number[],
  shown: readonly number[],
  columns: number,
  names: readonly number[],
): { widths: Map<number, number>; over: number } {
  const widths = new Map(shown.map((i) => [i, natural[i]!]));
  const last = shown.at(-1)!;
  const room = columns - 1 - 2 * (shown.length - 1);
  const over = () => [...widths.values()].reduce((sum, width) => sum + width, 0) - room;
  const excess = (i: number) => widths.get(i)! - (i === last ? narrowest.last : narrowest.others);
  if (!names.includes(last))
    widths.set(last, widths.get(last)! - Math.max(0, Math.min(over(), excess(last))));
  while (over() > 0) {
    const [widest] = shown
      .filter((i) => !names.includes(i) && excess(i) > 0)
      .toSorted((a, b) => widths.get(b)! - widths.get(a)!);
    if (widest === undefined) break;
    widths.set(widest, widths.get(widest)! - 1);
  }
  return { widths, over: over() };
}

function shrinkNames(
  widths: Map<number, number>,
  over: number,
  names: readonly number[],
): ReadonlyMap<number, number> {
  let rest = over;
  for (const i of names.toReversed()) {
    const by = Math.max(0, Math.min(rest, widths.get(i)! - narrowest.others));
    widths.set(i, widths.get(i)! - by);
    rest -= by;
  }
  return widths;
}

/**
 * Rows under bold headings, two spaces apart, cut to the terminal. `paintHead` styles a heading after measuring it.
 * `names`: the columns that precede the others, by default the first one: others are left out if names would be cut.
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: { columns: number; paintHead: (text: string) => string; names?: readonly number[] },
): string {
  const cells = rows.map((row) => row.map(plainLine));
  const widths = fitWidths(
    head.map((title, i) => Math.max(displayWidth(title), ...cells.map((row) => displayWidth(row[i] ?? "")))),
    options.columns,
    options.names ?? [0],
  );
  const line = (row: readonly string[], paint: (text: string) => string) =>
    row
      .flatMap((cell, i) => {
        const width = widths.get(i);
        if (width === undefined) return [];
        const fitted = fit(cell, width);
        return [paint(fitted) + " ".repeat(width - displayWidth(fitted))];
      })
      .join("  ")
      .trimEnd();
  return [line(head, options.paintHead), ...cells.map((row) => line(row, (text) => text))].join("\n");
}
