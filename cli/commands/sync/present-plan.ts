/** The plan of a sync in documents and texts. */
import { countByFolder } from "../../../contract/package/skill-layouts.ts";
import type { SyncPlanPayload } from "../../../contract/payloads/sync.ts";
import { countText } from "../../../contract/text/count-text.ts";
import type { Context } from "../../context.ts";
import { plainLine } from "../../terminal/table.ts";

/** Number of entries of each kind that the text lists; JSON contains up to 500. */
const shownEntries = 20;

/** Services of earlier versions report neither skills outside `skills/` nor what is left out. */
type ReportedPlan = Omit<SyncPlanPayload, "elsewhere" | "elsewheres" | "leftOut" | "leftOuts"> &
  Partial<SyncPlanPayload>;

const pathsOf = (entries: readonly { path: string }[] | undefined): string[] =>
  Array.isArray(entries) ? entries.map(({ path }) => path) : [];

/** A plan, as in JSON output. */
export function presentPlan(plan: ReportedPlan) {
  const { repository, branch, branchState, skills, writes, removes, creates, updates } = plan;
  return {
    repository,
    branch,
    branchState,
    skills,
    write: plan.write.map(({ path, skill }) => ({ path, skill })),
    writes,
    remove: plan.remove,
    removes,
    create: plan.create.map(({ path }) => ({ path })),
    creates,
    update: plan.update.map(({ path, skill, conflict }) => ({ path, skill, conflict })),
    updates,
    problems: plan.problems.map(({ path, code, message }) => ({ path, code, message })),
    elsewhere: pathsOf(plan.elsewhere).map((path) => ({ path })),
    elsewheres: plan.elsewheres ?? 0,
    leftOut: pathsOf(plan.leftOut).map((path) => ({ path })),
    leftOuts: plan.leftOuts ?? 0,
  };
}

const branchRemarks: Record<string, string> = {
  missing: "The branch does not exist.",
  empty: "The repository has no commits: the first push creates the branch.",
};

/** A plan as text. */
export function describePlan({ output: { paint } }: Context, plan: ReportedPlan): string {
  const { update, create, write, remove, problems } = plan;
  const section = (title: string, total: number, rows: readonly string[]): string[] => {
    if (total === 0) return [];
    const left = total - Math.min(rows.length, shownEntries);
    return [
      "",
      `${paint("bold", title)} (${total})`,
      ...rows.slice(0, shownEntries).map((row) => `  ${row}`),
      ...(left > 0 ? [`  … and ${left} more`] : []),
    ];
  };
  const elsewhere = pathsOf(plan.elsewhere);
  const isUnchanged = plan.writes + plan.removes + plan.creates + plan.updates === 0;
  return [
    `${paint("bold", plainLine(plan.repository))} (${plainLine(plan.branch)}): ` +
      `${countText(plan.skills, "skill")} after the sync`,
    ...(branchRemarks[plan.branchState] === undefined ? [] : [branchRemarks[plan.branchState]!]),
    ...(isUnchanged ? ["Nothing to write or create."] : []),
    ...section(
      "New versions from the repository",
      plan.updates,
      update.map(
        ({ path, skill, conflict }) =>
          `${plainLine(path)}  ${plainLine(skill)}${conflict ? `  ${paint("red", "conflict")}` : ""}`,
      ),
    ),
    ...section(
      "New private skills from the repository",
      plan.creates,
      create.map(({ path }) => plainLine(path)),
    ),
    ...section(
      "Directories to write",
      plan.writes,
      write.map(({ path, skill }) => `${plainLine(path)}  ${plainLine(skill)}`),
    ),
    ...section("Directories to remove", plan.removes, remove.map(plainLine)),
    ...section(
      "Problems",
      problems.length,
      problems.map(({ path, message }) => `${paint("yellow", plainLine(path))}  ${plainLine(message)}`),
    ),
    ...section(
      "Skills outside skills/, which are not synced",
      plan.elsewheres ?? 0,
      elsewhere.map(plainLine),
    ),
    ...section(
      "Files in skills/ that are no part of a skill, and stay in the repository",
      plan.leftOuts ?? 0,
      pathsOf(plan.leftOut).map(plainLine),
    ),
    ...describeElsewhere(elsewhere),
  ].join("\n");
}

function describeElsewhere(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const folders = [...countByFolder(paths)].map(
    ([folder, count]) => `${count} in ${folder === "" ? "the root" : plainLine(folder)}`,
  );
  return [
    `Found: ${folders.join(", ")}. Publish them with svc publish . in a checkout, or move them into skills/.`,
  ];
}
