/**
 * Pull-request mode: what would be pushed to the connected branch goes to a branch of the service, and one pull request
 * from there is kept up to date. The tree of that branch is the tree of the connected branch with our edits. Nothing is
 * forced: the parents of each commit are the tip of that branch and, if it has moved, the connected branch. Merge bases
 * describe the connected branch only, so every sync compares a skill that is only proposed again.
 *
 * The content and the id of each commit are stored before it is pushed. If the sync is interrupted after that, the tip
 * is a known commit.
 */
import type { Built, Mirror, MirrorEdit } from "../../../repos/mirror/types.ts";
import { SyncBlocked } from "../connection/sync-blocked.ts";
import { tally, type SyncContext } from "../content/context.ts";
import { commitInfo, editsOf, type ExportFacts } from "../content/export/export-edits.ts";
import { isPush, type SkillExport } from "../content/export/plan-export.ts";
import { bytesOf, pushBatches, type Destination } from "../content/export/push-batches.ts";
import { findTipOwner, type ProposalState } from "../content/proposal-state.ts";
import { recordExports } from "../content/sync-bases.ts";
import { finishProposal, type Progress } from "./finish-proposal.ts";
import { digestOf, hasForeignCommits, planProposal, type ProposalPlan } from "./plan-proposal.ts";
import { announce, commitsKept, requestFields, save, storedOf, type Proposal } from "./proposal-record.ts";

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
  const digest = await digestOf(wanted, facts.generated);
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
  edits.push(...facts.generated);
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
    generatedWithEach: true,
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
