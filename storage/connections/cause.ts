/** Cause of a sync. */
import type { SyncCause } from "../../contract/vocabulary.ts";

/** The first reason for the syncs that are wanted, and the person who asked for them. */
export interface RequestCause {
  kind: SyncCause;
  by?: { userId: string; username: string };
}
