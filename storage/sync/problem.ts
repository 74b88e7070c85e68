import type { SyncProblemCode } from "../../contract/vocabulary.ts";

/** Reason why a connection is blocked or a run has failed. */
export interface SyncProblem {
  code: SyncProblemCode;
  /** Message for people. */
  message: string;
  at: Date;
}
