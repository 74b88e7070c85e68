/** Escapes characters of untrusted text that could move the cursor, or that are not seen or in another order. */
import { codePointName, hiddenCharacters } from "../../contract/checks/unsafe-characters.ts";

const escaped = new RegExp(`[\\n\\r]|${hiddenCharacters.source}`, "gu");

/** One line with its control characters escaped as `^[` or `<U+202E>`, except tabs. */
export function escapeLine(line: string): string {
  return line.replace(escaped, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    return code === 0x7f ? "^?" : `<${codePointName(character)}>`;
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
