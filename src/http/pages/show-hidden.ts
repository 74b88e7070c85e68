/** Controls of direction, and characters without a glyph. Joiners stay where a script or an emoji needs them. */
const hidden =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\u200c(?!\p{L})|\u200d(?!\p{L}|\p{Extended_Pictographic})/gu;

/** The text with invisible characters and controls of direction as `<U+202E>`. */
export function showHidden(text: string): string {
  return text.replace(hidden, (found) => `<U+${found.codePointAt(0)!.toString(16).toUpperCase()}>`);
}
