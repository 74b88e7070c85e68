/** Pushes an export in batches: one pack for all steps, or several if they are large or the host refuses some. */
import type { Built, Onto } from "../../../../repos/mirror/types.ts";
import { SyncBlocked } from "../../connection/sync-blocked.ts";
import type { SyncContext } from "../context.ts";
import { buildBatch, refuseStep, type ExportFacts } from "./export-edits.ts";
import type { SkillExport } from "./plan-export.ts";

/** Maximum content of one push, unless a single skill is larger. */
const pushedBytes = 128 * 1024 * 1024;
/** Number of skills refused in a row, with none accepted, after which the sync is blocked. */
const refusedInARow = 5;

/** The branch that the batches are pushed to, each on top of the previous one. */
export interface Destination {
  branch: string;
  /** Remedy for the message about a protected branch. */
  hint: string;
  /**
   * Whether each batch contains the generated files, and not only the last: for a branch that usually has all steps
   * already.
   */
  generatedWithEach: boolean;
  /** The commit that the next batch is built on. */
  next(): { parent: string | null; onto?: Onto };
  /** Bytes that a step adds to a push. */
  bytesOf(step: SkillExport): number;
  /** Called before the push, to record what it contains, in case its result is lost. */
  announce(batch: readonly SkillExport[], built: Built): Promise<void>;
  /** Called once the branch has the batch, also if it had it before. */
  arrived(batch: readonly SkillExport[], built: Built): Promise<void>;
}

/** Pushes steps in as few batches as possible, and leaves out those that the host refuses. */
export async function pushBatches(
  context: SyncContext,
  steps: readonly SkillExport[],
  facts: ExportFacts,
  to: Destination,
): Promise<"pushed" | "stale"> {
  let accepted = 0;
  let refused = 0;
  const waiting = batchesOf(steps, to);
  // The generated files are in the last batch, or in one of their own.
  if (waiting.length === 0) waiting.push([]);
  while (waiting.length > 0) {
    context.signal.throwIfAborted();
    const batch = waiting.shift()!;
    const result = await pushOnce(context, batch, facts, to, waiting.length === 0 || to.generatedWithEach);
    if (result === "stale") return "stale";
    if (result === "pushed") {
      accepted += batch.length;
      continue;
    }
    if (batch.length > 1) {
      waiting.unshift(...halvesOf(batch, result.paths));
      continue;
    }
    const [step] = batch;
    if (!step) throw new SyncBlocked("push_rejected", `The repository refuses our push: ${result.message}`);
    await refuseStep(context, step, "push_rejected", result.message, facts);
    // The generated files would have been in this batch.
    if (waiting.length === 0) waiting.push([]);
    if (++refused >= refusedInARow && accepted === 0)
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
  withGenerated: boolean,
): Promise<"pushed" | "stale" | Refused> {
  const { steps, built } = await buildBatch(context, batch, facts, to.next(), withGenerated);
  const { prepared } = built;
  await to.announce(steps, built);
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
      if (pushed.cause === "unsigned")
        throw new SyncBlocked(
          "signature_required",
          `The host accepts only signed commits on the branch ${branch}, and the service does not sign its commits. ${message}`,
        );
      return { message, paths: pushed.paths };
    }
  }
  await to.arrived(steps, built);
  return "pushed";
}

/** Bytes of a step's content that the branch does not have at its path or at its previous path. */
export function bytesOf({ skillId, put, after }: SkillExport, { skills, present }: ExportFacts): number {
  if (!put) return 0;
  const isThere = [put.path, put.from ?? put.path].some((place) => present.get(place) === after?.contentTree);
  return isThere ? 0 : (skills.get(skillId)?.current.totalBytes ?? 0);
}

/** Divides steps, in their order, into batches that fit into one push. */
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

/** Divides a refused batch: the steps that the host named are pushed singly, or else each half. */
function halvesOf(batch: readonly SkillExport[], paths: readonly string[]): SkillExport[][] {
  const isNamed = ({ put }: SkillExport) =>
    put !== undefined && paths.some((place) => place === put.path || place.startsWith(`${put.path}/`));
  const named = batch.filter(isNamed);
  if (named.length > 0 && named.length < batch.length)
    return [batch.filter((step) => !isNamed(step)), ...named.map((step) => [step])];
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)];
}
