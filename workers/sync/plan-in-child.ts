/** Makes plans of syncs in child processes (`children.ts`), for the process that serves HTTP. */
import type { SyncPlanPayload } from "../../contract/payloads/sync.ts";
import { RepoError } from "../../repos/errors.ts";
import type { App } from "../../src/app.ts";
import { ServiceError } from "../../src/errors.ts";
import { tookTooLong } from "../../src/sync/preview/make-plan.ts";
import type { PlanRequest } from "../../src/sync/preview/plan-request.ts";
import { ChildProcessError } from "../child-error.ts";
import { runInChild } from "../children.ts";

const maxOldSpaceMb = 384;
/** Additional time for the start of a process and the work after the fetch. */
const graceMs = 15_000;

/** Returns and throws as `makePlan` does; `remote_too_large` if the repository requires too much memory. */
export async function planInChild(app: App, work: PlanRequest): Promise<SyncPlanPayload> {
  const outcome = await runInChild(app, "sync.plan", work, {
    maxOldSpaceMb,
    timeoutMs: work.timeoutMs + graceMs,
  }).catch((error: unknown) => {
    throw toPlanError(error);
  });
  if ("plan" in outcome) return outcome.plan;
  const { code, message, details } = outcome.failure;
  throw new ServiceError(code, message, details);
}

function toPlanError(error: unknown): unknown {
  if (!(error instanceof ChildProcessError)) return error;
  if (error.code === "child_timeout") return tookTooLong(error);
  if (error.code === "child_out_of_memory")
    return new RepoError("remote_too_large", "a plan took too much memory", { cause: error });
  return new ServiceError("unavailable", "The plan was interrupted: try again.", undefined, { cause: error });
}
