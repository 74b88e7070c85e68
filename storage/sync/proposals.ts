/** Proposal branch of a connection and its pull request, one document per connection. */
import type { Collection } from "mongodb";
import type { ProposalState } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";
import { connectionIdsIn, removeSlice } from "../maintenance/slices.ts";

/** A commit of the service on the branch. It is stored before it is pushed, so the branch may not have it. */
export interface ProposedCommit {
  commit: string;
  /** Tree of its `skills/`, or null if there is none. */
  skills: string | null;
  /** Newest commit of the connected branch in its history, or null if unknown. */
  builtOn: string | null;
  /** Tree of `skills/` in that commit. */
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
  /** Tip of the branch after the last sync. */
  commit?: string;
  /** Latest last. */
  commits: ProposedCommit[];
  /** Digest of the proposal, by which changes are detected. */
  digest?: string;
  /** Number of skills that it writes or removes. */
  skills: number;
  request?: ProposedRequest;
  /**
   * The last two texts that the sync has written or was about to write, latest last: any other text is an edit of a
   * user.
   */
  words?: { title: string; body: string }[];
  updatedAt: Date;
}

export const syncProposalsCollection = defineCollection({
  name: "sync_proposals",
  indexes: [{ key: { tenantId: 1 } }],
  open: (proposals: Collection<ProposalDoc>) => ({
    find: (connectionId: string) => proposals.findOne({ _id: connectionId }),
    /** Replaces the document. False if a later holder of the lease has written it: the caller must stop. */
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
  }),
});
