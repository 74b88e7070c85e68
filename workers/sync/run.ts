/** Syncs a connection with its repository. All trouble is told at the connection, and tried again from there. */
import type { App } from "../../src/app.ts";
import { runSync } from "../../src/sync/engine.ts";
import { openHost } from "../../src/sync/open-host.ts";

export async function runConnection(app: App, connectionId: string): Promise<void> {
  await runSync(app, connectionId, {
    mirrors: app.mirrors,
    hostOf: (connection) => openHost(app, connection),
  });
}
