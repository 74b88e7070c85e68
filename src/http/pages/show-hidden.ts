import { codePointName, hiddenCharacters } from "../../../contract/checks/unsafe-characters.ts";

/** The text with hidden and bidirectional control characters as `<U+202E>`. */
export function showHidden(text: string): string {
  return text.replace(hiddenCharacters, (character) => `<${codePointName(character)}>`);
}
