/** The branch on which a connection proposes its changes, and its pull request: one document for each connection. */
import type { IndexDescription } from "mongodb";
import type { ProposalState } from "../contract/vocabulary.ts";
import { isDuplicate, type Database } from "./database.ts";
import { connectionIdsIn, removeSlice } from "./slices.ts";

/** A commit of ours on the branch. It is written here before it is pushed, so it need not be there. */
export interface ProposedCommit {
  commit: string;
  /** Tree of its `skills/`, null without one. */
  skills: string | null;
  /** The newest commit of the connected branch in its history; null where that is not known. */
  builtOn: string | null;
  /** Tree of `skills/` there. */
  base: string | null;
}

export interface ProposedRequest {
  number: number;
  url: string;
  state: "open" | "merged" | "closed";
}

export interface ProposalDoc {
  /** Id of the connection. */
  _id: string;
  tenantId: string;
  /** Fence of the lease under which it was written. */
  fence: number;
  branch: string;
  state: ProposalState;
  /** The branch as the last sync saw or left it. */
  commit?: string;
  /** The latest last. */
  commits: ProposedCommit[];
  /** Digest of the proposal, by which a change of it is detected. */
  digest?: string;
  /** How many skills it writes or removes. */
  skills: number;
  request?: ProposedRequest;
  /**
   * The last two texts that the sync has written or was about to write, latest last: any other text is an edit of a
   * user.
   */
  words?: { title: string; body: string }[];
  updatedAt: Date;
}

export const syncProposalIndexes: IndexDescription[] = [{ key: { tenantId: 1 } }];

export type SyncProposals = ReturnType<typeof openSyncProposals>;

export function openSyncProposals(database: Database) {
  const proposals = database.collection<ProposalDoc>("sync_proposals");
  return {
    find: (connectionId: string) => proposals.findOne({ _id: connectionId }),
    /** Writes it whole. False when a later holder of the lease has written it: stop working on the connection. */
    async put(proposal: ProposalDoc): Promise<boolean> {
      const { _id, fence } = proposal;
      try {
        await proposals.replaceOne({ _id, fence: { $lte: fence } }, proposal, { upsert: true });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    async remove(connectionId: string, fence: number): Promise<void> {
      await proposals.deleteOne({ _id: connectionId, fence: { $lte: fence } });
    },
    connectionIds: () => connectionIdsIn(proposals, "_id"),
    removeOfConnection: (connectionId: string) => removeSlice(proposals, { _id: connectionId }),
    removeOfTenant: (tenantId: string) => removeSlice(proposals, { tenantId }),
  };
}
