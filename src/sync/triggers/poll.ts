/**
 * Polls the branches of connections every few minutes, for pushes whose webhook delivery was lost, and queues work
 * whose job was lost: due syncs, and connections whose end was interrupted.
 */
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { RepoError } from "../../../repos/errors.ts";
import type { BranchHead } from "../../../repos/hosts/host.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { App } from "../../app.ts";
import { queueSync, requestSync } from "../../queue/request-sync.ts";
import { checkConnectingMember } from "../connection/connecting-member.ts";
import { endConnection } from "../connection/disconnect.ts";
import { ensureWebhook, isWebhookDue } from "../connection/ensure-webhook.ts";
import { visitHost } from "../connection/host-access.ts";
import { blockedBy, isConnectionEnded } from "../connection/host-errors.ts";

const pollMs = 5 * 60_000;
const longestPollMs = 3_600_000;
const atOnce = 8;
const slice = 100;
/** Interval at which a blocked connection is checked again: no event reports that its problem was solved. */
const blockedMs = 3_600_000;

/** Polls all connections that are due. */
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

/**
 * Reads the head of the branch, and requests a sync if it is not the one that the last sync left. Nothing of an
 * organization that is being deleted is read: it may be restored, so its connection stays due.
 */
async function pollBranch(app: App, connection: ConnectionDoc): Promise<void> {
  const { _id: id, branch, headOid, headEtag, lastRemoteOid } = connection;
  const { connections } = app.storage;
  const inMs = (ms: number) => new Date(app.now().getTime() + ms * (0.9 + Math.random() / 5));
  // Before the request, so that a failure never causes an immediate second one.
  await connections.markPolled(id, { pollAt: inMs(pollMs) });
  const tenant = await app.storage.tenants.find(connection.tenantId);
  if (!tenant || tenant.deletionAt) return;
  const cause = { cause: { kind: "poll" } } as const;
  try {
    const isBlocked = connection.status === "blocked";
    // The ETag stands for the head at that time, which is useful only if the last sync left that head.
    const etag = headOid === lastRemoteOid && !isBlocked ? headEtag : undefined;
    const mayImport = await checkConnectingMember(app, connection);
    const isReported = connection.problem?.code === "connector_gone";
    if (mayImport ? isReported : connection.status === "active") await requestSync(app, { id }, cause);
    const head = await visitHost(app, connection, async (host) => {
      if (isWebhookDue(app, connection)) await ensureWebhook(app, connection, host);
      return host.head(branch, etag);
    });
    if (head === "unchanged") return;
    if (isNews(connection, head) || (isBlocked && isOld(app, connection)))
      await requestSync(app, { id }, cause);
    // After the sync was requested: a crash in between leads to another request, never to a lost one.
    if (head) await connections.markPolled(id, { pollAt: inMs(pollMs), head });
  } catch (error) {
    if (isConnectionEnded(error)) return;
    const failure = error instanceof RepoError ? error : blockedBy(error);
    if (failure === undefined) throw error;
    const isLasting = !(failure instanceof RepoError && failure.retryable);
    // The sync fails in the same way, and reports it at the connection.
    if (isLasting && connection.status === "active") await requestSync(app, { id }, cause);
    const askedMs = failure instanceof RepoError ? (failure.retryAfterMs ?? 0) : 0;
    const waitMs = isLasting ? longestPollMs : Math.min(Math.max(askedMs, pollMs), longestPollMs);
    await connections.markPolled(id, { pollAt: inMs(waitMs) });
    app.log.info({ connection: id, code: failure.code }, "a branch could not be polled");
  }
}

/**
 * Whether the head is not the one that the last sync left. A failing connection is synced once for each head, not more
 * often.
 */
function isNews({ status, headOid, lastRemoteOid }: ConnectionDoc, head: BranchHead | undefined): boolean {
  if (head?.oid === lastRemoteOid) return false;
  return status === "active" || (head !== undefined && head.oid !== headOid);
}

function isOld(app: App, { problem }: ConnectionDoc): boolean {
  return problem === undefined || app.now().getTime() - problem.at.getTime() >= blockedMs;
}

/** Logs a failure, so that one connection does not prevent the others. */
async function attempt(app: App, { _id }: ConnectionDoc, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    app.log.error({ error, connection: _id }, "a connection could not be polled");
  }
}
