/**
 * Applies the plan of an import: each edited directory becomes a version or a new skill. After each directory its merge
 * base is written. If the sync is interrupted before that, both sides hold the same content, which the next sync
 * detects.
 */
import { mapLimit } from "../../../../contract/concurrency/map-limit.ts";
import type { RemoteSkill } from "../../../../repos/mirror/types.ts";
import type { SyncBase } from "../../../../storage/sync/bases.ts";
import { slugOfSkill } from "../../../folders/tree/slug.ts";
import { waitingImport } from "../../connection/connecting-member.ts";
import { refuse, type SyncContext } from "../context.ts";
import type { ImportAction } from "../plan-types.ts";
import { refusalOf, type Refusal } from "../refusal.ts";
import { recordProblem } from "../sync-bases.ts";
import type { SkippedSkill } from "../unreadable.ts";
import {
  directoryOf,
  importDirectory,
  type ImportFacts,
  nameOf,
  type PlannedImport,
} from "./import-directory.ts";
import type { ImportCandidates } from "./recover-import.ts";

/** Number of concurrent imports, which mostly wait for the disk and the database. */
const importConcurrency = 8;

export interface ImportResult {
  /** Something was written, so skills and merge bases must be read again. */
  isChanged: boolean;
  /** A skill was published concurrently: the import is planned again before anything is exported. */
  isStale: boolean;
  /** Directories that were refused: the export does not overwrite them. */
  refused: Set<string>;
  /** Skills that were skipped: the export does not write them. */
  skipped: Set<string>;
}

export async function applyImport(
  context: SyncContext,
  actions: readonly ImportAction[],
  facts: ImportFacts & { directories: readonly RemoteSkill[] },
): Promise<ImportResult> {
  const result: ImportResult = { isChanged: false, isStale: false, refused: new Set(), skipped: new Set() };
  const at = new Map(facts.directories.map((directory) => [directory.path, directory]));
  const planned = actions.filter((action) => action.kind !== "refuse");
  const changes = await context.mirror.lastChanges(
    facts.commit,
    planned.filter((action) => action.kind !== "adopt" || action.unrecorded).map(directoryOf),
  );
  const candidates = findCandidates(planned, facts);
  for (const action of actions)
    if (action.kind === "refuse") await refuseImport(action.path, action.skillId, action);
  await mapLimit(groupsOf(planned), importConcurrency, async (group) => {
    for (const action of group) await attempt(action);
  });
  return result;

  async function attempt(action: PlannedImport): Promise<void> {
    await context.guard.check();
    const directory = at.get(directoryOf(action))!;
    const skillId = action.kind === "create" ? undefined : action.skillId;
    if (action.kind !== "adopt" && !(await context.mayImport()))
      return refuseImport(directory.path, skillId, waitingImport(context.connection));
    try {
      const change = changes.get(directory.path);
      const outcome = await importDirectory(context, action, { directory, change }, facts, candidates);
      if (outcome === "stale") result.isStale = true;
      else result.isChanged = true;
    } catch (error) {
      const refusal = refusalOf(context.app, error, directory.path);
      if (!refusal) throw error;
      await refuseImport(directory.path, skillId, refusal);
    }
  }

  async function refuseImport(path: string, skillId: string | undefined, refusal: Refusal): Promise<void> {
    await skipDirectory(context, { path, skillId, refusal }, facts.bases, result);
  }
}

/** Reports the skills whose directories are no longer skills, and excludes them from the export. */
export async function skipUnreadable(
  context: SyncContext,
  unreadable: readonly SkippedSkill[],
  bases: ReadonlyMap<string, SyncBase>,
  result: ImportResult,
): Promise<void> {
  for (const { skillId, path, problem } of unreadable) {
    const refusal = { code: problem.why, message: problem.message };
    await skipDirectory(context, { path, skillId, refusal }, bases, result);
  }
}

/** Reports a directory that is not imported. The export writes neither it nor its skill. */
async function skipDirectory(
  context: SyncContext,
  { path, skillId, refusal }: { path: string; skillId: string | undefined; refusal: Refusal },
  bases: ReadonlyMap<string, SyncBase>,
  { refused, skipped }: ImportResult,
): Promise<void> {
  refuse(context, path, refusal.code, refusal.message);
  refused.add(path);
  if (skillId === undefined) return;
  skipped.add(skillId);
  const base = bases.get(skillId);
  if (base) await recordProblem(context, base, refusal);
}

/** Skills that an interrupted import may have created from a directory of the branch. */
function findCandidates(planned: readonly PlannedImport[], { skills, bases }: ImportFacts): ImportCandidates {
  const withoutBase = Array.from(skills.values()).filter(({ id }) => !bases.has(id));
  const identified = planned.map((action) => (action.kind === "create" ? action.there : action.skillId));
  return { withoutBase, identified: new Set(identified.filter((id) => id !== undefined)) };
}

/** New skills that want the same slug are created one after the other, in the order of their paths. */
function groupsOf(actions: readonly PlannedImport[]): PlannedImport[][] {
  const groups = new Map<string, PlannedImport[]>();
  for (const action of actions) {
    const key =
      action.kind === "create" ? `slug ${slugOfSkill(nameOf(action.path))}` : `skill ${action.skillId}`;
    const group = groups.get(key);
    if (group) group.push(action);
    else groups.set(key, [action]);
  }
  return [...groups.values()];
}
