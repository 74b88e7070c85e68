/** Results of publishing one skill, and of a dry run of it. */
import { otherLocationSentence, isContentLocation } from "../../contract/package/content-location.ts";
import type { PublishPlan } from "../../contract/payloads/skills/plans.ts";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { checkSkillUrl } from "../api/address.ts";
import type { CommandResult } from "../command.ts";
import type { Context } from "../context.ts";
import type { SkillSource } from "../pack/source.ts";
import { dryRunLines, readReach } from "../reach.ts";
import { plainLine } from "../terminal/table.ts";

/** The fields of a published skill that all documents have. */
export function presentPublished(published: PublishResult, remarks: readonly string[]) {
  const { action, unchanged, skill, version, ignoredFlags, warnings } = published;
  const { publicId, slug, name, type, visibility, currentVersion, currentSemver } = skill;
  const { tenantId, tenantSlug, folderId } = skill;
  const other = otherLocation(published);
  return {
    action,
    skill: {
      publicId,
      slug,
      tenantSlug,
      name,
      type,
      visibility,
      currentVersion,
      currentSemver,
      tenantId,
      folderId,
    },
    url: checkSkillUrl(published.url),
    format: version.format,
    fileCount: version.fileCount,
    ignoredFlags: ignoredFlags.filter((flag) => flag !== "type"),
    unchanged,
    // The service reports some of what the client has found itself.
    warnings: Array.from(
      new Set([
        ...remarks,
        ...(warnings ?? []),
        ...other.warnings,
        ...(ignoredFlags.includes("type") ? [`--type was ignored: the skill keeps its type ${type}`] : []),
      ]),
    ),
    previousContentLocation: other.previousContentLocation,
  };
}

/**
 * Content location of the version that a publish follows, if it came from elsewhere, with the warning. A service can
 * send anything, so a text of another form is ignored.
 */
export function otherLocation({
  skill: { tenantSlug, slug },
  previousContentLocation,
}: Pick<PublishPlan, "previousContentLocation"> & { skill: { tenantSlug: string; slug: string } }): {
  previousContentLocation: string | undefined;
  warnings: string[];
} {
  if (previousContentLocation === undefined || !isContentLocation(previousContentLocation))
    return { previousContentLocation: undefined, warnings: [] };
  return {
    previousContentLocation,
    warnings: [otherLocationSentence(`${tenantSlug}/${slug}`, previousContentLocation)],
  };
}

/** The flags that had no effect on an existing skill, for people. */
export function ignoredTexts(
  flags: readonly ("folder" | "visibility")[],
  { visibility }: { visibility: string },
): string[] {
  const texts = {
    folder: "--folder was ignored: the skill stays in its folder. Use svc move to move it.",
    visibility: `--visibility was ignored: the skill stays ${visibility}. Use svc visibility to change it.`,
  };
  return flags.map((flag) => texts[flag]);
}

export function presentOne(
  context: Context,
  published: PublishResult,
  remarks: readonly string[],
): CommandResult {
  const data = presentPublished(published, remarks);
  const { action, skill, url, unchanged, warnings, ignoredFlags } = data;
  const { name, tenantSlug, slug, visibility } = skill;
  for (const warning of [...warnings, ...ignoredTexts(ignoredFlags, skill)]) context.output.warn(warning);
  const { semver } = published.version;
  return {
    data,
    text: [
      unchanged
        ? `${name} (${tenantSlug}/${slug}) is unchanged at ${semver}: no version was created.`
        : `${action === "created" ? "Published" : "Updated"} ${context.output.paint("bold", name)} ` +
          `(${tenantSlug}/${slug}) ${semver}, ${visibility}`,
      url,
      `Install it with: svc install ${tenantSlug}/${slug}`,
    ].join("\n"),
  };
}

/** Notice about the next step for a version that a review rule would hold. */
export const noticeOf = ({ holdNotice }: Pick<PublishPlan, "holdNotice">): string[] =>
  typeof holdNotice === "string" ? [holdNotice] : [];

/** `ifChanged`: unchanged content would create no version. */
export function presentDryRun(
  context: Context,
  plan: PublishPlan,
  source: SkillSource,
  ifChanged: boolean,
): CommandResult {
  const { action, unchanged, skill, semver, ignoredFlags } = plan;
  const { publicId, slug, tenantSlug, name, type, visibility } = skill;
  const isSkipped = unchanged && ifChanged;
  const other = isSkipped ? undefined : otherLocation(plan);
  const warnings = [...source.warnings, ...(other?.warnings ?? []), ...(isSkipped ? [] : noticeOf(plan))];
  const reach = isSkipped ? undefined : readReach(plan.reach);
  for (const warning of [...warnings, ...ignoredTexts(ignoredFlags, skill)]) context.output.warn(warning);
  const same = unchanged ? " (the content is unchanged)" : "";
  const what = `${plainLine(name)} (${tenantSlug}/${slug})`;
  return {
    data: {
      dryRun: true,
      action,
      skill: {
        publicId,
        slug,
        tenantSlug,
        name,
        type,
        visibility,
      },
      semver,
      format: source.format,
      fileCount: source.format === "package" ? source.files.length : undefined,
      ignoredFlags,
      unchanged,
      warnings,
      previousContentLocation: other?.previousContentLocation,
      reach,
    },
    text: [
      isSkipped
        ? `${what} is unchanged: no version would be created.`
        : `Would ${action === "created" ? "publish" : "update"} ${what} ${semver}, ${visibility}${same}.`,
      ...dryRunLines([reach], "Nothing was sent."),
    ].join("\n"),
  };
}
