/**
 * Recovery codes: for a person who has lost the other factors. They are stored as keyed hashes, since their 50 bits
 * could be found by trying if the database alone were copied.
 */
import { randomInt } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { Factors } from "../../storage/users/factor-document.ts";
import type { UserDoc } from "../../storage/users/users.ts";
import type { App } from "../app.ts";
import { equalSecrets, signatureBy } from "../secrets.ts";

/** Base32 (RFC 4648), which has no 0, 1, 8 and 9. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const length = 10;
const purpose = "recovery code";

const textOf = (userId: string, code: string) => `${userId}\n${code}`;

/** Fields of an account's recovery codes. */
export const recoveryFields = ["recovery", "recoveryKeys", "recoveryAt"] as const;
type RecoveryFields = Required<Pick<Factors, (typeof recoveryFields)[number]>>;

const recoveryRecord = (userId: string) => `recovery:${userId}`;

/** The keys of the hashes, encrypted: a hash can't be renewed without its code, so they outlast the key ring. */
const sealKeys = (app: Pick<App, "secrets">, userId: string) =>
  app.secrets.seal(JSON.stringify(app.secrets.signingKeys(purpose)), recoveryRecord(userId));

/** New codes, as they are shown once, and what is stored. */
export function newRecoveryCodes(
  app: Pick<App, "secrets" | "now">,
  userId: string,
): { codes: string[]; fields: RecoveryFields } {
  const plain = new Set<string>();
  while (plain.size < limits.recoveryCodes)
    plain.add(Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join(""));
  const codes = [...plain];
  return {
    codes: codes.map((code) => `${code.slice(0, length / 2)}-${code.slice(length / 2)}`),
    fields: {
      recovery: codes.map((code) => app.secrets.sign(purpose, textOf(userId, code))),
      recoveryKeys: sealKeys(app, userId),
      recoveryAt: app.now(),
    },
  };
}

/** The stored hash of a typed code; undefined if none of the account's codes is this one. */
export function hashOfCode(
  app: Pick<App, "secrets">,
  { _id: userId, factors = {} }: Pick<UserDoc, "_id" | "factors">,
  typed: string,
): string | undefined {
  const code = typed.toUpperCase().replace(/[\s\p{Pd}]/gu, "");
  if (code.length !== length || !Array.from(code).every((letter) => alphabet.includes(letter)))
    return undefined;
  const text = textOf(userId, code);
  // All are compared, so that the time does not report which one it is.
  const { recovery = [], recoveryKeys } = factors;
  const keys =
    recoveryKeys === undefined
      ? app.secrets.signingKeys(purpose)
      : (JSON.parse(app.secrets.open(recoveryKeys, recoveryRecord(userId))) as string[]);
  const right = keys.map((key) => signatureBy(key, text));
  return recovery.filter((hash) => right.filter((one) => equalSecrets(one, hash)).length > 0)[0];
}

/** Stores the keys of codes that earlier versions of the service have made. */
export async function bindRecoveryCodes(app: Pick<App, "secrets" | "storage">): Promise<void> {
  for await (const { _id } of app.storage.users.eachWithoutRecoveryKeys())
    await app.storage.users.setRecoveryKeys(_id, sealKeys(app, _id));
}
