import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { ReadableFolders } from "../report/readable-folders.ts";

/** Request for a plan, as plain data that can be sent to a child process: credentials are sealed in it. */
export interface PlanRequest {
  /** Id of the plan's own mirror. */
  planId: string;
  /** The connection, or a draft of one under the id that its credential is sealed with. */
  connection: Pick<ConnectionDoc, "_id" | "tenantId" | "host" | "branch" | "credential" | "marketplace">;
  isConnected: boolean;
  /** Whether the branch is known to have existed. */
  hasHadBranch: boolean;
  /** Folders that the caller may read: the plan contains nothing from others. */
  readable: ReadableFolders;
  timeoutMs: number;
}
