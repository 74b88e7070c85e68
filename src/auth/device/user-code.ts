/** The code that a person compares and types (RFC 8628, section 6.1): consonants only, so that it spells no word. */
import { randomInt } from "node:crypto";

const alphabet = "BCDFGHJKLMNPQRSTVWXZ";
const length = 8;

export function newUserCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** Form in which it is shown: `WDJB-MJHT`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

/** A typed code without case, dashes and spaces; undefined when it can't be one. */
export function readUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[\s\p{Pd}]/gu, "");
  return code.length === length && Array.from(code).every((letter) => alphabet.includes(letter))
    ? code
    : undefined;
}
