/**
 * State of a connection's proposals: the stored document, the pull request, and the origin of the commits on our
 * branch. Everything is recognized by content and by the ids of our own commits, which are stored before they are
 * pushed.
 */
import { RepoError } from "../../../repos/errors.ts";
import type { PullRequest } from "../../../repos/hosts/host.ts";
import type { CommitFacts } from "../../../repos/mirror/types.ts";
import type { ProposalDoc, ProposedCommit } from "../../../storage/sync/proposals.ts";
import type { SyncProposed } from "../../../storage/sync/proposed.ts";
import { proposalBranch } from "../connection/proposal-branch.ts";
import type { SyncContext } from "./context.ts";
import type { MergeBase, Proposals } from "./plan-types.ts";

/** The pull request as the host reports it, or the error if the host does not allow to read it. */
export interface RequestState {
  request: PullRequest | undefined;
  error: RepoError | undefined;
}

export interface ProposalState extends RequestState {
  branch: string;
  /** Tip of the proposal branch as it was fetched, or null if the branch does not exist. */
  tip: string | null;
  /** The stored document. */
  stored: ProposalDoc | undefined;
  /** Contents that were proposed since the merge base, by skill. */
  rows: ReadonlyMap<string, SyncProposed>;
}

/** Branches of the pull request. */
export const between = ({ connection }: SyncContext) => ({
  from: proposalBranch(connection.branch),
  to: connection.branch,
});

/**
 * Reads the pull request. This comes before the fetch of the branch, so that the fetched branch contains a request that
 * was merged. An error is kept for the push: the import does not depend on the request.
 */
export async function findRequest(context: SyncContext): Promise<RequestState> {
  const pulls = context.connection.mode === "pull_request" ? context.pulls : undefined;
  if (!pulls) return { request: undefined, error: undefined };
  try {
    return { request: await pulls.find(between(context)), error: undefined };
  } catch (error) {
    if (!(error instanceof RepoError)) throw error;
    return { request: undefined, error };
  }
}

/** The state of a connection that has never proposed anything is empty. */
export async function readProposalState(
  { app, connection }: SyncContext,
  { request, error }: RequestState,
  tip: string | null,
): Promise<ProposalState> {
  const { syncProposals, syncProposed } = app.storage;
  const [stored, rows] = await Promise.all([
    syncProposals.find(connection._id),
    syncProposed.listOf(connection._id),
  ]);
  return {
    branch: proposalBranch(connection.branch),
    tip,
    stored: stored ?? undefined,
    rows: new Map(rows.map((row) => [row.skillId, row])),
    request,
    error,
  };
}

interface Sides {
  bases: ReadonlyMap<string, MergeBase>;
  skills: ReadonlyMap<string, unknown>;
}

/** Proposed contents that are newer than the merge bases, by skill. */
export function proposedOf(
  rows: Iterable<SyncProposed>,
  { bases, skills }: Sides,
): Map<string, SyncProposed> {
  const since = Array.from(rows, (row) =>
    sinceBase(row, bases.get(row.skillId), skills.has(row.skillId)),
  ).filter(({ contents }) => contents.length > 0);
  return new Map(since.map((row) => [row.skillId, row]));
}

/** Removes the proposed contents that are not newer than the merge bases. */
export async function pruneProposed(
  { app, connection }: SyncContext,
  state: ProposalState,
  sides: Sides,
): Promise<ProposalState> {
  const { syncProposed } = app.storage;
  const { fence } = connection.lease!;
  const rows = proposedOf(state.rows.values(), sides);
  const gone = [...state.rows.keys()].filter((skillId) => !rows.has(skillId));
  const changed = [...rows.values()].filter((row) => row !== state.rows.get(row.skillId));
  await syncProposed.removeMany(connection._id, fence, gone);
  await syncProposed.putMany(connection, fence, changed);
  return { ...state, rows };
}

/**
 * The row with the contents that are newer than the merge base. Once the branch has a proposal, an older one that
 * returns is an edit.
 */
export function sinceBase(row: SyncProposed, base: MergeBase | undefined, isAlive: boolean): SyncProposed {
  const { skillId, since, contents } = row;
  if (base === undefined) return isAlive || since === null ? row : { skillId, since, contents: [] };
  if (base.contentTree === since) return row;
  const at = contents.findLastIndex(({ contentTree }) => contentTree === base.contentTree);
  return { skillId, since: base.contentTree, contents: at === -1 ? [] : contents.slice(at + 1) };
}

/** The proposals as the plan of an import needs them. `parent` is the commit of the connected branch. */
export function proposalsOf(
  context: SyncContext,
  { stored, tip, rows }: ProposalState,
  parent: string | null,
  sides: Sides,
): Proposals {
  const proposed = proposedOf(rows.values(), sides);
  let merged: Promise<boolean> | undefined;
  return {
    of: (skillId) => proposed.get(skillId)?.contents ?? [],
    areMerged: () => (merged ??= areMerged()),
  };

  async function areMerged(): Promise<boolean> {
    const last = stored?.commits.at(-1)?.commit;
    for (const commit of new Set([tip, last]))
      if (parent !== null && commit && (await context.mirror.isDescendant(parent, commit))) return true;
    if (stored?.request?.state !== "open") return false;
    // It may have been merged since it was read.
    const { request } = await findRequest(context);
    return request?.number === stored.request.number && request.state === "merged";
  }
}

/**
 * Origin of the tip of the proposal branch. `ours`: a commit that the service pushed. `follows`: commits of others,
 * which add nothing but changes of the connected branch. `foreign`: commits of others with changes of their own.
 */
export type TipOwner =
  | { kind: "absent" }
  | { kind: "ours"; entry: ProposedCommit }
  | { kind: "follows"; facts: CommitFacts }
  | { kind: "foreign"; facts: CommitFacts | undefined };

/** Returns `stale` if the branch has another tip by now. Fetches the tip unless it is too large. */
export async function findTipOwner(
  context: SyncContext,
  { tip, stored, branch }: ProposalState,
  parent: string,
): Promise<TipOwner | "stale"> {
  const { mirror } = context;
  if (tip === null) return { kind: "absent" };
  if (!(await mirror.readCommit(tip)) && !(await fetchTip(context, branch, tip))) return "stale";
  const commits = stored?.commits ?? [];
  const entry = commits.findLast(({ commit }) => commit === tip);
  if (entry) return { kind: "ours", entry };
  const facts = await mirror.readCommit(tip);
  if (!facts) return { kind: "foreign", facts };
  const connected = await mirror.readCommit(parent);
  if (facts.tree === connected?.tree || (await mirror.isDescendant(parent, tip)))
    return { kind: "follows", facts };

  for (const { commit, builtOn } of commits.toReversed()) {
    if (builtOn === null || !(await mirror.isDescendant(tip, commit))) continue;
    const others = facts.parents.filter((one) => one !== commit);
    for (const after of [parent, ...others]) {
      if (after !== parent && !(await mirror.isDescendant(parent, after))) continue;
      if (await mirror.containsOnlyUpstreamChanges(tip, { ours: commit, before: builtOn, after }))
        return { kind: "follows", facts };
    }
    break;
  }
  return { kind: "foreign", facts };
}

/** Returns false if the branch has another tip by now. A tip that is too large to be fetched stays unknown. */
async function fetchTip(
  { mirror, remote, signal }: SyncContext,
  branch: string,
  tip: string,
): Promise<boolean> {
  try {
    return (await mirror.fetchSecondBranch(remote, branch, { signal })) === tip;
  } catch (error) {
    if (!(error instanceof RepoError) || error.code !== "remote_too_large") throw error;
    return true;
  }
}
