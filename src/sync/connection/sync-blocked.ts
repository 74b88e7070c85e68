import type { SyncProblemCode } from "../../../contract/vocabulary.ts";

/** A problem that a retry does not solve: someone has to change something at the host or in the service. */
export class SyncBlocked extends Error {
  override readonly name = "SyncBlocked";
  readonly code: SyncProblemCode;

  constructor(code: SyncProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}
