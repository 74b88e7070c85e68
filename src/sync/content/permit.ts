/**
 * Finds the steps of an export that the branch permits, before anything is written. A step is left out as a whole, so
 * that a directory is never removed if its new path can't be written. The preview uses the same check.
 */
import type { GeneratedEdit } from "../../../repos/mirror/generated/types.ts";
import type { Mirror, PlannedEdit, RefusedEdit } from "../../../repos/mirror/types.ts";
import type { SyncProposed } from "../../../storage/sync/proposed.ts";
import type { SkillExport } from "./export/plan-export.ts";
import type { MergeBase } from "./plan-types.ts";
import { unreadableMessage } from "./refusal.ts";

/** By path: content trees that are stored as versions, so that nothing is lost if they are replaced in the branch. */
export type KeptContents = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Contents of merge bases, of imports of this run and of proposals: each is stored as a version.
 */
export function keptContents(
  bases: Iterable<Pick<MergeBase, "path" | "contentTree" | "lastMove"> & { strayPath?: string }>,
  proposed: Iterable<SyncProposed>,
): KeptContents {
  const kept = new Map<string, Set<string>>();
  const keep = (path: string, contentTree: string) => {
    const known = kept.get(path);
    if (known) known.add(contentTree);
    else kept.set(path, new Set([contentTree]));
  };
  for (const { path, strayPath, contentTree, lastMove } of bases) {
    keep(path, contentTree);
    if (strayPath !== undefined) keep(strayPath, contentTree);
    if (lastMove?.second) keep(lastMove.second.path, lastMove.second.contentTree);
  }
  for (const { contents } of proposed) for (const { path, contentTree } of contents) keep(path, contentTree);
  return kept;
}

export interface RefusedStep {
  step: SkillExport;
  edit: RefusedEdit;
}

export interface Permitted {
  steps: SkillExport[];
  refused: RefusedStep[];
  /** Generated files that can't be written. */
  generated: RefusedEdit[];
}

/** Checks until no step is refused: a step that is left out leaves its paths occupied for the others. */
export async function permittedSteps(
  mirror: Mirror,
  parent: string | null,
  steps: readonly SkillExport[],
  { kept, generated }: { kept: KeptContents; generated: readonly GeneratedEdit[] },
): Promise<Permitted> {
  const permitted: Permitted = { steps: [...steps], refused: [], generated: [] };
  for (;;) {
    const edits = permitted.steps.flatMap((step) => plannedEdits(step, kept));
    const refused = await mirror.check(parent, [...edits, ...generated]);
    const { left, rest, others } = splitRefused(permitted.steps, refused);
    permitted.generated = others;
    permitted.refused.push(...left);
    permitted.steps = rest;
    if (left.length === 0) return permitted;
  }
}

/** Steps of which an edit was refused, the rest, and the refused edits of no step: generated files. */
export function splitRefused(
  steps: readonly SkillExport[],
  refused: readonly RefusedEdit[],
): { left: RefusedStep[]; rest: SkillExport[]; others: RefusedEdit[] } {
  const at = new Map(refused.map((edit) => [edit.path, edit]));
  const named = new Set(steps.flatMap(({ put, remove }) => [put?.path, ...remove]));
  const left: RefusedStep[] = [];
  const rest: SkillExport[] = [];
  for (const step of steps) {
    const edit = [step.put?.path, ...step.remove].flatMap((place) => at.get(place ?? "") ?? [])[0];
    if (edit) left.push({ step, edit });
    else rest.push(step);
  }
  return { left, rest, others: refused.filter(({ path }) => !named.has(path)) };
}

function plannedEdits({ put, remove, after }: SkillExport, kept: KeptContents): PlannedEdit[] {
  const edits: PlannedEdit[] = remove.map((path) => ({ kind: "remove", path, kept: kept.get(path) }));
  if (put && after)
    edits.push({ kind: "put", ...put, contentTree: after.contentTree, kept: kept.get(put.path) });
  return edits;
}

/** Message for people, reported at the skill that is not written. */
export function messageOf({ why, blockedBy }: RefusedEdit): string {
  switch (why) {
    case "not_imported":
      return `${blockedBy} holds content that is in no version, so it is left as it is: the next sync imports it.`;
    case "damaged_tree":
      return `A folder around ${blockedBy} has two entries of one name: remove one of them.`;
    case "unreadable":
      return unreadableMessage;
    default:
      return `${blockedBy} is in the way: move it, or rename the skill or its folder.`;
  }
}
