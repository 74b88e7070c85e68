/**
 * Writes skills to the branch: one pack for all of them, or several where they are large or where the host refuses some. A
 * base is written once its directory is in the branch; a stop before that leaves what we once exported, which is known again.
 */
import { indexPath } from "../../../repos/mirror/layout.ts";
import type { Built, MirrorEdit, Onto } from "../../../repos/mirror/types.ts";
import type { SyncBase } from "../../../storage/sync-bases.ts";
import { commitHost } from "../../skills/publish/author.ts";
import type { ExportedSkill, LocatedSkill } from "./exported.ts";
import { messageOf, splitRefused, permittedSteps, type KeptContents, type RefusedStep } from "./permit.ts";
import { isPush, titleOf, type SkillExport } from "./plan-export.ts";
import { recordExports, recordProblem } from "./sync-bases.ts";
import { SyncBlocked } from "../connection/sync-blocked.ts";
import { skipIndex, refuse, tally, type SyncContext } from "./context.ts";

/** Content of one push; a pack holds at most this and the largest skill. */
const pushedBytes = 128 * 1024 * 1024;
/** So many skills refused one by one, and none taken: it is not the skills. */
const refusedInARow = 5;

export interface ExportFacts {
  parent: string | null;
  skills: ReadonlyMap<string, LocatedSkill>;
  bases: ReadonlyMap<string, SyncBase>;
  /** Content trees of the branch's directories. */
  present: ReadonlyMap<string, string>;
  index: Buffer;
  /** Content of the branch that may be replaced or removed. */
  kept: KeptContents;
  exported(skillId: string): Promise<ExportedSkill>;
}

/** A branch that batches are pushed to, one on top of the other. */
export interface Destination {
  branch: string;
  /** What is to be done about a branch that is protected from us. */
  hint: string;
  /** Whether the index goes with each batch: for a branch that holds them all already, most of the time. */
  indexWithEach: boolean;
  /** What the next batch is put on. */
  next(): { parent: string | null; onto?: Onto };
  /** How many bytes of a step are to be sent. */
  bytesOf(step: SkillExport): number;
  /** Before anything is sent: what is to be known of it, should nobody hear what became of it. */
  announce(batch: readonly SkillExport[], built: Built): Promise<void>;
  /** The branch has it, or had it already. */
  arrived(batch: readonly SkillExport[], built: Built): Promise<void>;
}

/** Answers the branch's commit after it, or `stale` if someone else has pushed: what was taken until then stays. */
export async function pushExports(
  context: SyncContext,
  steps: readonly SkillExport[],
  facts: ExportFacts,
): Promise<{ commit: string | null } | "stale"> {
  await recordExports(
    context,
    steps.filter((step) => !isPush(step)),
  );
  let tip = facts.parent;
  const { branch } = context.connection;
  const result = await pushBatches(
    context,
    steps.filter((step) => isPush(step)),
    facts,
    {
      branch,
      hint: "allow them, connect another branch, or have them proposed as pull requests (mode pull_request)",
      indexWithEach: false,
      next: () => ({ parent: tip }),
      bytesOf: (step) => bytesOf(step, facts),
      announce: async () => undefined,
      async arrived(batch, { prepared }) {
        tip = prepared?.commit ?? tip;
        await recordExports(context, batch);
        for (const { put, remove, skillId } of batch) {
          const folderId = facts.skills.get(skillId)?.folderId;
          if (put) tally(context, "exported", folderId);
          else if (remove.length > 0) tally(context, "removed", folderId);
        }
      },
    },
  );
  return result === "stale" ? "stale" : { commit: tip };
}

/** Pushes steps in as few batches as may be, and leaves out what the host refuses. */
export async function pushBatches(
  context: SyncContext,
  steps: readonly SkillExport[],
  facts: ExportFacts,
  to: Destination,
): Promise<"pushed" | "stale"> {
  let taken = 0;
  let refused = 0;
  const waiting = batchesOf(steps, to);
  // The index goes with the last of them, and alone where nothing else does.
  if (waiting.length === 0) waiting.push([]);
  while (waiting.length > 0) {
    context.signal.throwIfAborted();
    const batch = waiting.shift()!;
    const result = await pushOnce(context, batch, facts, to, waiting.length === 0 || to.indexWithEach);
    if (result === "stale") return "stale";
    if (result === "pushed") {
      taken += batch.length;
      continue;
    }
    if (batch.length > 1) {
      waiting.unshift(...halvesOf(batch, result.paths));
      continue;
    }
    const [step] = batch;
    if (!step) throw new SyncBlocked("push_rejected", `The repository refuses our push: ${result.message}`);
    await refuseStep(context, step, "push_rejected", result.message, facts);
    // Whatever else was to go with it.
    if (waiting.length === 0) waiting.push([]);
    if (++refused >= refusedInARow && taken === 0)
      throw new SyncBlocked("push_rejected", `The repository refuses every push: ${result.message}`);
  }
  return "pushed";
}

interface Refused {
  message: string;
  paths: readonly string[];
}

async function pushOnce(
  context: SyncContext,
  batch: readonly SkillExport[],
  facts: ExportFacts,
  to: Destination,
  withIndex: boolean,
): Promise<"pushed" | "stale" | Refused> {
  const { carried, built } = await buildBatch(context, batch, facts, to, withIndex);
  const { prepared } = built;
  await to.announce(carried, built);
  if (prepared) {
    const { branch, hint } = to;
    const pushed = await context.mirror.push(context.remote, branch, prepared, { signal: context.signal });
    if (pushed.status === "stale") return "stale";
    if (pushed.status === "rejected") {
      const message = [pushed.reason, pushed.text].filter((part) => part !== "").join(": ");
      if (pushed.cause === "protected")
        throw new SyncBlocked(
          "branch_protected",
          `The branch ${branch} is protected against our pushes: ${hint}. ${message}`,
        );
      return { message, paths: pushed.paths };
    }
  }
  await to.arrived(carried, built);
  return "pushed";
}

/** Builds a batch, and builds it again without the steps that turn out not to be possible. */
async function buildBatch(
  context: SyncContext,
  batch: readonly SkillExport[],
  facts: ExportFacts,
  to: Destination,
  withIndex: boolean,
): Promise<{ carried: readonly SkillExport[]; built: Built }> {
  for (let carried = batch; ;) {
    const edits: MirrorEdit[] = [];
    for (const step of carried) edits.push(...(await editsOf(step, facts)));
    if (withIndex) edits.push({ kind: "index", data: facts.index });
    const { parent, onto } = to.next();
    const built = await context.mirror.build(parent, edits, commitInfo(context, carried), onto);
    const { left, rest } = splitRefused(carried, built.refused);
    for (const one of left) await refuseEdit(context, one, facts);
    const index = built.refused.find(({ path }) => path === indexPath);
    if (index) skipIndex(context, index);
    if (left.length === 0) return { carried, built };
    carried = rest;
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

/** Leaves out what the branch does not permit; each is reported at its skill. */
export async function permitExports(
  context: SyncContext,
  steps: readonly SkillExport[],
  facts: ExportFacts,
): Promise<SkillExport[]> {
  const permitted = await permittedSteps(context.mirror, facts.parent, steps, { ...facts, indexPath });
  for (const one of permitted.refused) await refuseEdit(context, one, facts);
  if (permitted.index) skipIndex(context, permitted.index);
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

async function refuseStep(
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

/** What is to be sent of a skill's content: none of it where the branch has it already, there or where it comes from. */
export function bytesOf({ skillId, put, after }: SkillExport, { skills, present }: ExportFacts): number {
  if (!put) return 0;
  const isThere = [put.path, put.from ?? put.path].some((place) => present.get(place) === after?.contentTree);
  return isThere ? 0 : (skills.get(skillId)?.current.totalBytes ?? 0);
}

/** In the order given, each as large as one push may be. */
function batchesOf(steps: readonly SkillExport[], to: Destination): SkillExport[][] {
  const batches: SkillExport[][] = [];
  let bytes = Infinity;
  for (const step of steps) {
    const size = to.bytesOf(step);
    if (bytes + size > pushedBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(step);
    bytes += size;
  }
  return batches;
}

/** Those that the host has named by themselves, else each half: the rest must not wait for them. */
function halvesOf(batch: readonly SkillExport[], paths: readonly string[]): SkillExport[][] {
  const isNamed = ({ put }: SkillExport) =>
    put !== undefined && paths.some((place) => place === put.path || place.startsWith(`${put.path}/`));
  const named = batch.filter(isNamed);
  if (named.length > 0 && named.length < batch.length)
    return [batch.filter((step) => !isNamed(step)), ...named.map((step) => [step])];
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)];
}
