/** Password hashing: argon2id with the parameters of the safety baseline. */
import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { ServiceError } from "../errors.ts";

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing uses the threads that also read files: most of them stay free, and memory is bounded. */
const hashesAtOnce = 2;
const hashesWaiting = 200;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= hashesAtOnce) {
    if (waiting.length >= hashesWaiting) {
      throw new ServiceError("unavailable", "Too many concurrent sign-ins: try again in a moment.");
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    // The slot is handed over, so that a later call can't take it first.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** Normalizes a password, so that it matches when it is typed on another system (RFC 8265, section 4.2). */
const prepared = (password: string) => password.normalize("NFC");

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(prepared(password), parameters));
}

let decoy: Promise<string> | undefined;

/**
 * Whether a password is the one that was hashed. Without a hash, since the account does not exist or has no password
 * (an empty one), the same work is done with a decoy, and the result is false: the time must not report which accounts
 * exist.
 */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hash(randomBytes(18), parameters);
  const other = await decoy;
  const matches = await inTurn(() => verify(stored || other, prepared(password)));
  return matches && Boolean(stored);
}
