/** The application: what every service gets as its first argument. Opened once per process, closed in reverse. */
import type { SyncPlanPayload } from "../contract/payloads-sync.ts";
import type { Mirrors } from "../repos/mirror/types.ts";
import type { UploadPack } from "../repos/serve/upload-pack.ts";
import type { SkillStore } from "../repos/store/index.ts";
import type { Storage } from "../storage/index.ts";

import type { Config } from "./config.ts";
import type { RateLimits } from "./http/rate-limit.ts";
import type { Log } from "./log.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { Queue } from "./queue/index.ts";
import type { Secrets } from "./secrets.ts";
import type { PlanWork } from "./sync/make-plan.ts";

export interface App {
  config: Config;
  log: Log;
  secrets: Secrets;
  storage: Storage;
  repos: SkillStore;
  /** Caches of the repositories that organizations have connected. */
  mirrors: Mirrors;
  /** Plans a sync: where it has other callers to answer, the process that serves has another one do it. */
  makePlan(work: PlanWork): Promise<SyncPlanPayload>;
  /** What a process of jobs runs: a built file. Undefined for the one that lies beside the code. */
  jobProgram?: string | undefined;
  /** Serves repositories to git clients. */
  uploadPack: UploadPack;
  queue: Queue;
  mail: Mailer;
  rateLimits: RateLimits;
  /** The clock: tests set it. */
  now(): Date;
  newId(): string;
  /**
   * Runs work that the answer does not wait for; a failure is logged, since whatever it does is also done by the
   * reconcile job. `close` waits for all of it.
   */
  background(name: string, work: () => Promise<unknown>): void;
}
