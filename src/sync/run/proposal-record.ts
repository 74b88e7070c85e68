/** The stored document of a proposal, saved before each step whose result could be lost. */
import { RepoError } from "../../../repos/errors.ts";
import type { Built, CommitFacts } from "../../../repos/mirror/types.ts";
import type { ProposalDoc } from "../../../storage/sync/proposals.ts";
import type { SyncContext } from "../content/context.ts";
import type { ExportFacts } from "../content/export/export-edits.ts";
import type { SkillExport } from "../content/export/plan-export.ts";
import type { ProposalState } from "../content/proposal-state.ts";
import { asUnseen, writeBases } from "../content/sync-bases.ts";
import { basesInSync, proposedContents } from "./plan-proposal.ts";

/** Number of our latest commits that are recognized. */
export const commitsKept = 50;

/** A proposal that is being pushed. */
export interface Proposal {
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

/** The stored document, or an empty one. */
export function storedOf({ app, connection }: SyncContext, { stored, branch }: ProposalState): ProposalDoc {
  const { _id, tenantId, lease } = connection;
  const known = { ...stored, _id, tenantId, branch, fence: lease!.fence, updatedAt: app.now() };
  return { state: "none", commits: [], skills: 0, ...known };
}

export const tipField = (tip: string | null): Partial<ProposalDoc> => (tip === null ? {} : { commit: tip });

/** The tip, and the request as the host reports it. */
export function requestFields({ request }: ProposalState, tip: string | null): Partial<ProposalDoc> {
  if (!request) return tipField(tip);
  const { number, url, state } = request;
  return { ...tipField(tip), request: { number, url, state } };
}

/** Changes the stored document. Throws a retryable error if another process has the lease. */
export async function save(proposal: Proposal, fields: Partial<ProposalDoc>): Promise<void> {
  proposal.stored = { ...proposal.stored, ...fields };
  if (!(await proposal.context.app.storage.syncProposals.put(proposal.stored)))
    throw new RepoError("storage_unavailable", "another process works on this connection");
}

/** Stores the content and the id of a commit before it is pushed. */
export async function announce(
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

/** Removes proposals of skills that were deleted before they were merged. */
export async function removeDeleted({ context, facts: { skills, bases }, state }: Proposal): Promise<void> {
  const { app, connection } = context;
  const ids = [...state.rows.keys()].filter((id) => !skills.has(id) && !bases.has(id));
  await app.storage.syncProposed.removeMany(connection._id, connection.lease!.fence, ids);
}
