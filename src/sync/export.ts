/**
 * Writes skills to the branch: one pack for all of them, or several where they are large or where the host refuses some. A
 * base is written once its directory is in the branch; a stop before that leaves what we once exported, which is known again.
 */
import { indexPath } from "../../repos/mirror/layout.ts";
import type { Built, MirrorEdit, Onto } from "../../repos/mirror/types.ts";
import type { SyncBase } from "../../storage/sync-bases.ts";
import { commitHost } from "../skills/author.ts";
import type { ExportedSkill, PlacedSkill } from "./exported.ts";
import { noteProblem } from "./import.ts";
import { isPush, titleOf, type SkillExport } from "./plan-export.ts";
import { passOverIndex, refuse, SyncBlocked, type SyncWork } from "./work.ts";

/** Content of one push; a pack holds at most this and the largest skill. */
const pushedBytes = 128 * 1024 * 1024;
/** So many skills refused one by one, and none taken: it is not the skills. */
const refusedInARow = 5;

export interface ExportFacts {
  parent: string | null;
  skills: ReadonlyMap<string, PlacedSkill>;
  bases: ReadonlyMap<string, SyncBase>;
  /** Content trees of the branch's directories. */
  present: ReadonlyMap<string, string>;
  index: Buffer;
  exported(skillId: string): Promise<ExportedSkill>;
}

/** A branch that batches are pushed to, one on top of the other. */
export interface Destination {
  branch: string;
  /** What is to be done about a branch that is protected from us. */
  wayOut: string;
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

/** Answers the branch's commit after it, or `moved` when somebody else has pushed: what was taken until then stays. */
export async function pushExports(
  work: SyncWork,
  steps: readonly SkillExport[],
  facts: ExportFacts,
): Promise<{ commit: string | null } | "moved"> {
  await noteBases(
    work,
    steps.filter((step) => !isPush(step)),
  );
  let tip = facts.parent;
  const { branch } = work.connection;
  const result = await pushBatches(
    work,
    steps.filter((step) => isPush(step)),
    facts,
    {
      branch,
      wayOut:
        "allow them, connect another branch, or have them proposed as pull requests (mode pull_request)",
      indexWithEach: false,
      next: () => ({ parent: tip }),
      bytesOf: (step) => bytesOf(step, facts),
      announce: async () => undefined,
      async arrived(batch, { prepared }) {
        tip = prepared?.commit ?? tip;
        await noteBases(work, batch);
        for (const { put, remove } of batch) {
          if (put) work.counts.exported++;
          else if (remove.length > 0) work.counts.removed++;
        }
      },
    },
  );
  return result === "moved" ? "moved" : { commit: tip };
}

/** Pushes steps in as few batches as may be, and leaves out what the host refuses. */
export async function pushBatches(
  work: SyncWork,
  steps: readonly SkillExport[],
  facts: ExportFacts,
  to: Destination,
): Promise<"pushed" | "moved"> {
  let taken = 0;
  let refused = 0;
  const waiting = batchesOf(steps, to);
  // The index goes with the last of them, and alone where nothing else does.
  if (waiting.length === 0) waiting.push([]);
  while (waiting.length > 0) {
    work.signal.throwIfAborted();
    const batch = waiting.shift()!;
    const result = await pushOnce(work, batch, facts, to, waiting.length === 0 || to.indexWithEach);
    if (result === "moved") return "moved";
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
    await refuseStep(work, step, "push_rejected", result.message, facts);
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
  work: SyncWork,
  batch: readonly SkillExport[],
  facts: ExportFacts,
  to: Destination,
  withIndex: boolean,
): Promise<"pushed" | "moved" | Refused> {
  const edits: MirrorEdit[] = [];
  for (const step of batch) edits.push(...(await editsOf(step, facts)));
  if (withIndex) edits.push({ kind: "index", data: facts.index });
  const { parent, onto } = to.next();
  const built = await work.mirror.build(parent, edits, commitInfo(work, batch), onto);
  const { prepared, refused } = built;
  const left = new Map(refused.map((one) => [one.path, one]));
  for (const step of batch) {
    const inTheWay = [step.put?.path, ...step.remove].flatMap((place) => left.get(place ?? "") ?? [])[0];
    if (inTheWay)
      await refuseStep(
        work,
        step,
        inTheWay.why,
        `${inTheWay.blockedBy} is in the way: move it, or rename the skill or its folder.`,
        facts,
      );
  }
  const index = left.get(indexPath);
  if (index) passOverIndex(work, index);
  const carried = batch.filter(
    (step) => ![step.put?.path, ...step.remove].some((place) => left.has(place ?? "")),
  );
  await to.announce(carried, built);
  if (prepared) {
    const { branch, wayOut } = to;
    const pushed = await work.mirror.push(work.remote, branch, prepared, { signal: work.signal });
    if (pushed.status === "moved") return "moved";
    if (pushed.status === "rejected") {
      const message = [pushed.reason, pushed.text].filter((part) => part !== "").join(": ");
      if (pushed.cause === "protected")
        throw new SyncBlocked(
          "branch_protected",
          `The branch ${branch} is protected against our pushes: ${wayOut}. ${message}`,
        );
      return { message, paths: pushed.paths };
    }
  }
  await to.arrived(carried, built);
  return "pushed";
}

export async function editsOf(
  { skillId, put, remove }: SkillExport,
  facts: ExportFacts,
): Promise<MirrorEdit[]> {
  const edits: MirrorEdit[] = remove.map((path) => ({ kind: "remove", path }));
  if (put) {
    const { contentTree, svc, files } = await facts.exported(skillId);
    edits.push({ kind: "put", ...put, contentTree, svc, files });
  }
  return edits;
}

export function commitInfo({ app, connection }: SyncWork, batch: readonly SkillExport[]) {
  return {
    author: { name: "svc", email: `git@noreply.${commitHost(app.config.baseUrl)}` },
    at: app.now(),
    message: `${titleOf(batch)}\n\nSvc-Sync: ${connection._id}\n`,
  };
}

/** What the connected branch holds by now. */
export async function noteBases(work: SyncWork, steps: readonly SkillExport[]): Promise<void> {
  const { connection, app } = work;
  await app.storage.syncBases.putMany(
    connection,
    connection.lease!.fence,
    steps.flatMap(({ after }) => (after ? [after] : [])),
  );
  const gone = steps.filter(({ after }) => after === undefined).map(({ skillId }) => skillId);
  await app.storage.syncBases.removeMany(connection._id, connection.lease!.fence, gone);
}

async function refuseStep(
  work: SyncWork,
  step: SkillExport,
  code: string,
  message: string,
  { bases }: ExportFacts,
): Promise<void> {
  const place = step.put?.path ?? step.remove[0] ?? "";
  refuse(work, place, code, message);
  const base = bases.get(step.skillId);
  if (base) await noteProblem(work, base, { code, message: message.slice(0, 1000) });
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
