/** Steps of an export as edits and commits of the mirror, without those that the branch or the mirror refuses. */
import type { GeneratedEdit } from "../../../../repos/mirror/generated/types.ts";
import type { Built, MirrorEdit, Onto } from "../../../../repos/mirror/types.ts";
import type { SyncBase } from "../../../../storage/sync/bases.ts";
import { commitHost } from "../../../skills/publish/author.ts";
import { refuse, skipGenerated, type SyncContext } from "../context.ts";
import { messageOf, permittedSteps, splitRefused, type KeptContents, type RefusedStep } from "../permit.ts";
import { recordProblem } from "../sync-bases.ts";
import type { ExportedSkill, LocatedSkill } from "./exported.ts";
import { titleOf, type SkillExport } from "./plan-export.ts";

export interface ExportFacts {
  /** Commit of the connected branch, or null in an empty repository. */
  parent: string | null;
  skills: ReadonlyMap<string, LocatedSkill>;
  bases: ReadonlyMap<string, SyncBase>;
  /** Content trees of the branch's directories. */
  present: ReadonlyMap<string, string>;
  /** Files that the service generates for the whole repository. */
  generated: readonly GeneratedEdit[];
  /** Content of the branch that may be replaced or removed. */
  kept: KeptContents;
  exported(skillId: string): Promise<ExportedSkill>;
}

/** Builds the commit of a batch, and builds it again without the steps that the mirror refuses. */
export async function buildBatch(
  context: SyncContext,
  batch: readonly SkillExport[],
  facts: ExportFacts,
  { parent, onto }: { parent: string | null; onto?: Onto },
  withGenerated: boolean,
): Promise<{ steps: readonly SkillExport[]; built: Built }> {
  for (let steps = batch; ;) {
    const edits: MirrorEdit[] = [];
    for (const step of steps) edits.push(...(await editsOf(step, facts)));
    if (withGenerated) edits.push(...facts.generated);
    const built = await context.mirror.build(parent, edits, commitInfo(context, steps), onto);
    const { left, rest, others } = splitRefused(steps, built.refused);
    for (const one of left) await refuseEdit(context, one, facts);
    for (const one of others) skipGenerated(context, one);
    if (left.length === 0) return { steps, built };
    steps = rest;
  }
}

export async function editsOf(
  { skillId, put, remove }: SkillExport,
  { kept, exported }: ExportFacts,
): Promise<MirrorEdit[]> {
  const edits: MirrorEdit[] = remove.map((path) => ({ kind: "remove", path, kept: kept.get(path) }));
  if (put) {
    const { contentTree, svc, files } = await exported(skillId);
    edits.push({ kind: "put", ...put, contentTree, svc, files, kept: kept.get(put.path) });
  }
  return edits;
}

/** The steps that the branch permits. Each refused step is reported for its skill. */
export async function permitExports(
  context: SyncContext,
  steps: readonly SkillExport[],
  facts: ExportFacts,
): Promise<SkillExport[]> {
  const permitted = await permittedSteps(context.mirror, facts.parent, steps, facts);
  for (const one of permitted.refused) await refuseEdit(context, one, facts);
  for (const one of permitted.generated) skipGenerated(context, one);
  return permitted.steps;
}

export function commitInfo({ app, connection }: SyncContext, batch: readonly SkillExport[]) {
  return {
    author: { name: "svc", email: `git@noreply.${commitHost(app.config.baseUrl)}` },
    at: app.now(),
    message: `${titleOf(batch)}\n\nSvc-Sync: ${connection._id}\n`,
  };
}

async function refuseEdit(
  context: SyncContext,
  { step, edit }: RefusedStep,
  facts: Pick<ExportFacts, "bases">,
): Promise<void> {
  const { app } = context;
  if (edit.cause !== undefined)
    app.log.error({ error: edit.cause, skill: step.skillId }, "a skill could not be read for its export");
  await refuseStep(context, step, edit.why, messageOf(edit), facts);
}

/** Reports a step that is not exported. */
export async function refuseStep(
  context: SyncContext,
  step: SkillExport,
  code: string,
  message: string,
  { bases }: Pick<ExportFacts, "bases">,
): Promise<void> {
  const place = step.put?.path ?? step.remove[0] ?? "";
  refuse(context, place, code, message);
  const base = bases.get(step.skillId);
  if (base) await recordProblem(context, base, { code, message });
}
