/** The lease of a connection: one sync at a time, renewed while it runs, and returned with the result. */
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SyncProblem } from "../../../storage/sync/problem.ts";
import type { SyncRefusal } from "../../../storage/sync/runs.ts";
import type { App } from "../../app.ts";
import { watchAccess, type HostAccess } from "../connection/host-access.ts";
import { retryAt } from "./retry.ts";

export const leaseMs = 60_000;
const renewMs = leaseMs / 4;

export interface SyncLease {
  /** The connection as it was when the lease was taken. */
  connection: ConnectionDoc;
  tenant: TenantDoc;
  /** Whether the sync also restores what is missing in the repository. */
  full: boolean;
  /** Ends when the lease is lost or the connection is ended. */
  access: HostAccess;
}

export interface SyncResult {
  outcome: "done" | "blocked" | "failed";
  endedAt: Date;
  /** The branch's commit after the sync. */
  commit: string | null | undefined;
  problem: SyncProblem | undefined;
  /** Time for which the host has asked not to be contacted. */
  waitMs: number | undefined;
  /** Directories and skills that are not in sync. */
  refusals: SyncRefusal[];
}

const statusOf = { done: "active", blocked: "blocked", failed: "failing" } as const;

/** Runs a due sync under the lease and stores its result at the connection. */
export async function withLease(
  app: App,
  connectionId: string,
  holder: string,
  run: (lease: SyncLease) => Promise<SyncResult>,
): Promise<SyncResult["outcome"] | "busy" | "lost"> {
  const { connections, tenants } = app.storage;
  const now = app.now();
  const until = new Date(now.getTime() + leaseMs);
  const connection = await connections.takeLease(connectionId, holder, until, now);
  if (!connection?.lease) return "busy";
  const { fence } = connection.lease;
  const tenant = await tenants.find(connection.tenantId);
  // The previous holder has done the sync; and nothing is written for an organization that is being deleted.
  if (connection.wanted <= connection.done || !tenant || tenant.deletionAt)
    return returnUnused(app, connection, fence);

  const full = connection.fullWanted > (connection.fullDone ?? 0);
  const access = watchAccess(() => connections.holdsLease(connectionId, fence));
  const renewal = setInterval(() => {
    connections.renewLease(connectionId, fence, new Date(app.now().getTime() + leaseMs)).then(
      (isHeld) => isHeld || access.end(),
      () => undefined,
    );
  }, renewMs);
  let result: SyncResult;
  try {
    result = await run({ connection, tenant, full, access });
  } finally {
    access.close();
    clearInterval(renewal);
  }
  if (access.signal.aborted) {
    // The disconnect of an ended connection waits for this lease; one that another process took over stays.
    await connections.releaseLease(connectionId, holder);
    return "lost";
  }
  const isStored = await connections.finish(connectionId, fence, finishOf(connection, full, result));
  return isStored ? result.outcome : "lost";
}

function finishOf(connection: ConnectionDoc, full: boolean, result: SyncResult) {
  const { outcome, endedAt, commit, problem, waitMs, refusals } = result;
  return {
    done: connection.wanted,
    fullDone: full && outcome === "done" ? connection.fullWanted : undefined,
    now: endedAt,
    status: statusOf[outcome],
    lastRemoteOid: commit || undefined,
    problem,
    retryAt: outcome === "failed" ? retryAt(connection, endedAt, waitMs) : undefined,
    notBefore: waitMs === undefined ? undefined : new Date(endedAt.getTime() + waitMs),
    refusals: outcome === "done" || refusals.length > 0 ? refusals : undefined,
  };
}

/** Returns the lease without a sync: status and problem stay as they are. */
async function returnUnused(app: App, connection: ConnectionDoc, fence: number): Promise<"done" | "lost"> {
  const { _id, wanted, problem } = connection;
  const status = connection.status === "disconnecting" ? "active" : connection.status;
  const result = { done: wanted, now: app.now(), status, problem };
  return (await app.storage.connections.finish(_id, fence, result)) ? "done" : "lost";
}
