import type { App } from "../app.ts";
import { publishEvents } from "../audit/events.ts";

const batch = 100;

/**
 * Removes all OAuth grants of a deleted account. This only frees storage: their tokens are invalid since the account
 * was marked as deleted. Pending audit events are published first. Idempotent.
 */
export async function removeGrantsOfUser(app: App, userId: string): Promise<void> {
  const { oauthGrants: grants } = app.storage;
  do {
    for (const grant of await grants.listUnflushedOfUser(userId, batch))
      await publishEvents(app, grants, grant._id, grant.outbox ?? []);
  } while ((await grants.removePublishedOfUser(userId)) > 0);
}
