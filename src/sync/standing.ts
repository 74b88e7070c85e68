/**
 * How far a connection's proposals have come: what its books say, what became of its pull request, and whose commits are on
 * the branch that we keep. Everything is told by content and by the ids of our own commits, which are noted before they are
 * pushed.
 */
import { RepoError } from "../../repos/errors.ts";
import type { PullRequest } from "../../repos/hosts/host.ts";
import type { CommitFacts } from "../../repos/mirror/types.ts";
import type { ProposalDoc, ProposedCommit } from "../../storage/sync-proposals.ts";
import type { SyncProposed } from "../../storage/sync-proposed.ts";
import type { Base, Proposals } from "./decide.ts";
import type { SyncWork } from "./work.ts";

/** The one branch that a connection in pull-request mode pushes to. */
export const proposalBranch = (branch: string) => `${proposals}${branch}`;
/** Whether a branch is some connection's own, and so none to be connected. */
export const isProposalBranch = (branch: string) => branch.startsWith(proposals);
const proposals = "svc-sync/";

/** What the host says of the pull request; without permission to ask, why not. */
export interface RequestState {
  request: PullRequest | undefined;
  trouble: RepoError | undefined;
}

export interface Standing extends RequestState {
  branch: string;
  /** Of that branch, as it was fetched; null if there is none. */
  tip: string | null;
  books: ProposalDoc | undefined;
  /** What was proposed of each skill since its base. */
  rows: ReadonlyMap<string, SyncProposed>;
}

/** The branches of the pull request. */
export const between = ({ connection }: SyncWork) => ({
  from: proposalBranch(connection.branch),
  to: connection.branch,
});

/**
 * The pull request as it is now; to be asked for before the branch is fetched, so that one that was merged is in what is
 * fetched. Trouble is kept for later: imports do not depend on it.
 */
export async function findRequest(work: SyncWork): Promise<RequestState> {
  const pulls = work.connection.mode === "pull_request" ? work.pulls : undefined;
  if (!pulls) return { request: undefined, trouble: undefined };
  try {
    return { request: await pulls.find(between(work)), trouble: undefined };
  } catch (error) {
    if (!(error instanceof RepoError)) throw error;
    return { request: undefined, trouble: error };
  }
}

/** Everything about the proposals of a connection; of one that has never proposed anything it is empty. */
export async function readStanding(
  { app, connection }: SyncWork,
  { request, trouble }: RequestState,
  tip: string | null,
): Promise<Standing> {
  const { syncProposals, syncProposed } = app.storage;
  const [books, rows] = await Promise.all([
    syncProposals.find(connection._id),
    syncProposed.listOf(connection._id),
  ]);
  return {
    branch: proposalBranch(connection.branch),
    tip,
    books: books ?? undefined,
    rows: new Map(rows.map((row) => [row.skillId, row])),
    request,
    trouble,
  };
}

interface Sides {
  bases: ReadonlyMap<string, Base>;
  skills: ReadonlyMap<string, unknown>;
}

/** What was proposed and is not behind the bases yet. */
export function proposedOf(
  rows: Iterable<SyncProposed>,
  { bases, skills }: Sides,
): Map<string, SyncProposed> {
  const since = Array.from(rows, (row) =>
    sinceBase(row, bases.get(row.skillId), skills.has(row.skillId)),
  ).filter(({ contents }) => contents.length > 0);
  return new Map(since.map((row) => [row.skillId, row]));
}

/** Takes from the books what the bases have gone past. */
export async function settleRows(work: SyncWork, standing: Standing, sides: Sides): Promise<Standing> {
  const { syncProposed } = work.app.storage;
  const { connection } = work;
  const { fence } = connection.lease!;
  const rows = proposedOf(standing.rows.values(), sides);
  const gone = [...standing.rows.keys()].filter((skillId) => !rows.has(skillId));
  const fresh = [...rows.values()].filter((row) => row !== standing.rows.get(row.skillId));
  await syncProposed.removeMany(connection._id, fence, gone);
  await syncProposed.putMany(connection, fence, fresh);
  return { ...standing, rows };
}

/** A row without what the base has gone past: once the branch holds a proposal, going back to an older one is an edit. */
export function sinceBase(row: SyncProposed, base: Base | undefined, isAlive: boolean): SyncProposed {
  const { skillId, since, contents } = row;
  if (base === undefined) return isAlive || since === null ? row : { skillId, since, contents: [] };
  if (base.contentTree === since) return row;
  const at = contents.findLastIndex(({ contentTree }) => contentTree === base.contentTree);
  return { skillId, since: base.contentTree, contents: at === -1 ? [] : contents.slice(at + 1) };
}

/** For whoever decides what the branch's edits mean. `parent` is the branch's commit. */
export function proposalsOf(
  work: SyncWork,
  standing: Standing,
  parent: string | null,
  sides: Sides,
): Proposals {
  const { books, tip } = standing;
  const rows = proposedOf(standing.rows.values(), sides);
  let taken: Promise<boolean> | undefined;
  return {
    of: (skillId) => rows.get(skillId)?.contents ?? [],
    areTaken() {
      taken ??= (async () => {
        const last = books?.commits.at(-1)?.commit;
        for (const commit of new Set([tip, last]))
          if (parent !== null && commit && (await work.mirror.descends(parent, commit))) return true;
        if (books?.request?.state !== "open") return false;
        // It may have been merged since it was asked for.
        const { request } = await findRequest(work);
        return request?.number === books.request.number && request.state === "merged";
      })();
      return taken;
    },
  };
}

/**
 * Whose the branch's tip is. `ours`: a commit that we have pushed; `follows`: what others added to it is the connected
 * branch's alone; `foreign`: somebody's own work is in it.
 */
export type TipOwner =
  | { kind: "absent" }
  | { kind: "ours"; entry: ProposedCommit }
  | { kind: "follows"; facts: CommitFacts }
  | { kind: "foreign"; facts: CommitFacts | undefined };

/** `moved` when it is not there any more. Brings the tip here where it can be had. */
export async function ownerOfTip(
  work: SyncWork,
  { tip, books, branch }: Standing,
  parent: string,
): Promise<TipOwner | "moved"> {
  const { mirror } = work;
  if (tip === null) return { kind: "absent" };
  if (!(await mirror.look(tip)) && !(await isBrought(work, branch, tip))) return "moved";
  const commits = books?.commits ?? [];
  const entry = commits.findLast(({ commit }) => commit === tip);
  if (entry) return { kind: "ours", entry };
  const facts = await mirror.look(tip);
  if (!facts) return { kind: "foreign", facts };
  const connected = await mirror.look(parent);
  if (facts.tree === connected?.tree || (await mirror.descends(parent, tip)))
    return { kind: "follows", facts };

  for (const { commit, builtOn } of commits.toReversed()) {
    if (builtOn === null || !(await mirror.descends(tip, commit))) continue;
    const others = facts.parents.filter((one) => one !== commit);
    for (const after of [parent, ...others]) {
      if (after !== parent && !(await mirror.descends(parent, after))) continue;
      if (await mirror.onlyFollows(tip, { ours: commit, before: builtOn, after }))
        return { kind: "follows", facts };
    }
    break;
  }
  return { kind: "foreign", facts };
}

/** False when the branch has moved. One that is too large to be fetched stays unknown. */
async function isBrought(
  { mirror, remote, signal }: SyncWork,
  branch: string,
  tip: string,
): Promise<boolean> {
  try {
    return (await mirror.fetchBeside(remote, branch, { signal })) === tip;
  } catch (error) {
    if (!(error instanceof RepoError) || error.code !== "remote_too_large") throw error;
    return true;
  }
}
