/** Has plans of syncs made by processes of their own (`children.ts`), for whoever serves HTTP. */
import type { SyncPlanPayload } from "../../contract/payloads/sync.ts";
import { RepoError } from "../../repos/errors.ts";
import type { App } from "../../src/app.ts";
import { ServiceError } from "../../src/errors.ts";
import { tookTooLong } from "../../src/sync/preview/make-plan.ts";
import type { PlanRequest } from "../../src/sync/preview/plan-request.ts";
import { ChildProcessError } from "../child-error.ts";
import { runInChild } from "../children.ts";

const maxOldSpaceMb = 384;
/** For the start of a process, and what comes after the fetch. */
const graceMs = 15_000;

/** Answers and fails as `makePlan` does. Throws `remote_too_large` where the repository takes too much memory. */
export async function planInChild(app: App, work: PlanRequest): Promise<SyncPlanPayload> {
  const outcome = await runInChild(app, "sync.plan", work, {
    maxOldSpaceMb,
    timeoutMs: work.timeoutMs + graceMs,
  }).catch((error: unknown) => {
    throw asTrouble(error);
  });
  if ("plan" in outcome) return outcome.plan;
  const { code, message, details } = outcome.failure;
  throw new ServiceError(code, message, details);
}

function asTrouble(error: unknown): unknown {
  if (!(error instanceof ChildProcessError)) return error;
  if (error.code === "child_timeout") return tookTooLong(error);
  if (error.code === "child_out_of_memory")
    return new RepoError("remote_too_large", "a plan took too much memory", { cause: error });
  return new ServiceError("unavailable", "The plan was interrupted: try again.", undefined, { cause: error });
}
