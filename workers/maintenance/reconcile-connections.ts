/**
 * Removes mirrors and rows without a connection: the mirror of a plan whose process was killed, and those written by a
 * sync that had not yet noticed that its connection was ended. The history and the conflicts stay; interrupted runs are
 * closed.
 */
import type { App } from "../../src/app.ts";

/** A plan in progress has a mirror and no connection; no plan takes a day. */
const orphanAfterMs = 24 * 3_600_000;

export async function reconcileConnections(app: App): Promise<void> {
  const { syncBases, syncProposals, syncProposed, syncRuns } = app.storage;
  let mirrors = 0;
  let rows = 0;
  for await (const id of app.mirrors.list()) {
    if (!(await isOrphan(app, id.connectionId))) continue;
    await app.mirrors.open(id).drop();
    mirrors++;
  }
  for (const collection of [syncBases, syncProposals, syncProposed])
    for await (const id of collection.connectionIds()) {
      if (!(await isOrphan(app, id))) continue;
      for (let removed = -1; removed !== 0; rows += removed)
        removed = await collection.removeOfConnection(id);
    }
  for await (const id of syncRuns.connectionIds())
    if (await isOrphan(app, id)) await syncRuns.closeInterrupted(id, undefined, app.now());
  if (mirrors + rows > 0) app.log.info({ mirrors, rows }, "removed data of ended connections");
}

/** An id begins with its creation time in seconds. */
async function isOrphan(app: App, connectionId: string): Promise<boolean> {
  const madeAt = Number.parseInt(connectionId.slice(0, 8), 16) * 1000;
  return (
    app.now().getTime() - madeAt > orphanAfterMs &&
    (await app.storage.connections.find(connectionId)) === null
  );
}
