/** Reads due metadata of identity providers again, and warns of certificates and metadata that expire. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { App } from "../../src/app.ts";
import {
  firstWarningMs,
  metadataEveryMs,
  refreshMetadata,
  warnOfExpiry,
} from "../../src/sso/providers/watch.ts";

type Provider = Parameters<typeof refreshMetadata>[1];

/** Requests at a time: most of their duration is waiting. */
const concurrent = 8;
const batch = 200;

export async function checkProviders(app: App): Promise<void> {
  const { ssoProviders } = app.storage;
  const now = app.now();
  const readBefore = new Date(now.getTime() - metadataEveryMs);
  await forEach(app, (after) => ssoProviders.listMetadataDue(readBefore, after, batch), refreshMetadata);
  const expiresBefore = new Date(now.getTime() + firstWarningMs);
  const listExpiring = (after: string) => ssoProviders.listExpiring(now, expiresBefore, after, batch);
  await forEach(app, listExpiring, warnOfExpiry);
}

/** One provider whose check fails must not keep the others from theirs. */
async function forEach(
  app: App,
  list: (after: string) => Promise<Provider[]>,
  check: (app: App, provider: Provider) => Promise<void>,
): Promise<void> {
  for (let after = ""; ;) {
    const next = await list(after);
    const last = next.at(-1);
    if (!last) return;
    after = last._id;
    await mapLimit(next, concurrent, async (provider) => {
      try {
        await check(app, provider);
      } catch (error) {
        app.log.error({ error, id: provider._id }, "an identity provider could not be checked");
      }
    });
  }
}
