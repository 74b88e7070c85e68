/**
 * Texts on one line, which read as they are written: without line breaks, other controls, and the controls of direction
 * that show characters in another order. Marks of a single direction stay, since right-to-left texts need them.
 */
export const oneLineText = /^[^\p{Cc}\p{Surrogate}\u2028\u2029\u202A-\u202E\u2066-\u2069]*$/u;

/** The same for texts of several lines. */
export const plainTextOfLines =
  /^(?:[\t\n\r]|[^\p{Cc}\p{Surrogate}\u2028\u2029\u202A-\u202E\u2066-\u2069])*$/u;

/** The text as one line, with a space in place of the characters that it can't have. */
export function toOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Surrogate}\u202A-\u202E\u2066-\u2069]+/gu, " ").trim();
}
