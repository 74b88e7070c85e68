/** The application, the first argument of every service. Opened once per process, closed in reverse order. */
import type { SyncPlanPayload } from "../contract/payloads/sync.ts";
import type { Mirrors } from "../repos/mirror/types.ts";
import type { ObjectStore } from "../repos/object-store/types.ts";
import type { UploadPack } from "../repos/serve/upload-pack.ts";
import type { SkillStore } from "../repos/store/index.ts";
import type { Storage } from "../storage/index.ts";
import type { Passwords } from "./auth/passwords.ts";
import type { Compute } from "./compute/compute.ts";
import type { Config } from "./config.ts";
import type { RateLimits } from "./http/request/rate-limit.ts";
import type { Log } from "./log.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { Queue } from "./queue/index.ts";
import type { Secrets } from "./secrets.ts";
import type { PlanRequest } from "./sync/preview/plan-request.ts";

export interface App {
  config: Config;
  log: Log;
  secrets: Secrets;
  storage: Storage;
  repos: SkillStore;
  /** The object store; undefined: files in the Git root. */
  objects?: ObjectStore;
  /** Caches of the repositories that organizations have connected. */
  mirrors: Mirrors;
  /** Plans a sync; a process that serves HTTP runs it in a child process. */
  makePlan(work: PlanRequest): Promise<SyncPlanPayload>;
  /** Program of job processes, if built; undefined for the source file. */
  jobProgram?: string;
  /** Serves repositories to git clients. */
  uploadPack: UploadPack;
  /** Work on content that anyone may have written, in threads. */
  compute: Compute;
  queue: Queue;
  mail: Mailer;
  /** TXT records of a name, each in its parts; rejects with the error codes of `node:dns`. */
  resolveTxt(name: string): Promise<string[][]>;
  passwords: Passwords;
  rateLimits: RateLimits;
  /** The clock: tests set it. */
  now(): Date;
  newId(): string;
  /**
   * Runs work that the response does not wait for. A failure is only logged, since the reconcile job repeats the work.
   * `close` waits for all of it.
   */
  background(name: string, work: () => Promise<unknown>): void;
  /** Registers work for the end of the process, before the database is closed. */
  onClose(close: () => Promise<void>): void;
}

/** The parts of the application that commands need which neither queue work nor call anyone. */
export type Stores = Pick<App, "config" | "log" | "storage" | "repos" | "objects" | "now" | "newId">;
