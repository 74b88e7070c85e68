/**
 * Plans of a sync, of a connection or of a draft of one, without writing anything. This file checks permissions and
 * limits the number of plans; `make-plan.ts` reads the repository.
 */
import type { SyncPlanPayload } from "../../../contract/payloads/sync.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";
import { hostOf, inspectRepository, sealedOf } from "../connection/connect.ts";
import { hasHadBranch } from "../connection/deleted-branch.ts";
import { askHost } from "../connection/host-errors.ts";
import { loadConnection, requireEverySkill } from "../connection/load.ts";
import type { ConnectRepository } from "../connection/schema.ts";
import { readableFolderIds } from "../report/visible.ts";
import type { PlanRequest } from "./plan-request.ts";

const maxDurationMs = 60_000;
/** Maximum number of concurrent plans: each has its own child process and fetches a whole branch. */
const atOnce = 3;

/** The plan of the next full sync of a connection. */
export async function planConnected(app: App, actor: Actor, tenantRef: string): Promise<SyncPlanPayload> {
  const { connection } = await loadConnection(app, actor, tenantRef, "githubSync:read");
  const { _id, tenantId, host, branch, credential, marketplace } = connection;
  const facts = { _id, tenantId, host, branch, credential, marketplace };
  const readable = await readableFolderIds(app, actor, tenantId);
  return plan(app, actor, {
    planId: app.newId(),
    connection: facts,
    isConnected: true,
    hasHadBranch: hasHadBranch(connection, 0),
    readable,
  });
}

/** The plan of the first sync of a repository, for callers who may connect it. */
export async function planDraft(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ConnectRepository,
): Promise<SyncPlanPayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "githubSync:manage");
  requireEverySkill(actor, tenant);
  const looked = await inspectRepository(app, tenant._id, input);
  const planId = app.newId();
  const connection = {
    _id: planId,
    tenantId: tenant._id,
    host: hostOf(app, looked, input),
    branch: looked.branch,
    ...sealedOf(app, looked, planId),
  };
  return plan(app, actor, { planId, connection, isConnected: false, hasHadBranch: false, readable: "all" });
}

/** Organizations and callers whose plan this process is making. */
const planning = new Set<string>();
let running = 0;

async function plan(app: App, actor: Actor, work: Omit<PlanRequest, "timeoutMs">): Promise<SyncPlanPayload> {
  const { tenantId } = work.connection;
  // Limited per caller too: the hosts of a person with many organizations could block all other plans.
  const keys = [`tenant:${tenantId}`, actorKey(actor)];
  if (keys.some((key) => planning.has(key)))
    throw new ServiceError("conflict", "A plan is being made already: wait for it.", { kind: "repository" });
  if (running >= atOnce)
    throw new ServiceError("unavailable", "Too many plans are being made right now: try again in a moment.");
  running++;
  for (const key of keys) planning.add(key);
  try {
    return await askHost(() => app.makePlan({ ...work, timeoutMs: maxDurationMs }));
  } finally {
    running--;
    for (const key of keys) planning.delete(key);
    await app.mirrors.open({ tenantId, connectionId: work.planId }).drop();
  }
}
