/** What runs in a process of its own, with a limit of memory (`children.ts`): jobs, and what a caller waits for. */
import type { App } from "../src/app.ts";
import type { JobPayloads } from "../src/queue/jobs.ts";
import type { PlanWork } from "../src/sync/make-plan.ts";
import { type PlanOutcome, planForParent } from "./sync/plan.ts";
import { runConnection } from "./sync/run.ts";
import { checkRepos } from "./upkeep/repos.ts";

/** What each is given: what the job carries, and what only its caller can tell. */
export interface ChildPayloads extends Pick<JobPayloads, "upkeep.check-repos"> {
  /** `holder`: the name that its lease is held by, for the worker to know it when the process is dead. */
  "sync.run": JobPayloads["sync.run"] & { holder?: string };
  "sync.plan": PlanWork;
}

/** What each answers, as plain data. */
export interface ChildResults {
  "sync.run": void;
  "sync.plan": PlanOutcome;
  "upkeep.check-repos": void;
}

export type ChildJobName = keyof ChildPayloads;

export const childJobs: {
  readonly [K in ChildJobName]: (app: App, payload: ChildPayloads[K]) => Promise<ChildResults[K]>;
} = {
  "sync.run": (app, { connectionId, holder }) => runConnection(app, connectionId, holder),
  "sync.plan": planForParent,
  "upkeep.check-repos": (app) => checkRepos(app),
};
