/** Plan of a proposal: whether our branch is left as it is, or what the next commits on it are put on. Pure. */
import { createHash } from "node:crypto";
import type { GeneratedEdit } from "../../../repos/mirror/generated/types.ts";
import type { CommitFacts, Onto } from "../../../repos/mirror/types.ts";
import type { SyncBase } from "../../../storage/sync/bases.ts";
import type { ProposedCommit } from "../../../storage/sync/proposals.ts";
import type { SyncProposed } from "../../../storage/sync/proposed.ts";
import type { SkillExport } from "../content/export/plan-export.ts";
import type { ProposalState, TipOwner } from "../content/proposal-state.ts";

/** Contents of one skill that are recognized as proposals. An older one that is merged counts as an edit. */
const contentsKept = 50;

export type ProposalPlan =
  /** Branch and request stay as they are. */
  | { kind: "leave"; state: "none" | "edited" | "closed" }
  /** `adopted`: the tip, which others made, and which counts as a commit of ours from here on. */
  | { kind: "push"; onto: Onto; adopted?: ProposedCommit };

export interface ProposalFacts {
  state: ProposalState;
  owner: TipOwner;
  /** The connected branch. */
  parent: string;
  base: CommitFacts;
  /** Tree of the proposal, built if the branch has commits of others. */
  tree: string | undefined;
  digest: string;
  /** A member has requested the sync: a request that was closed is opened again. */
  isFull: boolean;
  /** The connected branch contains the tip. */
  isMerged: boolean;
  /** The tip contains the connected branch. */
  isOnTop: boolean;
}

export function planProposal(facts: ProposalFacts): ProposalPlan {
  const { state, owner, parent, base, tree, isMerged } = facts;
  const isForeign = hasForeignCommits(owner, state);
  if (isForeign && tree !== owner.facts?.tree) {
    const isEmpty = tree === base.tree && state.request?.state !== "open";
    return { kind: "leave", state: isEmpty ? "none" : "edited" };
  }
  if (isDeclined(facts)) return { kind: "leave", state: "closed" };
  const { tip } = state;
  if (tip === null || isMerged) return { kind: "push", onto: { tip, parents: [parent] } };
  const known = owner.kind === "ours" ? owner.entry : adoptedCommit(tip, facts, isForeign);
  const parents = known?.builtOn === parent ? [tip] : [tip, parent];
  const skills = known && known.skills !== null && known.base === base.skills ? { skills: known.skills } : {};
  return {
    kind: "push",
    onto: { tip, parents, ...skills },
    adopted: known && owner.kind !== "ours" ? known : undefined,
  };
}

/** Whether the branch has commits of others, in a request that is not over. */
export function hasForeignCommits(
  owner: TipOwner,
  { request, tip }: ProposalState,
): owner is Extract<TipOwner, { kind: "foreign" }> {
  const isOver = request !== undefined && request.state !== "open" && request.commit === tip;
  return owner.kind === "foreign" && !isOver;
}

/** Whether someone has closed the request with exactly this content. A sync by hand proposes it again. */
function isDeclined({ state: { request, stored }, digest, isFull }: ProposalFacts): boolean {
  if (request?.state !== "closed" || stored?.request?.number !== request.number || isFull) return false;
  return stored.digest === digest;
}

/** The tip as a commit of ours, if it contains nothing but the proposal and the connected branch. */
function adoptedCommit(
  tip: string,
  { owner, parent, base, isOnTop }: ProposalFacts,
  isSame: boolean,
): ProposedCommit | undefined {
  if (owner.kind === "absent" || owner.kind === "ours" || (owner.kind === "foreign" && !isSame))
    return undefined;
  return {
    commit: tip,
    skills: owner.facts?.skills ?? null,
    builtOn: isOnTop ? parent : null,
    base: isOnTop || isSame ? base.skills : null,
  };
}

/** Digest of everything that is proposed: two proposals with the same digest are the same. */
export async function digestOf(
  wanted: readonly SkillExport[],
  generated: readonly GeneratedEdit[],
): Promise<string> {
  const parts = wanted.map(({ skillId, put, remove, after }) => [
    skillId,
    put?.path ?? null,
    put ? (after?.contentTree ?? null) : null,
    put ? (after?.svcBlob ?? null) : null,
    ...remove,
  ]);
  parts.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
  const hash = createHash("sha256").update(JSON.stringify(parts));
  for (const edit of generated) {
    if (edit.kind === "index") hash.update(edit.data);
    else
      for (const [path, data] of (await edit.content?.(new Set(edit.skills)))?.files ?? [])
        hash.update(path).update(data);
  }
  return hash.digest("hex");
}

/** Contents to record before they are pushed, so that they are recognized however late they are merged. */
export function proposedContents(
  batch: readonly SkillExport[],
  proposed: ReadonlyMap<string, SyncProposed>,
  bases: ReadonlyMap<string, SyncBase>,
): SyncProposed[] {
  const rows: SyncProposed[] = [];
  for (const { skillId, put, after } of batch) {
    if (!put || !after) continue;
    const known = proposed.get(skillId);
    const contents = known?.contents ?? [];
    const content = { path: put.path, contentTree: after.contentTree };
    const last = contents.at(-1);
    if (last?.path === content.path && last.contentTree === content.contentTree) continue;
    const since = known?.since ?? bases.get(skillId)?.contentTree ?? null;
    rows.push({ skillId, since, contents: [...contents, content].slice(-contentsKept) });
  }
  return rows;
}

/**
 * Bases that would not show that their skill is still to be exported. A full sync finds what is missing in the branch;
 * until the branch has it, every sync has to.
 */
export function basesInSync(batch: readonly SkillExport[], bases: ReadonlyMap<string, SyncBase>): SyncBase[] {
  return batch.flatMap(({ skillId, after }) => {
    const base = bases.get(skillId);
    const differs = !base || !after || base.skillRevision !== after.skillRevision || base.path !== after.path;
    return differs ? [] : [base];
  });
}
