/**
 * Pull-request mode: what would be pushed to the connected branch goes to a branch of the service, and one pull request
 * from there is kept up to date. The tree of that branch is the tree of the connected branch with our edits. Nothing is
 * forced: the parents of each commit are the tip of that branch and, if it has moved, the connected branch. Merge bases
 * describe the connected branch only, so every sync compares a skill that is only proposed again.
 *
 * The content and the id of each commit are stored before it is pushed. If the sync is interrupted after that, the tip is
 * a known commit.
 */
import { RepoError } from "../../../repos/errors.ts";
import type { Built, CommitFacts, Mirror, MirrorEdit } from "../../../repos/mirror/types.ts";
import type { ProposalDoc } from "../../../storage/sync-proposals.ts";
import { SyncBlocked } from "../connection/sync-blocked.ts";
import { tally, type SyncContext } from "../content/context.ts";
import { isPush, type SkillExport } from "../content/plan-export.ts";
import { between, findTipOwner, type ProposalState } from "../content/proposal-state.ts";
import {
  bytesOf,
  commitInfo,
  type Destination,
  editsOf,
  type ExportFacts,
  pushBatches,
} from "../content/push-export.ts";
import { asUnseen, recordExports, writeBases } from "../content/sync-bases.ts";
import {
  basesInSync,
  digestOf,
  hasForeignCommits,
  planProposal,
  type ProposalPlan,
  proposedContents,
} from "./plan-proposal.ts";
import { closeRequest, keepRequest, requestProblem, requestText } from "./pull-request.ts";

/** Commits of ours that are recognized. */
const commitsKept = 50;

/** A proposal that is being pushed. */
interface Proposal {
  context: SyncContext;
  facts: ExportFacts;
  state: ProposalState;
  /** Commit of the connected branch. */
  parent: string;
  base: CommitFacts;
  /** All steps that are to be proposed. */
  wanted: readonly SkillExport[];
  digest: string;
  /** The stored document, as it was last saved. */
  stored: ProposalDoc;
}

/** Result of the pushes of a proposal. */
interface Progress {
  /** Steps that are on the branch. */
  done: SkillExport[];
  tip: string | null;
  tree: string;
  isPushed: boolean;
}

/** Returns the commit of the connected branch, or `stale` if someone else has pushed to our branch. */
export async function pushProposal(
  context: SyncContext,
  steps: readonly SkillExport[],
  facts: ExportFacts,
  state: ProposalState,
): Promise<{ commit: string | null } | "stale"> {
  const { mirror, connection } = context;
  await recordExports(
    context,
    steps.filter((step) => !isPush(step)),
  );
  const { parent } = facts;
  if (parent === null)
    throw new SyncBlocked(
      "branch_missing",
      `The repository is empty, so nothing can be proposed to it: push a first commit to ${connection.branch}.`,
    );
  const owner = await findTipOwner(context, state, parent);
  const base = await mirror.readCommit(parent);
  if (owner === "stale" || !base) return "stale";
  const wanted = steps.filter((step) => isPush(step));
  const digest = digestOf(wanted, facts.index);
  const stored = storedOf(context, state);
  const proposal: Proposal = { context, facts, state, parent, base, wanted, digest, stored };
  const plan = planProposal({
    ...proposal,
    owner,
    tree: hasForeignCommits(owner, state) ? (await buildTrial(proposal)).tree : undefined,
    isFull: context.full,
    ...(await relationOf(mirror, state, parent)),
  });
  if (plan.kind === "leave") {
    await save(proposal, { state: plan.state, skills: wanted.length, ...requestFields(state, state.tip) });
    return { commit: parent };
  }
  const progress = await pushPlanned(proposal, plan);
  if (progress === "stale") return "stale";
  await finishProposal(proposal, progress);
  return { commit: parent };
}

/** An open request was not merged, so that the tip need not be searched for in the history. */
async function relationOf(mirror: Mirror, { tip, request }: ProposalState, parent: string) {
  if (tip === null) return { isMerged: false, isOnTop: false };
  const isMerged = request?.state !== "open" && (await mirror.isDescendant(parent, tip));
  return { isMerged, isOnTop: !isMerged && (await mirror.isDescendant(tip, parent)) };
}

/** Builds the tree of the proposal without writing it. */
async function buildTrial({ context, facts, state, parent, wanted }: Proposal): Promise<Built> {
  const edits: MirrorEdit[] = [];
  for (const step of wanted) edits.push(...(await editsOf(step, facts)));
  edits.push({ kind: "index", data: facts.index });
  const onto = { tip: state.tip, parents: [parent], isTrial: true };
  return context.mirror.build(parent, edits, commitInfo(context, wanted), onto);
}

async function pushPlanned(
  proposal: Proposal,
  { onto, adopted }: Extract<ProposalPlan, { kind: "push" }>,
): Promise<Progress | "stale"> {
  const { context, facts, state, parent, base, wanted } = proposal;
  if (adopted) proposal.stored.commits = [...proposal.stored.commits, adopted].slice(-commitsKept);
  const present = await findPresent(context.mirror, state.tip, parent, wanted);
  const progress: Progress = { done: [], tip: state.tip, tree: "", isPushed: false };
  let next = { parent, onto };
  const destination: Destination = {
    branch: state.branch,
    hint: "allow them",
    indexWithEach: true,
    next: () => next,
    bytesOf: (step) => (present.has(step) ? 0 : bytesOf(step, facts)),
    announce: (batch, built) => announce(proposal, batch, built),
    async arrived(batch, { prepared, tree }) {
      progress.done.push(...batch);
      progress.tree = tree;
      if (prepared) {
        progress.tip = prepared.commit;
        progress.isPushed = true;
        for (const step of batch)
          if (!present.has(step))
            tally(context, step.put ? "exported" : "removed", facts.skills.get(step.skillId)?.folderId);
      } else if (tree === base.tree) return;
      const tip = progress.tip!;
      next = { parent: tip, onto: { tip, parents: [tip] } };
    },
  };
  // Steps that the branch has come first: they share a commit, and are not sent again.
  const ordered = wanted.toSorted((a, b) => Number(present.has(b)) - Number(present.has(a)));
  return (await pushBatches(context, ordered, facts, destination)) === "stale" ? "stale" : progress;
}

/** Stores the content and the id of a commit before it is pushed. */
async function announce(
  proposal: Proposal,
  batch: readonly SkillExport[],
  { prepared, skills }: Built,
): Promise<void> {
  const { context, facts, state, parent, base, stored } = proposal;
  const { app, connection } = context;
  const rows = proposedContents(batch, state.rows, facts.bases);
  await app.storage.syncProposed.putMany(connection, connection.lease!.fence, rows);
  await writeBases(context, basesInSync(batch, facts.bases).map(asUnseen));
  if (!prepared) return;
  const entry = { commit: prepared.commit, skills, builtOn: parent, base: base.skills };
  await save(proposal, { commits: [...stored.commits, entry].slice(-commitsKept) });
}

/** Steps whose result the branch already has. */
async function findPresent(
  mirror: Mirror,
  tip: string | null,
  parent: string,
  wanted: readonly SkillExport[],
): Promise<ReadonlySet<SkillExport>> {
  if (tip === null || !(await mirror.readCommit(tip))) return new Set();
  const { directories, gone } = await mirror.scan(tip, { since: parent });
  const at = new Map(directories.map((directory) => [directory.path, directory]));
  const isGone = new Set(gone);
  return new Set(
    wanted.filter(({ put, remove, after }) => {
      const there = put && at.get(put.path);
      const isPut = !put || (there?.contentTree === after?.contentTree && there?.svcBlob === after?.svcBlob);
      return isPut && remove.every((path) => isGone.has(path));
    }),
  );
}

/** Brings the stored document and the pull request up to date with the branch. */
async function finishProposal(proposal: Proposal, { done, tip, tree, isPushed }: Progress): Promise<void> {
  const { context, state, digest } = proposal;
  const { pulls } = context;
  const { request, error } = state;
  if (!isPushed) await forgetDeleted(proposal);
  if (!isPushed && tree === proposal.base.tree) return endProposal(proposal, tip);
  const fields = { skills: done.length, digest, ...requestFields(state, tip) };
  await save(proposal, { state: request?.state === "open" ? "open" : "branch", ...fields });
  if (!pulls) return;
  if (error) throw requestProblem(error);
  try {
    const kept = await keepRequest(pulls, between(context), {
      request,
      text: requestText(done, proposal.facts.skills),
      written: proposal.stored.words ?? [],
      note: (words) => save(proposal, { words }),
    });
    await save(proposal, { state: "open", request: kept });
  } catch (failure) {
    throw failure instanceof RepoError ? requestProblem(failure) : failure;
  }
}

/** Nothing is left to propose: closes the request. */
async function endProposal(proposal: Proposal, tip: string | null): Promise<void> {
  const { context, state } = proposal;
  const { pulls } = context;
  const { request: _request, digest: _digest, words: _words, ...rest } = proposal.stored;
  proposal.stored = rest;
  // Before the request is closed: otherwise its end would count as a decision against its content.
  await save(proposal, { state: "none", skills: 0, ...tipField(tip) });
  if (pulls && state.request?.state === "open") await closeRequest(pulls, between(context), state.request);
  if (state.error && state.stored?.request?.state === "open") throw requestProblem(state.error);
}

/** Forgets proposals of skills that were deleted before the connected branch had them. */
async function forgetDeleted({ context, facts: { skills, bases }, state }: Proposal): Promise<void> {
  const { app, connection } = context;
  const ids = [...state.rows.keys()].filter((id) => !skills.has(id) && !bases.has(id));
  await app.storage.syncProposed.removeMany(connection._id, connection.lease!.fence, ids);
}

function storedOf({ app, connection }: SyncContext, { stored, branch }: ProposalState): ProposalDoc {
  const { _id, tenantId, lease } = connection;
  const known = { ...stored, _id, tenantId, branch, fence: lease!.fence, updatedAt: app.now() };
  return { state: "none", commits: [], skills: 0, ...known };
}

const tipField = (tip: string | null): Partial<ProposalDoc> => (tip === null ? {} : { commit: tip });

/** The tip, and the request as the host reports it. */
function requestFields({ request }: ProposalState, tip: string | null): Partial<ProposalDoc> {
  if (!request) return tipField(tip);
  const { number, url, state } = request;
  return { ...tipField(tip), request: { number, url, state } };
}

async function save(proposal: Proposal, fields: Partial<ProposalDoc>): Promise<void> {
  proposal.stored = { ...proposal.stored, ...fields };
  if (!(await proposal.context.app.storage.syncProposals.put(proposal.stored)))
    throw new RepoError("storage_unavailable", "another process works on this connection");
}

/** Back in push mode: closes the open request, since everything has been pushed. The branch stays as it is. */
export async function withdrawProposal(context: SyncContext, { stored }: ProposalState): Promise<void> {
  if (!stored) return;
  const { app, connection, pulls } = context;
  if (pulls) {
    try {
      const request = await pulls.find(between(context));
      if (request?.state === "open") await closeRequest(pulls, between(context), request);
    } catch (error) {
      if (!(error instanceof RepoError) || error.retryable) throw error;
      app.log.warn({ error, connection: connection._id }, "a pull request could not be closed");
    }
  }
  await app.storage.syncProposals.remove(connection._id, connection.lease!.fence);
}
