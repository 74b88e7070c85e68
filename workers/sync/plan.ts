/** Makes a plan of a sync inside a child process, so that no response of a host can end the service. */
import type { FailureCode } from "../../contract/errors.ts";
import type { SyncPlanPayload } from "../../contract/payloads/sync.ts";
import type { App } from "../../src/app.ts";
import { type FailureDetails, ServiceError } from "../../src/errors.ts";
import { makePlan } from "../../src/sync/preview/make-plan.ts";
import type { PlanRequest } from "../../src/sync/preview/plan-request.ts";

/** A plan or its failure: a `ServiceError` would lose its details between processes. */
export type PlanOutcome =
  | { plan: SyncPlanPayload }
  | { failure: { code: FailureCode; message: string; details: FailureDetails | undefined } };

/** Runs in the child process. */
export async function planForParent(app: App, work: PlanRequest): Promise<PlanOutcome> {
  try {
    return { plan: await makePlan(app, work) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, details } = error;
    return { failure: { code, message, details } };
  }
}
