/** The names of a person that lists of members repeat. */
import type { Account } from "../../storage/users/users.ts";
import type { App } from "../app.ts";
import { foldName } from "./schema.ts";

/** Number of words of a name at which a search by prefix can start. */
const namedWords = 8;

/** The user name, and what a search by prefix finds a person by. */
export function memberNames(user: { username: string; name: string }): {
  username: string;
  nameKeys: string[];
} {
  const words = foldName(user.name).trim().split(/\s+/u).slice(0, namedWords);
  const fromEachWord = words.map((_, index) => words.slice(index).join(" "));
  return { username: user.username, nameKeys: [...new Set([foldName(user.username), ...fromEachWord])] };
}

/** Copies a user's names to their memberships. The reconcile job repeats it after a crash. */
export async function propagateUser(app: App, user: Account): Promise<void> {
  let written: Account;
  let now: Account | null = user;
  do {
    written = now;
    await app.storage.memberships.propagateUser(written._id, memberNames(written));
    now = await app.storage.users.find(written._id);
    // The slower of two at once may have written names that are over.
  } while (now && (now.username !== written.username || now.name !== written.name));
}
