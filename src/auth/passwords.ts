/** Password hashing: argon2id with the parameters of the safety baseline. */
import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { ServiceError } from "../errors.ts";

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing runs on the threads that files are read by too: most of them stay free, and memory is bounded. */
const hashesAtOnce = 2;
const hashesWaiting = 200;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= hashesAtOnce) {
    if (waiting.length >= hashesWaiting) {
      throw new ServiceError("unavailable", "Too many sign-ins at once: try again in a moment.");
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    // The place is handed over, so that nobody who comes later takes it first.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** The same characters typed on another system are the same password (RFC 8265, section 4.2). */
const prepared = (password: string) => password.normalize("NFC");

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(prepared(password), parameters));
}

let decoy: Promise<string> | undefined;

/**
 * Whether a password is the one that was hashed. Without a hash, since there is no such account, the same work is
 * done against a decoy and the answer is no.
 */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hash(randomBytes(18), parameters);
  const other = await decoy;
  const matches = await inTurn(() => verify(stored ?? other, prepared(password)));
  return matches && stored !== undefined;
}
