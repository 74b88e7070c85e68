import { publicName } from "../../../contract/names/public-name.ts";
import type { SyncConflictPayload } from "../../../contract/payloads/sync-conflicts.ts";
import type {
  ConnectionPayload,
  ProposalPayload,
  RepositorySyncPayload,
  SyncRunPayload,
} from "../../../contract/payloads/sync.ts";
import type { HostKind, ProposalState } from "../../../contract/vocabulary.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { ProposalDoc } from "../../../storage/sync/proposals.ts";
import type { SyncRunDoc } from "../../../storage/sync/runs.ts";
import type { App } from "../../app.ts";
import type { Conflict, VersionFacts } from "./conflicts.ts";
import type { SyncState } from "./history.ts";

/** Never contains a credential. */
export function presentConnection(app: Pick<App, "now">, connection: ConnectionDoc): ConnectionPayload {
  const { host, connectedBy, problem, wantedSince, lastSyncAt } = connection;
  return {
    id: connection._id,
    host: host.kind,
    repository: host.fullName,
    url: host.url,
    branch: connection.branch,
    mode: connection.mode,
    marketplace: connection.marketplace?.isOn ?? false,
    status: connection.status,
    problem: problem ? presentProblem(problem) : null,
    connectedBy: { name: connectedBy.name, username: connectedBy.username },
    notified: host.kind === "github-app" || connection.webhook !== undefined,
    unreadableDeliveryAt: connection.unreadableDeliveryAt?.toISOString() ?? null,
    pending: connection.wanted > connection.done,
    pendingSince: wantedSince?.toISOString() ?? null,
    retryAt: (connection.status === "failing" && connection.dueAt?.toISOString()) || null,
    lastCommit: connection.lastRemoteOid ?? null,
    lastSyncAt: lastSyncAt?.toISOString() ?? null,
    lagMs: lagOf(app, connection),
    lastLagMs: connection.lastLagMs ?? null,
    createdAt: connection.createdAt.toISOString(),
  };
}

export function presentSyncState(
  app: Pick<App, "now">,
  state: SyncState,
  hosts: HostKind[],
): RepositorySyncPayload {
  return {
    connection: state.connection ? presentConnection(app, state.connection) : null,
    proposal: state.proposal ? presentProposal(state.proposal) : null,
    syncedSkills: state.synced,
    skillProblems: [
      ...state.problems.map(({ skillId, path, problem }) => ({
        skillId,
        path,
        problem: presentProblem(problem!),
      })),
      ...refusalsOf(state),
    ],
    hosts,
  };
}

/** Time since the first request that is not completed; null if none is open. */
export const lagOf = (
  { now }: Pick<App, "now">,
  { wanted, done, wantedSince }: ConnectionDoc,
): number | null =>
  wanted > done && wantedSince ? Math.max(0, now().getTime() - wantedSince.getTime()) : null;

const proposalWords: Record<ProposalState, (branch: string) => string> = {
  none: () => "The connected branch has everything: nothing is proposed.",
  branch: (branch) => `The proposed changes are on the branch ${branch}.`,
  open: () => "The pull request is open and up to date.",
  closed: () =>
    "The pull request was closed: another one is opened after the next change, or with a sync by hand.",
  edited: (branch) =>
    `The branch ${branch} has commits of other authors: it is not changed until its pull request is merged ` +
    "or closed, or the branch is deleted.",
};

function presentProposal({ branch, state, request, commit, skills }: ProposalDoc): ProposalPayload {
  return {
    branch,
    state,
    message: proposalWords[state](branch),
    number: request?.number ?? null,
    url: request?.url ?? null,
    commit: commit ?? null,
    skills,
  };
}

/** Refusals of the last sync that are not recorded at a skill. */
function refusalsOf({ connection, problems }: SyncState) {
  const noted = new Set(problems.map(({ path }) => path));
  const at = (connection?.lastSyncAt ?? connection?.updatedAt)?.toISOString() ?? "";
  return (connection?.refusals ?? [])
    .filter(({ path }) => !noted.has(path))
    .map(({ path, code, message }) => ({ skillId: null, path, problem: { code, message, at } }));
}

export function presentRun(run: SyncRunDoc): SyncRunPayload {
  const { imported, created, conflicts, exported, removed, refused } = run.counts;
  return {
    id: run._id,
    full: run.full,
    cause: run.cause?.kind ?? null,
    by: run.cause?.by ?? null,
    outcome: run.outcome,
    startedAt: run.startedAt.toISOString(),
    endedAt: run.endedAt?.toISOString() ?? null,
    commit: run.commit ?? null,
    imported,
    created,
    conflicts,
    exported,
    removed,
    refused,
    refusals: (run.refusals ?? []).map(({ path, code, message }) => ({ path, code, message })),
    problem: run.problem ? presentProblem(run.problem) : null,
  };
}

export function presentConflict({ row, skill, winning, losing, base }: Conflict): SyncConflictPayload {
  const author = row.authorName === undefined ? null : publicName(row.authorName) || "unknown";
  return {
    id: row._id,
    skillId: row.skillId,
    slug: skill?.slug ?? null,
    path: row.path,
    winning: row.winning,
    losing: row.losing,
    base: row.base ?? null,
    baseSemver: base?.semver ?? null,
    theirs: { ...presentSide(winning), author },
    ours: presentSide(losing),
    seen: row.seen ? { by: row.seen.username, at: row.seen.at.toISOString() } : null,
    diff: skill ? `/api/skills/${row.skillId}/diff?from=${row.losing}&to=${row.winning}` : null,
    commit: row.commit,
    author,
    at: row.at.toISOString(),
  };
}

function presentSide(version: VersionFacts | undefined): SyncConflictPayload["ours"] {
  return {
    semver: version?.semver ?? null,
    author: version?.author?.name ?? null,
    at: version?.createdAt.toISOString() ?? null,
  };
}

function presentProblem({ code, message, at }: { code: string; message: string; at: Date }) {
  return { code, message, at: at.toISOString() };
}
