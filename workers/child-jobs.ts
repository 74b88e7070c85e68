/** The jobs that run in a process of their own, with a limit of memory (`children.ts`). */
import type { App } from "../src/app.ts";
import type { JobPayloads } from "../src/queue/jobs.ts";
import { runConnection } from "./sync/run.ts";
import { checkRepos } from "./upkeep/repos.ts";

export const childJobs = {
  "sync.run": (app: App, { connectionId }: JobPayloads["sync.run"]) => runConnection(app, connectionId),
  "upkeep.check-repos": (app: App) => checkRepos(app),
} satisfies {
  [K in keyof JobPayloads]?: (app: App, payload: JobPayloads[K]) => Promise<void>;
};

export type ChildJobName = keyof typeof childJobs;
