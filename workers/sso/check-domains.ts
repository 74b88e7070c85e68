/** Looks up the TXT records of verified domains that are due. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { App } from "../../src/app.ts";
import { recheckDomain } from "../../src/sso/domains/recheck.ts";

/** Look-ups at a time: most of their duration is waiting. */
const concurrent = 8;
const batch = 200;

export async function checkDomains(app: App): Promise<void> {
  const seen = new Set<string>();
  for (;;) {
    const due = await app.storage.ssoDomains.listDue(app.now(), batch);
    // A domain whose check failed to be recorded stays due, and must not block the others.
    const next = due.filter(({ _id }) => !seen.has(_id));
    if (next.length === 0) return;
    for (const { _id } of next) seen.add(_id);
    await mapLimit(next, concurrent, async (claim) => {
      try {
        await recheckDomain(app, claim);
      } catch (error) {
        app.log.error({ error, id: claim._id }, "a domain could not be checked");
      }
    });
  }
}
