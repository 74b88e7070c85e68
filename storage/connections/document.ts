/** Document of a connection, and its indexes. */
import type { Filter } from "mongodb";
import type { HostKind, SyncMode, SyncStatus } from "../../contract/vocabulary.ts";
import type { WithOutbox } from "../outbox.ts";
import type { SyncProblem } from "../sync/problem.ts";
import type { SyncRefusal } from "../sync/runs.ts";
import type { RequestCause } from "./cause.ts";

export interface ConnectionHost {
  kind: HostKind;
  /** Id of the repository at the host, unchanged by renames: GitHub's number, or the address of a local repository. */
  repositoryId: string;
  /** Display name: `owner/name`, or the last part of a local repository's address. */
  fullName: string;
  /** Git URL without credentials. */
  url: string;
  /** Set for `github-app`. */
  installationId?: number;
  /** Set for `local`, in addition to its credential. */
  username?: string;
}

export interface ConnectionDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  /** Canonical form of the repository: no two connections have the same key and branch. */
  repositoryKey: string;
  host: ConnectionHost;
  /** Token or password, encrypted with the connection's id. */
  credential?: string;
  /** Webhook that the service created for this connection, with its encrypted secret. */
  webhook?: { id: string; secret: string };
  /** Time of the first signed delivery that could not be read, unless a later one could. */
  unreadableDeliveryAt?: Date;
  /** Time of its next renewal, or of the next attempt to create it. */
  webhookAt?: Date;
  branch: string;
  /** Author of imported versions; not necessarily still a member. */
  connectedBy: { userId: string; username: string; name: string };
  /** The `connectedBy` whose loss of access was reported to the owners. */
  goneConnector?: string;
  mode: SyncMode;
  /** Marketplace files, once they were turned on: the name of the marketplace, which stays. */
  marketplace?: { name: string; isOn: boolean };
  status: SyncStatus;
  /** Reason for the status `blocked` or `failing`. */
  problem?: SyncProblem;
  /** Most recent problem, resolved or not. */
  lastProblem?: SyncProblem;
  /** Number of requests so far. */
  wanted: number;
  /** The `wanted` up to which requests are completed. */
  done: number;
  /** The `wanted` of the last request for a full sync. */
  fullWanted: number;
  /** The `wanted` of the last sync that a person asked for after the loss of the branch was reported. */
  newBranchWanted?: number;
  /** The `fullWanted` of the last completed full sync: while it is lower than `fullWanted`, each sync is a full one. */
  fullDone?: number;
  /** Cause of the requests that are not completed; absent from connections of earlier versions of the service. */
  cause?: RequestCause;
  /** Time of the first request that is not completed. */
  wantedSince?: Date;
  /** Time of the next sync; absent if no request is open. */
  dueAt?: Date;
  /** No sync begins before, because the host asked to wait. */
  notBefore?: Date;
  /** The first of the skills and directories that the last completed sync skipped. */
  refusals?: SyncRefusal[];
  /** Time of the next poll of the branch. */
  pollAt: Date;
  /** Head of the branch at the last poll, and the ETag of that response. */
  headOid?: string;
  headEtag?: string;
  /** Head of the branch after the last sync. */
  lastRemoteOid?: string;
  lastSyncAt?: Date;
  /** Time from the request to the end of the last sync. */
  lastLagMs?: number;
  /** Number of skills erased since the mirror was last recreated; it may still contain their content. */
  erasures?: number;
  /** Number of times that the sync under way has made way for others. */
  slices?: number;
  /** Number of consecutive failed syncs. */
  failures: number;
  /** Fence of the last lease. */
  fence: number;
  lease?: { holder: string; fence: number; takenAt: Date; until: Date };
  /** Work outside of a sync that calls the host. */
  visits?: { id: string; until: Date }[];
  createdAt: Date;
  updatedAt: Date;
}

/** Connections that are not being ended. */
export const alive: Filter<ConnectionDoc> = { status: { $ne: "disconnecting" } };

/** Connections that no sync uses at a time. */
export const withoutLease = (now: Date): Filter<ConnectionDoc> => ({
  $or: [{ lease: { $exists: false } }, { "lease.until": { $lte: now } }],
});
