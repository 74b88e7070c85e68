/**
 * Removes what belongs to no connection any more: the mirror of a plan whose process was killed, and mirrors and rows that
 * somebody wrote who had not noticed yet that the connection was ended.
 */
import type { App } from "../../src/app.ts";

/** A plan under way has a mirror and no connection; after a day it is none. */
const orphanAfterMs = 24 * 3_600_000;

export async function sweepConnections(app: App): Promise<void> {
  const { syncBases, syncConflicts, syncProposals, syncProposed, syncRuns } = app.storage;
  let mirrors = 0;
  let rows = 0;
  for await (const id of app.mirrors.list()) {
    if (!(await isOrphan(app, id.connectionId))) continue;
    await app.mirrors.open(id).drop();
    mirrors++;
  }
  for (const collection of [syncBases, syncConflicts, syncProposals, syncProposed, syncRuns])
    for await (const id of collection.connectionIds()) {
      if (!(await isOrphan(app, id))) continue;
      for (let removed = -1; removed !== 0; rows += removed)
        removed = await collection.removeOfConnection(id);
    }
  if (mirrors + rows > 0) app.log.info({ mirrors, rows }, "removed what was left of connections");
}

/** An id begins with the second it was made. */
async function isOrphan(app: App, connectionId: string): Promise<boolean> {
  const madeAt = Number.parseInt(connectionId.slice(0, 8), 16) * 1000;
  return (
    app.now().getTime() - madeAt > orphanAfterMs &&
    (await app.storage.connections.find(connectionId)) === null
  );
}
