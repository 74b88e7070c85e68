/** Parts of the documents of several sync commands. */
import type {
  ConnectionPayload,
  ProposalPayload,
  RepositorySyncPayload,
} from "../../../contract/payloads/sync.ts";

/** A connection, as in JSON output: without the fields that have no value. */
export function presentConnection(connection: ConnectionPayload) {
  const { id, host, repository, url, branch, mode, status, connectedBy, notified, pending } = connection;
  const { problem, pendingSince, retryAt, lastCommit, lastSyncAt, createdAt } = connection;
  return {
    id,
    host,
    repository,
    url,
    branch,
    mode,
    status,
    problem: problem ? presentProblem(problem) : undefined,
    connectedBy: { name: connectedBy.name, username: connectedBy.username },
    notified,
    pending,
    pendingSince: pendingSince || undefined,
    retryAt: retryAt || undefined,
    lastCommit: lastCommit || undefined,
    lastSyncAt: lastSyncAt || undefined,
    createdAt,
  };
}

export function presentProblem({ code, message, at }: NonNullable<ConnectionPayload["problem"]>) {
  return { code, message, at: at || undefined };
}

export function presentProposal({ branch, state, message, number, url, skills }: ProposalPayload) {
  return {
    branch,
    state,
    message,
    number: number === null ? undefined : number,
    url: url || undefined,
    skills,
  };
}

export function presentSkillProblem({ skillId, path, problem }: RepositorySyncPayload["skillProblems"][0]) {
  return { path, skillId: skillId || undefined, ...presentProblem(problem) };
}
