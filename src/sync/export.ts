/**
 * Writes skills to the branch: one pack for all of them, or several where they are large or where the host refuses some. A
 * base is written once its directory is in the branch; a stop before that leaves what we once exported, which is known again.
 */
import type { MirrorEdit } from "../../repos/mirror/types.ts";
import type { SyncBase } from "../../storage/sync-bases.ts";
import { commitHost } from "../skills/author.ts";
import type { ExportedSkill, PlacedSkill } from "./exported.ts";
import { noteProblem } from "./import.ts";
import { isPush, type SkillExport } from "./plan-export.ts";
import { refuse, SyncBlocked, type SyncWork } from "./work.ts";

/** Content of one push; a pack holds at most this and the largest skill. */
const pushedBytes = 128 * 1024 * 1024;
/** So many skills refused one by one, and none taken: it is not the skills. */
const refusedInARow = 5;

export interface ExportFacts {
  parent: string | null;
  skills: ReadonlyMap<string, PlacedSkill>;
  bases: ReadonlyMap<string, SyncBase>;
  index: Buffer;
  exported(skillId: string): Promise<ExportedSkill>;
}

/** Answers the branch's commit after it, or `moved` when somebody else has pushed: what was taken until then stays. */
export async function pushExports(
  work: SyncWork,
  steps: readonly SkillExport[],
  facts: ExportFacts,
): Promise<{ commit: string | null } | "moved"> {
  const noted = steps.filter((step) => !isPush(step));
  await noteBases(work, noted);

  let tip = facts.parent;
  let taken = 0;
  let refused = 0;
  const waiting = batchesOf(
    steps.filter((step) => isPush(step)),
    facts,
  );
  // The index goes with the last of them, and alone where nothing else does.
  if (waiting.length === 0) waiting.push([]);
  while (waiting.length > 0) {
    work.signal.throwIfAborted();
    const batch = waiting.shift()!;
    const result = await pushOnce(work, batch, { ...facts, parent: tip }, waiting.length === 0);
    if (result === "moved") return "moved";
    if ("commit" in result) {
      tip = result.commit;
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
  return { commit: tip };
}

interface Refused {
  message: string;
  paths: readonly string[];
}

async function pushOnce(
  work: SyncWork,
  batch: readonly SkillExport[],
  facts: ExportFacts,
  withIndex: boolean,
): Promise<{ commit: string | null } | "moved" | Refused> {
  const edits: MirrorEdit[] = [];
  for (const step of batch) edits.push(...(await editsOf(step, facts)));
  if (withIndex) edits.push({ kind: "index", data: facts.index });
  const { prepared, refused } = await work.mirror.build(facts.parent, edits, commitInfo(work, batch));
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
  const carried = batch.filter(
    (step) => ![step.put?.path, ...step.remove].some((place) => left.has(place ?? "")),
  );
  if (prepared) {
    const { branch } = work.connection;
    const pushed = await work.mirror.push(work.remote, branch, prepared, { signal: work.signal });
    if (pushed.status === "moved") return "moved";
    if (pushed.status === "rejected") {
      const message = [pushed.reason, pushed.text].filter((part) => part !== "").join(": ");
      if (pushed.cause === "protected")
        throw new SyncBlocked(
          "branch_protected",
          `The branch ${branch} is protected against our pushes: allow them, or connect another branch. ${message}`,
        );
      return { message, paths: pushed.paths };
    }
  }
  await noteBases(work, carried);
  for (const { put, remove } of carried) {
    if (put) work.counts.exported++;
    else if (remove.length > 0) work.counts.removed++;
  }
  return { commit: prepared?.commit ?? facts.parent };
}

async function editsOf({ skillId, put, remove }: SkillExport, facts: ExportFacts): Promise<MirrorEdit[]> {
  const edits: MirrorEdit[] = remove.map((path) => ({ kind: "remove", path }));
  if (put) {
    const { contentTree, svc, files } = await facts.exported(skillId);
    edits.push({ kind: "put", ...put, contentTree, svc, files });
  }
  return edits;
}

function commitInfo({ app, connection }: SyncWork, batch: readonly SkillExport[]) {
  const [only, ...others] = batch;
  const what =
    only === undefined
      ? "Refresh the list of skills"
      : others.length > 0
        ? `Sync ${batch.length} skills`
        : only.put
          ? `Sync ${only.put.path}`
          : `Remove ${only.remove[0]}`;
  return {
    author: { name: "svc", email: `git@noreply.${commitHost(app.config.baseUrl)}` },
    at: app.now(),
    message: `${what}\n\nSvc-Sync: ${connection._id}\n`,
  };
}

async function noteBases(work: SyncWork, steps: readonly SkillExport[]): Promise<void> {
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

/** In the order given, each as large as one push may be. */
function batchesOf(steps: readonly SkillExport[], { skills }: ExportFacts): SkillExport[][] {
  const batches: SkillExport[][] = [];
  let bytes = Infinity;
  for (const step of steps) {
    const size = step.put ? (skills.get(step.skillId)?.current.totalBytes ?? 0) : 0;
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
