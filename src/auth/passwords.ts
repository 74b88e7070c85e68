/** Password hashing: argon2id with the parameters of the safety baseline. */
import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { keepSuccess } from "../../contract/concurrency/keep-success.ts";
import { ServiceError } from "../errors.ts";

/** The cost of a guess: KiB of memory, passes over it, and threads. */
export interface PasswordCost {
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

const baseline: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing uses the threads that also read files: most of them stay free, and memory is bounded. */
const hashConcurrency = 2;
const hashesWaiting = 200;

/** Normalizes a password, so that it matches when it is typed on another system (RFC 8265, section 4.2). */
const prepared = (password: string) => password.normalize("NFC");

export interface Passwords {
  /** Throws `unavailable` if too many wait for their turn, as `verify` does. */
  hash(password: string): Promise<string>;
  /**
   * Whether a password is the one that was hashed. Without a hash, since the account does not exist or has no password
   * (an empty one), the same work is done with a decoy, and the result is false: the time must not report which
   * accounts exist.
   */
  verify(stored: string | undefined, password: string): Promise<boolean>;
}

/** @param cost of new hashes; a stored one names its own. Lower only for tests, most of which sign up accounts. */
export function openPasswords(cost: PasswordCost = baseline): Passwords {
  const inTurn = openTurns();
  const decoy = keepSuccess(() => hash(randomBytes(18), cost));
  return {
    hash: (password) => inTurn(() => hash(prepared(password), cost)),
    async verify(stored, password) {
      const other = await decoy();
      const matches = await inTurn(() => verify(stored || other, prepared(password)));
      return matches && Boolean(stored);
    },
  };
}

function openTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= hashConcurrency) {
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
  };
}
