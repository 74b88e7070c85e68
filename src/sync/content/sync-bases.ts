/**
 * Merge bases of a connection, one for each skill: what both sides last agreed on. They are written under the lease of
 * the sync, so that a sync that has lost it writes nothing.
 */
import type { RemoteSkill } from "../../../repos/mirror/types.ts";
import type { SyncBase } from "../../../storage/sync/bases.ts";
import { messageShown, reportMoveUndone, type SyncContext } from "./context.ts";
import type { SkillExport } from "./export/plan-export.ts";
import { lastMoveOf, withSecond } from "./import/concurrent-move.ts";

/** Differs from the revision of every skill: the next export compares the skill with such a base again. */
export const unseenRevision = -1;

/** The base, changed so that the next export compares its skill again. */
export const asUnseen = (base: SyncBase): SyncBase => ({ ...base, skillRevision: unseenRevision });

export async function writeBases(
  { app, connection }: SyncContext,
  bases: readonly SyncBase[],
): Promise<void> {
  await app.storage.syncBases.putMany(connection, connection.lease!.fence, bases);
}

export async function removeBases(
  { app, connection }: SyncContext,
  skillIds: readonly string[],
): Promise<void> {
  await app.storage.syncBases.removeMany(connection._id, connection.lease!.fence, skillIds);
}

/**
 * Records that a directory of the branch and a skill agree. `version` is the skill's newest version, and
 * `skillRevision` the revision that was exported; without it, the next export compares the skill again.
 */
export async function recordAgreement(
  context: SyncContext,
  agreed: { skillId: string; path: string; contentTree: string; strayPath?: string },
  { svcBlob }: RemoteSkill,
  { version, skillRevision = unseenRevision }: { version?: number; skillRevision?: number },
): Promise<void> {
  const { skillId, path, contentTree, strayPath } = agreed;
  const base = await findBase(context, skillId);
  await writeBases(context, [
    {
      skillId,
      path,
      contentTree,
      skillRevision,
      version,
      svcBlob: svcBlob === null ? undefined : svcBlob,
      strayPath,
      lastMove: lastMoveOf(base, path, context.app.now()),
    },
  ]);
}

/**
 * Records the second directory of a skill, which this sync's export removes. `version`: the one that its edit became.
 * The merge base stays that of the skill's own directory.
 */
export async function recordSecond(
  context: SyncContext,
  { skillId, strayPath, contentTree }: { skillId: string; strayPath?: string; contentTree: string },
  version?: number,
): Promise<void> {
  const base = await findBase(context, skillId);
  if (!base || strayPath === undefined) return;
  const second = { path: strayPath, contentTree, version };
  await writeBases(context, [withSecond(base, second, context.app.now())]);
  reportMoveUndone(context, strayPath);
}

/** The merge base as it is now: an earlier step of the sync may have written it. */
async function findBase({ app, connection }: SyncContext, skillId: string): Promise<SyncBase | undefined> {
  return (await app.storage.syncBases.listBySkills(connection._id, [skillId]))[0];
}

/** Records the bases of steps whose result is in the connected branch. */
export async function recordExports(context: SyncContext, steps: readonly SkillExport[]): Promise<void> {
  await writeBases(
    context,
    steps.flatMap(({ after }) => (after ? [after] : [])),
  );
  const gone = steps.filter(({ after }) => after === undefined).map(({ skillId }) => skillId);
  await removeBases(context, gone);
}

/** Records why a skill is not in sync. What both sides agreed on stays as it is. */
export async function recordProblem(
  context: SyncContext,
  base: SyncBase,
  { code, message }: { code: string; message: string },
): Promise<void> {
  const problem = { code, message: message.slice(0, messageShown), at: context.app.now() };
  await writeBases(context, [{ ...base, problem }]);
}
