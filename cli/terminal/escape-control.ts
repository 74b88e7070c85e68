/** Escapes control characters of untrusted text, which could move the cursor or change the direction of writing. */

// oxlint-disable-next-line no-control-regex -- control characters are what this replaces
const active = /[\0-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** One line with its control characters escaped as `^[` or `<U+202E>`, except tabs. */
export function escapeLine(line: string): string {
  return line.replace(active, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    return code === 0x7f ? "^?" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** The styles that `output.ts` uses; other escape sequences are escaped. */
// oxlint-disable-next-line no-control-regex -- the styles begin with one
const lineOrStyle = /(\n|\u001B\[(?:1|2|4|22|24|31|32|33|36|39)m)/;

/** A text of several lines. Line feeds stay and, if the stream shows styles, so do svc's own. */
export function escapeText(text: string, hasStyles: boolean): string {
  return text
    .split(lineOrStyle)
    .map((part, i) => (i % 2 === 1 && (hasStyles || part === "\n") ? part : escapeLine(part)))
    .join("");
}
