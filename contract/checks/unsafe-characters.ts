/**
 * Characters by which a text differs from how it looks, and what each use does with them.
 *
 * - Breaking characters: control characters, lone surrogates, and the separators of lines and paragraphs. They end a
 *   line or a header, move the cursor of a terminal, or can't be encoded.
 * - Bidirectional control characters: embeddings, overrides and isolates, which show other characters in another order.
 * - Direction marks: they have the direction of a letter, and right-to-left texts need them.
 * - Hidden characters: those without a glyph, and the tags and variation selectors that can carry a hidden text. A
 *   joiner belongs to the text within an emoji, and after a letter of a script that joins or separates letters by it.
 *
 * | use                                                  | breaking | bidirectional | marks    | hidden   |
 * | ---------------------------------------------------- | -------- | ------------- | -------- | -------- |
 * | values of headers, options and filters: `isOneLine`  | refused  | kept          | kept     | kept     |
 * | names and texts that people type, file paths:        |          |               |          |          |
 * | `oneLineText`, `plainTextOfLines`, `toOneLine`       | refused  | refused       | kept     | kept     |
 * | identifiers that are compared: `identifierText`      | refused  | refused       | refused  | refused  |
 * | one line for people elsewhere, such as subjects of   |          |               |          |          |
 * | mails and names of devices: `unprintable`            | removed  | removed       | removed  | removed  |
 * | text on pages, in terminals, for agents and in logs: |          |               |          |          |
 * | `hiddenCharacters`, without line breaks and tabs     | marked   | marked        | marked   | marked   |
 *
 * Values of headers may be secrets, which are never shown. Names keep marks and joiners, since pages and terminals mark
 * those that no script needs. For agents and in logs, hidden characters are removed or become a space instead.
 */

const breaking = String.raw`\p{Cc}\p{Surrogate}\u2028\u2029`;
const bidirectional = String.raw`\u202a-\u202e\u2066-\u2069`;
const hidden = String.raw`\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}`;
/** Joiners outside of an emoji, and not after a letter of a script that uses them. */
const strayJoiner =
  String.raw`(?<!\p{Extended_Pictographic}\ufe0f?[\u{1f3fb}-\u{1f3ff}]?|` +
  String.raw`(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}])[\p{L}\p{M}])[\u200c\u200d]`;

export const isOneLine = (value: string) => !new RegExp(`[${breaking}]`, "u").test(value);

export const oneLineText = new RegExp(`^[^${breaking}${bidirectional}]*$`, "u");

/** Plain text of several lines. */
export const plainTextOfLines = new RegExp(`^(?:[\\t\\n\\r]|[^${breaking}${bidirectional}])*$`, "u");

/** The text as one line, with a space in place of the characters that it can't have. */
export function toOneLine(text: string): string {
  return text.replaceAll(new RegExp(`[\\s${breaking}${bidirectional}]+`, "gu"), " ").trim();
}

/** Without any character of format, private use or none. */
export const identifierText = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;

/** Runs of characters that an `identifierText` can't have. */
export const unprintable = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** Each character that readers do not see, or that shows them others in another order; not line breaks and tabs. */
export const hiddenCharacters = new RegExp(
  `(?![\\t\\n\\r])[${breaking}${bidirectional}${hidden}]|${strayJoiner}`,
  "gu",
);

/** Notation of a character, as in U+202E. */
export const codePointName = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
