/** Jobs and requests that run in a child process with a memory limit (`children.ts`). */
import type { App } from "../src/app.ts";
import type { JobPayloads } from "../src/queue/jobs.ts";
import type { PlanRequest } from "../src/sync/preview/plan-request.ts";
import { checkRepos } from "./maintenance/maintain-repos.ts";
import { type PlanOutcome, planForParent } from "./sync/plan.ts";
import { runConnection } from "./sync/run.ts";

/** Input of each: the job's payload, and values that only the caller has. */
export interface ChildPayloads extends Pick<JobPayloads, "maintenance.check-repos"> {
  /** `holder`: name of the lease holder, so that the worker can release the lease if the process dies. */
  "sync.run": JobPayloads["sync.run"] & { holder?: string };
  "sync.plan": PlanRequest;
}

/** Result of each, as plain data. */
export interface ChildResults {
  "sync.run": void;
  "sync.plan": PlanOutcome;
  "maintenance.check-repos": void;
}

export type ChildJobName = keyof ChildPayloads;

export const childJobs: {
  readonly [K in ChildJobName]: (app: App, payload: ChildPayloads[K]) => Promise<ChildResults[K]>;
} = {
  "sync.run": (app, { connectionId, holder }) => runConnection(app, connectionId, holder),
  "sync.plan": planForParent,
  "maintenance.check-repos": (app) => checkRepos(app),
};
