/** The plan of a sync as a payload, limited to the skills and paths that the caller may read. */
import type { SyncPlanPayload } from "../../../contract/payloads/sync.ts";
import { isPush } from "../content/export/plan-export.ts";
import type { SyncView } from "../report/visible.ts";
import type { Comparison, PlannedSync } from "./compare-sides.ts";
import type { PlanRequest } from "./plan-request.ts";

/** Maximum length of each list. */
const listed = 500;
const skillsBlocked = "It is not a directory, so nothing can be synced: rename it.";

/** Skills outside `skills/`. */
export function presentElsewhere(
  paths: readonly string[],
  view: SyncView,
): Pick<SyncPlanPayload, "elsewhere" | "elsewheres"> {
  const visible = paths.filter((path) => view.path(path));
  return { elsewhere: visible.slice(0, listed).map((path) => ({ path })), elsewheres: visible.length };
}

export function presentPlan(
  { connection: { host, branch } }: PlanRequest,
  { sides: { skills }, scan }: Comparison,
  { imports, exports, problems }: PlannedSync,
  view: SyncView,
): Omit<SyncPlanPayload, "branchState" | "changes" | "elsewhere" | "elsewheres"> {
  const leftOut = (scan?.directories ?? [])
    .filter(({ path }) => view.path(path))
    .flatMap((directory) =>
      directory.leftOut.map((one) => ({ ...one, path: `${directory.path}/${one.path}` })),
    );
  const slugs = new Map(skills.map(({ id, slug }) => [id, slug]));
  const slugOf = (id: string) => slugs.get(id) ?? id;
  const steps = exports.filter((step) => isPush(step) && view.skill(step.skillId));
  const writes = steps
    .flatMap(({ skillId, put }) => (put ? [{ path: put.path, skill: slugOf(skillId) }] : []))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const removes = steps.flatMap(({ remove }) => remove).sort();
  const creates = imports.filter((action) => action.kind === "create" && view.path(action.path));
  const updates = imports
    .filter((action) => action.kind === "version")
    .filter(({ skillId }) => view.skill(skillId));
  return {
    repository: host.fullName,
    branch,
    skills: skills.filter(({ id }) => view.skill(id)).length + creates.length,
    write: writes.slice(0, listed),
    writes: writes.length,
    remove: removes.slice(0, listed),
    removes: removes.length,
    create: creates.slice(0, listed).map(({ path }) => ({ path })),
    creates: creates.length,
    update: updates
      .slice(0, listed)
      .map(({ path, skillId, conflict }) => ({ path, skill: slugOf(skillId), conflict })),
    updates: updates.length,
    leftOut: leftOut.slice(0, listed),
    leftOuts: leftOut.length,
    problems: [
      ...(scan?.skills === "blocked"
        ? [{ path: "skills", code: "skills_blocked", message: skillsBlocked }]
        : []),
      ...problems.filter(({ path }) => view.path(path)),
    ].slice(0, listed),
  };
}
