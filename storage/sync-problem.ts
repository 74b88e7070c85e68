import type { SyncProblemCode } from "../contract/vocabulary.ts";

/** Why a connection is blocked, or a run has failed. */
export interface SyncProblem {
  code: SyncProblemCode;
  /** A sentence for people. */
  message: string;
  at: Date;
}
