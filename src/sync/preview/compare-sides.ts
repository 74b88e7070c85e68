/** Plans both directions of a sync, as a full sync would: the imports first, then the exports after them. */
import type { Mirror, RemoteScan } from "../../../repos/mirror/types.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { SyncBase } from "../../../storage/sync/bases.ts";
import type { SyncProposed } from "../../../storage/sync/proposed.ts";
import type { SyncRefusal } from "../../../storage/sync/runs.ts";
import type { App } from "../../app.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";
import { generatedProblemMessage, toRefusal, undoneEdit } from "../content/context.ts";
import { openExports, type Exports, type LocatedSkill } from "../content/export/exported.ts";
import { generatedEdits } from "../content/export/marketplace.ts";
import { planExport, type SkillExport } from "../content/export/plan-export.ts";
import { withSecond } from "../content/import/concurrent-move.ts";
import { importQuestions } from "../content/import/import-questions.ts";
import { planImport } from "../content/import/plan-import.ts";
import { keptContents, messageOf, permittedSteps } from "../content/permit.ts";
import { proposedOf } from "../content/proposal-state.ts";
import { refusalOf } from "../content/refusal.ts";
import { findUnreadable } from "../content/unreadable.ts";
import { tryImports, type TriedImports } from "./try-imports.ts";

/** The service's side and the sync state. */
export interface Sides {
  skills: LocatedSkill[];
  bases: SyncBase[];
  proposed: SyncProposed[];
  tree: FolderTree;
}

export interface Comparison {
  app: App;
  connection: Pick<ConnectionDoc, "tenantId" | "marketplace">;
  mirror: Mirror;
  sides: Sides;
  /** Undefined if the branch does not exist. */
  scan: RemoteScan | undefined;
}

/** Planned imports, with the paths and skills that are not exported because of them. */
interface PlannedImports {
  tried: TriedImports;
  exports: Exports;
  skipped: ReadonlySet<string>;
  refused: ReadonlySet<string>;
  problems: SyncRefusal[];
}

export interface PlannedSync {
  imports: TriedImports["actions"];
  /** Steps that the branch permits. */
  exports: SkillExport[];
  problems: SyncRefusal[];
}

export async function compareSides(comparison: Comparison): Promise<PlannedSync> {
  const imports = await planImports(comparison);
  const exports = await planExports(comparison, imports);
  return {
    imports: imports.tried.actions,
    exports: exports.steps,
    problems: [...imports.problems, ...exports.problems],
  };
}

async function planImports({ app, mirror, sides, scan }: Comparison): Promise<PlannedImports> {
  const { skills, bases, proposed: rows, tree } = sides;
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const baseOf = new Map(bases.map((base) => [base.skillId, base]));
  const proposed = proposedOf(rows, { bases: baseOf, skills: byId });
  const exports = openExports(app, () => byId);
  const directories = scan?.directories ?? [];
  const ask = importQuestions({ app, mirror }, exports, { skills: byId, directories });
  const decided = await planImport(directories, bases, skills, ask, {
    of: (id) => proposed.get(id)?.contents ?? [],
    areMerged: async () => false,
  });
  const facts = { directories, skills: byId, bases: baseOf, tree };
  const tried = await tryImports(app, mirror, decided, facts);
  const unreadable = scan ? findUnreadable(scan, skills, baseOf) : { skipped: [], others: [] };
  const unimported = [...tried.refused, ...unreadable.skipped];
  // A directory that becomes a version is exported as it is, except for its `.svc.json`.
  const versions = tried.actions.filter((action) => action.kind === "version");
  return {
    tried,
    exports,
    skipped: new Set([...versions, ...unimported].flatMap(({ skillId }) => skillId ?? [])),
    refused: new Set(unimported.map(({ path }) => path)),
    problems: [
      ...tried.refused.map(({ path, code, message }) => ({ path, code, message })),
      ...unreadable.skipped.map(({ path, problem }) => toRefusal({ ...problem, path })),
      ...unreadable.others.map(toRefusal),
      ...tried.undone.map(undoneEdit),
    ],
  };
}

async function planExports(
  { app, connection, mirror, sides, scan }: Comparison,
  { tried, exports: { exported }, skipped, refused }: PlannedImports,
): Promise<{ steps: SkillExport[]; problems: SyncRefusal[] }> {
  const { skills, proposed } = sides;
  const problems: SyncRefusal[] = [];
  const bases = withSeconds(sides.bases, tried, app.now());
  const planned = await planExport({
    skills,
    bases,
    directories: scan?.directories ?? [],
    full: true,
    now: app.now(),
    skipped,
    refused,
    exported,
    contain(skill, error) {
      const refusal = refusalOf(app, error, skill.path);
      if (refusal) problems.push({ path: skill.path, ...refusal });
      return refusal !== undefined;
    },
  });
  const isBlocked = scan?.skills === "blocked";
  const permitted = await permittedSteps(mirror, scan?.commit ?? null, isBlocked ? [] : planned, {
    kept: keptContents([...bases, ...tried.actions, ...tried.unchanged], proposed),
    generated: await generatedEdits(app, connection, skills),
  });
  for (const { step, edit } of permitted.refused)
    problems.push({
      path: step.put?.path ?? step.remove[0] ?? "",
      code: edit.why,
      message: messageOf(edit),
    });
  for (const { path, why } of isBlocked ? [] : permitted.generated)
    problems.push({ path, code: why, message: generatedProblemMessage(why) });
  return { steps: permitted.steps, problems };
}

/** The merge bases with the directories that were moved concurrently and hold nothing new, which are removed. */
function withSeconds(bases: readonly SyncBase[], { actions }: TriedImports, now: Date): SyncBase[] {
  const second = new Map(
    actions.flatMap((action) =>
      action.kind === "adopt" && action.isSecond
        ? [[action.skillId, { path: action.strayPath!, contentTree: action.contentTree }] as const]
        : [],
    ),
  );
  return bases.map((base) => {
    const found = second.get(base.skillId);
    return found ? withSecond(base, found, now) : base;
  });
}
