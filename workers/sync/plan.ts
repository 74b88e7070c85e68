/** Plans of syncs in a process of their own: whatever a host sends, it takes that process down and not the service. */
import type { FailureCode } from "../../contract/errors.ts";
import type { SyncPlanPayload } from "../../contract/payloads/sync.ts";
import type { App } from "../../src/app.ts";
import { type FailureDetails, ServiceError } from "../../src/errors.ts";
import { makePlan } from "../../src/sync/preview/make-plan.ts";
import type { PlanRequest } from "../../src/sync/preview/plan-request.ts";

/** A plan, or why there is none: an error of a service loses its details on the way between processes. */
export type PlanOutcome =
  | { plan: SyncPlanPayload }
  | { failure: { code: FailureCode; message: string; details: FailureDetails | undefined } };

/** The part of the process that makes it. */
export async function planForParent(app: App, work: PlanRequest): Promise<PlanOutcome> {
  try {
    return { plan: await makePlan(app, work) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, details } = error;
    return { failure: { code, message, details } };
  }
}
