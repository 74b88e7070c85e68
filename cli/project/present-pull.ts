/** The result of `pull`, as JSON and for people. */
import type { InstallScope } from "../../contract/vocabulary.ts";
import type { CommandResult } from "../command.ts";
import type { Context } from "../context.ts";
import { type RequiredInstall, describeRequired } from "../install/pins/required-skills.ts";
import { qualifiedName } from "../install/publisher.ts";
import type { InstalledInScope } from "../install/records/scopes.ts";
import type { Removal } from "../install/removal.ts";
import type { UpdateOutcome } from "../install/update-skill.ts";
import { outcomeWord } from "../present.ts";
import { describeKept, presentKept } from "./change-reach.ts";

/** The result for a skill in one of its scopes. */
export interface PulledScope {
  publicId: string;
  slug: string;
  tenantSlug: string;
  scope: InstallScope;
  projectDir?: string;
  outcome: UpdateOutcome;
  fromVersion: number;
  fromSemver: string;
  toVersion?: number;
  toSemver?: string;
  /** The installed version should be removed. */
  remove?: Removal;
  warnings: string[];
}

export function presentPull(
  context: Context,
  pulled: readonly PulledScope[],
  {
    kept,
    dryRun,
    isEmpty,
    repin,
    required,
  }: {
    kept: readonly InstalledInScope[];
    dryRun: boolean;
    isEmpty: boolean;
    repin: string | undefined;
    /** Required skills that were missing; undefined unless they were asked for. */
    required: readonly RequiredInstall[] | undefined;
  },
): CommandResult {
  const ids = [...new Set(pulled.map(({ publicId }) => publicId))];
  const skills = ids.map((id) => presentSkill(pulled.filter(({ publicId }) => publicId === id)));
  const count = (...outcomes: UpdateOutcome[]) =>
    skills.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const summary = {
    updated: count("updated", "repaired"),
    upToDate: count("upToDate"),
    failed: count("partial", "failed"),
  };
  const lines = [...(required ?? []).map(describeRequired), ...pulled.map((scope) => line(context, scope))];
  if (required?.length === 0) lines.push("All required skills are installed.");
  else if (lines.length === 0) lines.push(isEmpty ? "Nothing is installed." : "Nothing to update here.");
  const [first] = pulled;
  // A number is easily taken for a semver.
  if (repin !== undefined && /^\d+$/.test(repin) && first?.toSemver !== undefined)
    lines.push(`Version ${repin} is ${first.toSemver}.`);
  if (dryRun) lines.push("Nothing was changed (--dry-run).");
  return {
    data: { required, skills, kept: kept.map(presentKept), summary, dryRun: dryRun || undefined },
    text: [...lines, ...describeKept(kept)].join("\n"),
    partial: summary.failed > 0 || (required ?? []).some(({ outcome }) => outcome === "failed"),
  };
}

/** One skill: the versions are those of the first scope that has the outcome of the whole, or of its first scope. */
function presentSkill(pulled: readonly PulledScope[]) {
  const outcome = outcomeOf(pulled.map((one) => one.outcome));
  const main = pulled.find((one) => one.outcome === outcome) ?? pulled[0]!;
  const { publicId, slug, tenantSlug } = main;
  return {
    publicId,
    slug,
    tenantSlug,
    outcome,
    ...versionsOf(main),
    remove: pulled.find((one) => one.remove)?.remove,
    warnings: pulled.flatMap(({ warnings }) => warnings),
    scopes: pulled.map((one) => ({
      scope: one.scope,
      projectDir: one.projectDir,
      outcome: one.outcome,
      ...versionsOf(one),
      remove: one.remove,
      warnings: one.warnings,
    })),
  };
}

function outcomeOf(outcomes: readonly UpdateOutcome[]): UpdateOutcome {
  const isFailure = (outcome: UpdateOutcome) => outcome === "failed" || outcome === "partial";
  if (outcomes.every((outcome) => outcome === "failed")) return "failed";
  if (outcomes.some(isFailure)) return "partial";
  return (
    outcomes.find((outcome) => outcome === "updated") ??
    outcomes.find((outcome) => outcome === "repaired") ??
    "upToDate"
  );
}

function versionsOf({ fromVersion, fromSemver, toVersion, toSemver }: PulledScope) {
  return {
    fromVersion,
    fromSemver,
    toVersion,
    toSemver,
  };
}

function line(context: Context, pulled: PulledScope): string {
  const { fromSemver, toSemver = fromSemver, projectDir } = pulled;
  const version = toSemver === fromSemver ? toSemver : `${fromSemver} → ${toSemver}`;
  const where = projectDir === undefined ? "" : `  (${projectDir})`;
  return [
    `${outcomeWord(context, pulled.outcome)}  ${qualifiedName(pulled)} ${version}${where}`,
    ...pulled.warnings.map((warning) => `  ${warning}`),
  ].join("\n");
}
