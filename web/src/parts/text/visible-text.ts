import { codePointName, hiddenCharacters } from "../../../../contract/checks/unsafe-characters.ts";

/** The text with a mark in place of each hidden character: untrusted text must not differ from how it looks. */
export function visibleText(text: string): string {
  return text.replace(hiddenCharacters, (character) => `⟨${codePointName(character)}⟩`);
}
