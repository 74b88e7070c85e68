/**
 * CSV as RFC 4180 has it, safe to be opened in a spreadsheet: every cell is quoted, and one that a spreadsheet would
 * take for a formula begins with an apostrophe. That also holds behind spaces and in the full-width forms of the signs.
 */
const formula = /^[\s\p{Cc}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^\p{Cc}/u;

/** One record with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
