/**
 * Characters that are invisible or change the order of others: controls, bidirectional marks, zero-width characters,
 * and the tags and variation selectors that can carry hidden text. A joiner between emoji is part of them.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /(?<!\p{Extended_Pictographic}\ufe0f?[\u{1f3fb}-\u{1f3ff}]?)\u200d|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** The text with a mark in place of each hidden character: untrusted text must not differ from how it looks. */
export function visibleText(text: string): string {
  return text.replace(
    hidden,
    (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
