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
