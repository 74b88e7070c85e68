/** Syncs a connection with its repository. All trouble is told at the connection, and tried again from there. */
import type { App } from "../../src/app.ts";
import { runSync } from "../../src/sync/engine.ts";
import { askAfterLease } from "../../src/sync/left-lease.ts";
import { openHost } from "../../src/sync/open-host.ts";

/** `holder`: the name to hold the lease by; one of its own by default. */
export async function runConnection(app: App, connectionId: string, holder?: string): Promise<void> {
  const end = await runSync(app, connectionId, {
    mirrors: app.mirrors,
    hostOf: (connection) => openHost(app, connection),
    ...(holder === undefined ? {} : { holder }),
  });
  if (end === "busy") await askAfterLease(app, connectionId);
}
