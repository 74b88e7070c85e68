/**
 * One sync of a connection: under its lease, and recorded as a run. Every step may be the last one: both sides are
 * compared by content, so the next sync continues where this one was interrupted, and a repeated sync changes nothing.
 */
import type { HostGuard } from "../../../repos/guard.ts";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import type { Mirrors } from "../../../repos/mirror/types.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { App } from "../../app.ts";
import { checkConnectingMember, connectingMemberGone } from "../connection/connecting-member.ts";
import { withLease } from "./lease.ts";
import { purgeErased } from "./purge-erased.ts";
import { recordRun } from "./record-run.ts";
import { runRounds } from "./rounds.ts";

export interface SyncPorts {
  mirrors: Mirrors;
  hostOf(connection: ConnectionDoc, guard: HostGuard): Promise<RepositoryHost> | RepositoryHost;
  /** Name of the lease's holder; a new one by default. */
  holder?: string;
}

/**
 * `busy`: another process syncs the connection, or it is gone. `lost`: another process took it over, or it was ended.
 */
export type SyncEnd = "done" | "blocked" | "failed" | "busy" | "lost";

/** Runs the sync that is due. Its problems are reported at the connection; only failures of the service are thrown. */
export async function runSync(app: App, connectionId: string, ports: SyncPorts): Promise<SyncEnd> {
  const { mirrors, holder = app.newId() } = ports;
  return withLease(app, connectionId, holder, (lease) =>
    recordRun(app, mirrors, lease, async (context) => {
      const { connection, guard } = context;
      const host = await ports.hostOf(connection, guard);
      context.remote = { ...(await host.remote()), guard };
      context.pulls = host.pullRequests;
      const commit = await runRounds(context);
      await purgeErased(context);
      if (!(await checkConnectingMember(app, connection))) throw connectingMemberGone(connection);
      return commit;
    }),
  );
}
