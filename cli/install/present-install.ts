/** The result of `install`, as JSON and for people, with its warnings. */
import type { HttpOptions } from "../api/http.ts";
import { unpinned } from "../arguments/pins.ts";
import type { CommandResult } from "../command.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { RequiredServers } from "../mcp/required.ts";
import type { InstallationRecord, Profile } from "../state/config.ts";
import type { Applied } from "./announce.ts";
import type { ShownScan } from "./confirm-scan.ts";
import type { FetchedVersion } from "./fetch.ts";
import { loadingWarning } from "./locations/loading.ts";
import { isInWorkTree } from "./locations/work-tree.ts";
import { type WantedInstall, isSameLocation } from "./plan/placement.ts";
import type { FailedTarget, SkippedTarget } from "./plan/plan-version.ts";
import { qualifiedName } from "./publisher.ts";
import { presentRecord } from "./records/record.ts";
import { installsIn } from "./records/scopes.ts";

interface InstallRequest {
  wanted: readonly WantedInstall[];
  range: string;
  dryRun: boolean;
  /** Warnings of the publisher about the version. */
  advice: readonly string[];
  scan?: ShownScan;
  profile: Profile | undefined;
  /** How to ask the service for the servers that the skill requires. */
  service: HttpOptions;
}

/** Throws if the skill was installed nowhere. `missing`: servers to offer; a result for programs has the commands. */
export async function presentInstall(
  context: Context,
  fetched: FetchedVersion,
  applied: Applied,
  { wanted, range, dryRun, advice, scan, profile, service }: InstallRequest,
): Promise<CommandResult & Pick<RequiredServers, "missing">> {
  const { skill, version } = fetched;
  const { installed, skipped, failed, ...outcomes } = outcomesOf(applied, wanted);
  const warnings = [...advice, ...outcomes.warnings];
  if (installed.length === 0)
    throw new CliError("E_NO_TARGETS", `${skill.name} was not installed anywhere.`, {
      kind: "skill",
      ref: skill.slug,
      skipped,
      failed,
    });
  const linked = installed.find((record) => record.method === "symlink" && record.projectDir !== undefined);
  if (linked !== undefined && (await isInWorkTree(linked.projectDir!)))
    warnings.push(`${linked.path} is a link into your home folder: do not commit it, or install with --copy`);
  const { servers, missing } = await requiredServers(profile, skill.requiredMcpServers, installed);
  const isOffered = context.interactive && !dryRun;
  if (!isOffered) warnings.push(...(await commandsFor(context, service, skill.slug, missing)));
  const loading = await warningOfLoading(context, applied, installed, profile);
  if (loading !== undefined) warnings.push(loading);
  for (const warning of warnings) context.output.warn(warning);

  const { publicId, slug, tenantSlug, name, type, visibility, currentVersion, currentSemver } = skill;
  const { paint } = context.output;
  const pin = range === unpinned ? "" : ` (pinned to ${range})`;
  return {
    data: {
      skill: { publicId, slug, tenantSlug, name, type, visibility, currentVersion, currentSemver },
      version: version.version,
      semver: version.semver,
      requestedRange: range,
      format: version.format,
      installName: applied.installName,
      installed: installed.map(presentRecord),
      skipped,
      failed,
      requiredMcpServers: servers,
      scan,
      warnings,
      dryRun: dryRun || undefined,
    },
    text: [
      `${dryRun ? "Would install" : "Installed"} ${paint("bold", name)} ${version.semver} from ` +
        `${qualifiedName(skill)}${pin}`,
      ...installed.map(
        (record) => `  ${paint("green", record.platform)}  ${record.path}  (${record.method})`,
      ),
      ...skipped.map((skip) => `  ${paint("yellow", skip.platform)}  skipped: ${skip.reason}`),
      ...failed.map((failure) => `  ${paint("red", failure.platform)}  failed: ${failure.error}`),
      ...(failed.length === 0 || dryRun ? [] : ["Run svc pull to try the failed ones again."]),
    ].join("\n"),
    partial: failed.length > 0,
    missing: isOffered ? missing : [],
  };
}

/** `profile`: as it was before the install. */
function warningOfLoading(
  context: Context,
  { installName, skill }: Applied,
  installed: readonly InstallationRecord[],
  profile: Profile | undefined,
): Promise<string | undefined> {
  const projectDir = installed[0]?.projectDir;
  const before = Object.values(profile?.installed ?? {}).map((one) => installsIn(one, projectDir));
  return loadingWarning(context, installName, installsIn(skill, projectDir), before);
}

/** Loaded for the few skills that require servers. */
async function requiredServers(
  profile: Profile | undefined,
  required: unknown,
  installed: readonly InstallationRecord[],
): Promise<RequiredServers> {
  if (!Array.isArray(required) || required.length === 0) return { servers: [], missing: [] };
  const { checkRequired } = await import("../mcp/required.ts");
  return checkRequired(profile, required, installed);
}

async function commandsFor(
  context: Context,
  service: HttpOptions,
  slug: string,
  missing: RequiredServers["missing"],
): Promise<string[]> {
  if (missing.length === 0) return [];
  const { describeAllMissing } = await import("../mcp/required.ts");
  return describeAllMissing(context, service, slug, missing);
}

/** The requested locations that have the skill, and those that don't; refusals elsewhere become warnings. */
function outcomesOf(
  applied: Applied,
  wanted: readonly WantedInstall[],
): {
  installed: InstallationRecord[];
  skipped: SkippedTarget[];
  failed: FailedTarget[];
  warnings: string[];
} {
  const installed: InstallationRecord[] = [];
  const skipped = [...applied.skipped];
  const failed: FailedTarget[] = [];
  const warnings = [...applied.warnings];
  for (const { record, outcome, reason = outcome } of applied.locations) {
    const { platform, path } = record;
    const isWanted = wanted.some((want) => isSameLocation(record, want));
    const isInstalled = outcome === "written" || outcome === "unchanged";
    if (isWanted && isInstalled) installed.push(record);
    else if (outcome === "failed") failed.push({ platform, path, error: reason });
    else if (isWanted) skipped.push({ platform, reason });
    else if (!isInstalled) warnings.push(reason);
  }
  // A tool that has the skill in a further location only is not skipped.
  const isFurther = ({ platform }: SkippedTarget) =>
    installed.some((record) => record.platform === platform && record.also !== undefined);
  return { installed, skipped: skipped.filter((one) => !isFurther(one)), failed, warnings };
}
