/**
 * Rounds of a sync: each one fetches the branch, imports its edits and exports the skills. If someone pushes or
 * publishes during a round, the next one plans again.
 */
import { setTimeout as pause } from "node:timers/promises";
import { measured } from "../../../contract/observation.ts";
import { RepoError } from "../../../repos/errors.ts";
import { refuse, type SyncContext } from "../content/context.ts";
import { permitExports, type ExportFacts } from "../content/export/export-edits.ts";
import { generatedEdits } from "../content/export/marketplace.ts";
import { planExport, type SkillExport } from "../content/export/plan-export.ts";
import { pushExports } from "../content/export/push-export.ts";
import { applyImport, type ImportResult, skipUnreadable } from "../content/import/apply-import.ts";
import { importQuestions } from "../content/import/import-questions.ts";
import { planImport } from "../content/import/plan-import.ts";
import { keptContents } from "../content/permit.ts";
import {
  findRequest,
  proposalsOf,
  type ProposalState,
  pruneProposed,
  readProposalState,
} from "../content/proposal-state.ts";
import { refusalOf } from "../content/refusal.ts";
import { asUnseen } from "../content/sync-bases.ts";
import { withdrawProposal } from "./finish-proposal.ts";
import { pushProposal } from "./push-proposal.ts";
import { loadSides, readBranch, type Round } from "./read-branch.ts";

const maxRounds = 6;
const roundPauseMs = 200;

/** `stale`: a side has changed during the round, so the next one starts over. */
type RoundResult = { commit: string | null } | "stale";

/** Returns the commit of the branch, or null for an empty repository. */
export async function runRounds(context: SyncContext): Promise<string | null> {
  let isFresh = false;
  for (let round = 1; ; round++) {
    context.refusals = [];
    context.skipped = [];
    context.counts.refused = 0;
    let result: RoundResult;
    try {
      result = await measured("sync", {}, () => runRound(context));
    } catch (error) {
      if (!(error instanceof RepoError) || error.code !== "mirror_damaged") throw error;
      // Damaged again although it was just fetched: the repository itself is damaged.
      if (isFresh) throw error.cause;
      isFresh = true;
      round--;
      context.app.log.warn({ error, connection: context.connection._id }, "a damaged mirror is dropped");
      await context.mirror.drop();
      continue;
    }
    if (result !== "stale") return result.commit;
    context.counts.retries++;
    if (round === maxRounds)
      throw new RepoError(
        "remote_unreachable",
        "the branch changed during every attempt: the sync is retried later",
      );
    const pauseMs = roundPauseMs * round * (0.5 + Math.random());
    await pause(pauseMs, undefined, { signal: context.signal });
  }
}

async function runRound(context: SyncContext): Promise<RoundResult> {
  const request = await findRequest(context);
  const round = await readBranch(context);
  const proposal = await readProposalState(context, request, round.proposalTip);
  const imported = await importEdits(context, round, proposal);
  if (imported.isStale) return "stale";
  const { steps, facts } = await planExports(context, round, imported, proposal);
  const pruned = await pruneProposed(context, proposal, round.sides);
  const permitted = await permitExports(context, steps, facts);
  if (context.connection.mode === "pull_request") return pushProposal(context, permitted, facts, pruned);
  const pushed = await pushExports(context, permitted, facts);
  if (pushed !== "stale") await withdrawProposal(context, pruned);
  return pushed;
}

async function importEdits(
  context: SyncContext,
  round: Round,
  proposal: ProposalState,
): Promise<ImportResult> {
  const { parent, scan, sides, unreadable } = round;
  const actions = await planImport(
    scan.directories,
    [...sides.bases.values()],
    [...sides.skills.values()],
    importQuestions(context, round.exports, { ...sides, directories: scan.directories }),
    proposalsOf(context, proposal, parent, sides),
  );
  const facts = { commit: parent ?? "", directories: scan.directories, ...sides };
  const result = await applyImport(context, actions, facts);
  if (result.isStale) return result;
  await skipUnreadable(context, unreadable.skipped, sides.bases, result);
  if (result.isChanged) round.sides = await loadSides(context);
  return result;
}

async function planExports(
  context: SyncContext,
  { parent, scan, sides: { skills, bases }, exports: { exported } }: Round,
  { skipped, refused }: ImportResult,
  proposal: ProposalState,
): Promise<{ steps: SkillExport[]; facts: ExportFacts }> {
  const steps = await planExport({
    skills: [...skills.values()],
    // A skill with a problem is compared again each time.
    bases: Array.from(bases.values(), (base) => (base.problem ? asUnseen(base) : base)),
    directories: scan.directories,
    full: context.full,
    now: context.app.now(),
    skipped,
    refused,
    exported,
    contain: (skill, error) => isContained(context, skill, error),
  });
  const facts = {
    parent,
    skills,
    bases,
    present: new Map(scan.directories.map(({ path, contentTree }) => [path, contentTree])),
    generated: await generatedEdits(context.app, context.connection, [...skills.values()]),
    kept: keptContents(bases.values(), proposal.rows.values()),
    exported,
  };
  return { steps, facts };
}

/** Whether a failure concerns one skill only. It is reported then, and the other skills are exported. */
function isContained(context: SyncContext, { path }: { path: string }, error: unknown): boolean {
  const refusal = refusalOf(context.app, error, path);
  if (refusal) refuse(context, path, refusal.code, refusal.message);
  return refusal !== undefined;
}
