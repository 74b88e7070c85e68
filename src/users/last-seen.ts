/** The last use of accounts, by session or personal token. */
import type { App } from "../app.ts";

export async function lastSeenOf(app: App, userIds: string[]): Promise<Map<string, Date>> {
  if (userIds.length === 0) return new Map();
  const latest = new Map<string, Date>();
  for (const { _id, at } of await app.storage.overviews.listLastUses(userIds)) {
    const known = latest.get(_id);
    if (at && (!known || at > known)) latest.set(_id, at);
  }
  return latest;
}
