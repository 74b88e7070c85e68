/**
 * Looks at the branches of connections every few minutes, for pushes whose webhook was lost, and takes up what no job
 * knows of: syncs that are due, and connections whose end was stopped half way.
 */
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { RepoError } from "../../../repos/errors.ts";
import type { BranchHead } from "../../../repos/hosts/host.ts";
import type { ConnectionDoc } from "../../../storage/connections.ts";
import type { App } from "../../app.ts";
import { queueSync, requestSync } from "../../queue/request-sync.ts";
import { checkConnectingMember } from "../connection/connecting-member.ts";
import { endConnection } from "../connection/disconnect.ts";
import { visitHost } from "../connection/host-access.ts";
import { ensureWebhook, isWebhookDue } from "../connection/ensure-webhook.ts";
import { blockedBy, isConnectionEnded } from "../connection/host-errors.ts";

const pollMs = 5 * 60_000;
const longestPollMs = 3_600_000;
const atOnce = 8;
const slice = 100;
/** Interval at which a blocked connection is checked again: no event reports that its problem was solved. */
const blockedMs = 3_600_000;

/** One round over all connections whose time has come. */
export async function pollConnections(app: App): Promise<void> {
  for (const connection of await app.storage.connections.listDue(app.now(), slice))
    queueSync(app, connection._id);
  for (const connection of await app.storage.connections.listDisconnecting(slice))
    await attempt(app, connection, () => endConnection(app, connection, 0));
  for (;;) {
    const due = await app.storage.connections.listToPoll(app.now(), slice);
    await mapLimit(due, atOnce, (connection) => attempt(app, connection, () => pollBranch(app, connection)));
    if (due.length < slice) return;
  }
}

/** Asks for the branch's head, and for a sync where it is not where the last one left it. */
async function pollBranch(app: App, connection: ConnectionDoc): Promise<void> {
  const { _id: id, branch, headOid, headEtag, lastRemoteOid } = connection;
  const { connections } = app.storage;
  const inMs = (ms: number) => new Date(app.now().getTime() + ms * (0.9 + Math.random() / 5));
  // Before it is asked: whatever happens, it is not asked again at once.
  await connections.markPolled(id, { pollAt: inMs(pollMs) });
  try {
    const isBlocked = connection.status === "blocked";
    // An etag says that the branch is where it was then, which since may not be where the last sync left it.
    const etag = headOid === lastRemoteOid && !isBlocked ? headEtag : undefined;
    const mayImport = await checkConnectingMember(app, connection);
    const isReported = connection.problem?.code === "connector_gone";
    if (mayImport ? isReported : connection.status === "active") await requestSync(app, { id });
    const head = await visitHost(app, connection, async (host) => {
      if (isWebhookDue(app, connection)) await ensureWebhook(app, connection, host);
      return host.head(branch, etag);
    });
    if (head === "unchanged") return;
    if (isNews(connection, head) || (isBlocked && isOld(app, connection))) await requestSync(app, { id });
    // After the request: a stop in between asks once more, and never less.
    if (head) await connections.markPolled(id, { pollAt: inMs(pollMs), head });
  } catch (error) {
    if (isConnectionEnded(error)) return;
    const told = error instanceof RepoError ? error : blockedBy(error);
    if (told === undefined) throw error;
    const isLasting = !(told instanceof RepoError && told.retryable);
    // The sync comes to the same, and tells it at the connection.
    if (isLasting && connection.status === "active") await requestSync(app, { id });
    const askedMs = told instanceof RepoError ? (told.retryAfterMs ?? 0) : 0;
    const waitMs = isLasting ? longestPollMs : Math.min(Math.max(askedMs, pollMs), longestPollMs);
    await connections.markPolled(id, { pollAt: inMs(waitMs) });
    app.log.info({ connection: id, code: told.code }, "a branch could not be looked at");
  }
}

/** Whether the branch is not where the last sync left it. What is in trouble is told once of each head, not to wait less. */
function isNews({ status, headOid, lastRemoteOid }: ConnectionDoc, head: BranchHead | undefined): boolean {
  if (head?.oid === lastRemoteOid) return false;
  return status === "active" || (head !== undefined && head.oid !== headOid);
}

function isOld(app: App, { problem }: ConnectionDoc): boolean {
  return problem === undefined || app.now().getTime() - problem.at.getTime() >= blockedMs;
}

/** One connection in trouble must not keep the others from their turn. */
async function attempt(app: App, { _id }: ConnectionDoc, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    app.log.error({ error, connection: _id }, "a connection could not be looked after");
  }
}
