/**
 * Makes the plan of a sync: fetches the branch into a separate mirror, and uses the same import and export plans as the
 * sync. The data of a host may take any amount of memory and processor time, so a service with other callers does this
 * in a child process (`App.makePlan`).
 */
import type { SyncPlanPayload } from "../../../contract/payloads/sync.ts";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { loadTree } from "../../folders/tree/trees.ts";
import { visitHost } from "../connection/host-access.ts";
import { askHost } from "../connection/host-errors.ts";
import { openHost } from "../connection/open-host.ts";
import { knownPaths, listLocatedSkills } from "../content/export/exported.ts";
import { viewOf } from "../report/visible.ts";
import { compareSides, type Sides } from "./compare-sides.ts";
import { listDirectoryChanges } from "./directory-changes.ts";
import type { PlanRequest } from "./plan-request.ts";
import { presentElsewhere, presentPlan } from "./present-plan.ts";

/** Maximum size of the fetched pack. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Leaves the mirror to the caller, since a process that is killed here could not drop it. Throws `refused` or
 * `unavailable` for failures of the host.
 */
export async function makePlan(app: App, work: PlanRequest): Promise<SyncPlanPayload> {
  const { planId, connection, timeoutMs } = work;
  const mirror = app.mirrors.open({ tenantId: connection.tenantId, connectionId: planId });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await askHost(async () => {
      if (!work.isConnected) return read(await openHost(app, connection, undefined));
      return visitHost(app, connection, read);
    });
  } catch (error) {
    throw signal.aborted ? tookTooLong(error) : error;
  }

  async function read(host: RepositoryHost): Promise<SyncPlanPayload> {
    const remote = await host.remote();
    const fetched = await mirror.fetch(remote, connection.branch, { maxBytes, signal });
    const sides = await loadSides(app, work);
    const known = knownPaths(sides.skills, sides.bases);
    const scan = fetched.status === "fetched" ? await mirror.scan(fetched.commit, { known }) : undefined;
    const isNew = fetched.status === "empty" && !work.hasHadBranch && sides.bases.length === 0;
    const branchState = fetched.status === "fetched" ? "present" : isNew ? "empty" : "missing";
    const comparison = { app, connection, mirror, sides, scan };
    const planned = await compareSides(comparison);
    const view = viewOf({ readable: work.readable, ...sides });
    const changes = await listDirectoryChanges(comparison, planned, view);
    const elsewhere = scan ? await mirror.elsewhere(scan.commit, scan.directories) : [];
    return {
      ...presentPlan(work, comparison, planned, view),
      ...presentElsewhere(elsewhere, view),
      changes,
      branchState,
    };
  }
}

export function tookTooLong(cause: unknown): ServiceError {
  return new ServiceError("unavailable", "The repository took too long to be read: try again.", undefined, {
    cause,
  });
}

async function loadSides(
  app: App,
  { connection: { _id, tenantId }, isConnected }: PlanRequest,
): Promise<Sides> {
  const [skills, tree, bases, proposed] = await Promise.all([
    listLocatedSkills(app, tenantId),
    loadTree(app, tenantId),
    isConnected ? app.storage.syncBases.listOf(_id) : [],
    isConnected ? app.storage.syncProposed.listOf(_id) : [],
  ]);
  return { skills, bases, proposed, tree };
}
