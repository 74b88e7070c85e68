/** The end of a proposal: updates the stored document and the pull request after the pushes. */
import { RepoError } from "../../../repos/errors.ts";
import type { SyncContext } from "../content/context.ts";
import type { SkillExport } from "../content/export/plan-export.ts";
import { between, type ProposalState } from "../content/proposal-state.ts";
import { removeDeleted, requestFields, save, tipField, type Proposal } from "./proposal-record.ts";
import { closeRequest, keepRequest, requestProblem, requestText } from "./pull-request.ts";

/** Result of the pushes of a proposal. */
export interface Progress {
  /** Steps that are on the branch. */
  done: SkillExport[];
  tip: string | null;
  tree: string;
  isPushed: boolean;
}

/** Updates the stored document and the pull request to the state of the branch. */
export async function finishProposal(
  proposal: Proposal,
  { done, tip, tree, isPushed }: Progress,
): Promise<void> {
  const { context, state, digest } = proposal;
  const { pulls } = context;
  const { request, error } = state;
  if (!isPushed) await removeDeleted(proposal);
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

/** After a push in push mode: closes an open request of the previous mode. The branch of the proposal is unchanged. */
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
