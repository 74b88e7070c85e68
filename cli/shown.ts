/** Text from elsewhere as a terminal may be given it: nothing in it moves the cursor, or turns the direction around. */

// oxlint-disable-next-line no-control-regex -- control characters are what this replaces
const active = /[\0-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** One line with its control characters spelled out, as `^[` or `<U+202E>`; a tab stays. */
export function shownLine(line: string): string {
  return line.replace(active, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    return code === 0x7f ? "^?" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** The styles that `output.ts` paints with; whatever else begins as one is no style of ours. */
// oxlint-disable-next-line no-control-regex -- the styles begin with one
const lineOrStyle = /(\n|\u001B\[(?:1|2|4|22|24|31|32|33|36|39)m)/;

/** A whole answer: its lines stay and, where the stream shows any, our styles; everything else is spelled out. */
export function shownText(text: string, hasStyles: boolean): string {
  return text
    .split(lineOrStyle)
    .map((part, i) => (i % 2 === 1 && (hasStyles || part === "\n") ? part : shownLine(part)))
    .join("");
}
