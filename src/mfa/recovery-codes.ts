/**
 * Recovery codes: for a person who has lost the other factors. They are stored as keyed hashes, since their 50 bits
 * could be found by trying if the database alone were copied.
 */
import { randomInt } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { App } from "../app.ts";

/** Base32 (RFC 4648), which has no 0, 1, 8 and 9. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const length = 10;
const purpose = "recovery code";

const textOf = (userId: string, code: string) => `${userId}\n${code}`;

/** New codes, as they are shown once, and what is stored. */
export function newRecoveryCodes(app: App, userId: string): { codes: string[]; hashes: string[] } {
  const plain = new Set<string>();
  while (plain.size < limits.recoveryCodes)
    plain.add(Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join(""));
  const codes = [...plain];
  return {
    codes: codes.map((code) => `${code.slice(0, length / 2)}-${code.slice(length / 2)}`),
    hashes: codes.map((code) => app.secrets.sign(purpose, textOf(userId, code))),
  };
}

/** The stored hash of a typed code; undefined if none of the account's codes is this one. */
export function hashOfCode(
  app: App,
  userId: string,
  stored: readonly string[],
  typed: string,
): string | undefined {
  const code = typed.toUpperCase().replace(/[\s\p{Pd}]/gu, "");
  if (code.length !== length || !Array.from(code).every((letter) => alphabet.includes(letter)))
    return undefined;
  const text = textOf(userId, code);
  // All are compared, so that the time does not report which one it is.
  return stored.filter((hash) => app.secrets.verifySignature(purpose, text, hash))[0];
}
