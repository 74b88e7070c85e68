/** Syncs a connection with its repository. All trouble is told at the connection, and tried again from there. */
import type { App } from "../../src/app.ts";
import { runSync } from "../../src/sync/run/run-sync.ts";
import { requestSyncAfterLease } from "../../src/sync/run/abandoned-lease.ts";
import { openHost } from "../../src/sync/connection/open-host.ts";

/** `holder`: the name to hold the lease by; one of its own by default. */
export async function runConnection(app: App, connectionId: string, holder?: string): Promise<void> {
  const end = await runSync(app, connectionId, {
    mirrors: app.mirrors,
    hostOf: (connection, guard) => openHost(app, connection, guard),
    ...(holder === undefined ? {} : { holder }),
  });
  if (end === "busy") await requestSyncAfterLease(app, connectionId);
}
