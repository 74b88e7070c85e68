/**
 * Updates a skill in one of its scopes to the version that its pin resolves to, or repairs it in its current version.
 */
import type { ResolveResult } from "../../contract/payloads/skills/skills.ts";
import type { Context } from "../context.ts";
import { type CacheState, cacheFolder } from "../state/cache.ts";
import type { CachedVersion, InstallationRecord } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import type { Session } from "../state/session.ts";
import { changeConfig, withTemporaryFolder } from "../state/state.ts";
import type { Applied } from "./announce.ts";
import { applyVersion, reportedLocations } from "./apply.ts";
import { fetchVersion } from "./fetch.ts";
import { isThere } from "./locations/digest.ts";
import { type AcceptedVersion, publisherWarnings, qualifiedName } from "./publisher.ts";
import { type RecordState, inspectContent, inspectRecord } from "./records/record.ts";
import { type InstalledInScope, type ScopeInstalls, installsIn } from "./records/scopes.ts";
import { type ReportedLocation, reportingMachine } from "./report.ts";

export type UpdateOutcome = "updated" | "upToDate" | "repaired" | "partial" | "failed";

export interface UpdateCandidate extends InstalledInScope {
  /** The pin to store. */
  range: string;
  resolved: AcceptedVersion;
}

/** Runs a change after the changes of the preceding skills. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Collects the locations to report to the service, over all skills of a run. */
export interface UpdateReport {
  machine: string | undefined;
  locations: ReportedLocation[];
}

export interface UpdateOptions {
  /** Overwrite edited copies. */
  force: boolean;
  /** Change nothing: the outcome is the expected one. */
  dryRun: boolean;
  inTurn: InTurn;
  report: UpdateReport;
}

export interface UpdatedSkill {
  outcome: UpdateOutcome;
  toVersion: number;
  toSemver: string;
  warnings: string[];
}

export function isOtherVersion(installed: CachedVersion, { version }: ResolveResult): boolean {
  return version.version !== installed.version || version.hash !== installed.hash;
}

export async function updateSkill(
  context: Context,
  session: Session,
  candidate: UpdateCandidate,
  options: UpdateOptions,
): Promise<UpdatedSkill> {
  const { installName, scope, range, resolved, skill } = candidate;
  const { force, dryRun, inTurn } = options;
  const { version, semver } = resolved.version;
  const { projectDir } = scope;
  if (projectDir !== undefined && !(await isThere(projectDir))) {
    const warnings = [`${projectDir} is no longer there: svc uninstall ${installName} -p ${projectDir}`];
    return { outcome: "upToDate", toVersion: scope.version, toSemver: scope.semver, warnings };
  }
  const to = { toVersion: version, toSemver: semver };
  const isUpdate = isOtherVersion(scope, resolved);
  const { cache, isEdited, isDamaged, ...inspected } = await inspectInstalled(context, installName, scope);
  const isRenamed = skill.slug !== resolved.skill.slug;
  const renamed = `${qualifiedName(skill)} was renamed: it is ${qualifiedName(resolved.skill)} now`;
  const advice = [...(isRenamed ? [renamed] : []), ...publisherWarnings(resolved)];
  const warnings = [...advice, ...inspected.warnings];
  if (!isUpdate && !isDamaged && (!isEdited || !force)) {
    if ((range !== scope.range || isRenamed) && !dryRun)
      await inTurn(() => storePin(context, session, candidate));
    return { outcome: "upToDate", ...to, warnings };
  }
  if (cache === "edited" && !force) return { outcome: isUpdate ? "failed" : "upToDate", ...to, warnings };
  if (dryRun) return { outcome: isUpdate ? "updated" : "repaired", ...to, warnings };

  const applied = await fetchAndApply(context, session, candidate, options);
  const unwritten = applied.locations.filter(({ outcome }) =>
    ["edited", "failed", "refused", "gone"].includes(outcome),
  );
  return {
    outcome: outcomeOf(applied, isUpdate, cache),
    ...to,
    warnings: [...advice, ...applied.warnings, ...unwritten.map(({ reason, outcome }) => reason ?? outcome)],
  };
}

interface Inspection {
  /** State of the cached version. */
  cache: CacheState;
  isEdited: boolean;
  /** Something is missing or has another version than the record. */
  isDamaged: boolean;
  warnings: string[];
}

async function inspectInstalled(
  context: Context,
  installName: string,
  scope: ScopeInstalls,
): Promise<Inspection> {
  const { records } = scope;
  const skillCache = cacheFolder(statePaths(context.home), installName);
  const { folder, meta, state: cache } = await inspectContent(skillCache, scope.current);
  const locations = await Promise.all(
    records.map(async (record) => ({ record, state: await stateOf(record, installName, skillCache) })),
  );
  const edited = [
    ...(cache === "edited" ? [`${installName} was edited through its link in ${folder}`] : []),
    ...locations.filter(({ state }) => state === "edited").map(({ record }) => `${record.path} was edited`),
  ];
  const gone = locations.filter(({ state }) => state === "gone");
  const isDamaged =
    cache === "missing" ||
    cache === "interrupted" ||
    meta?.hash !== scope.hash ||
    locations.some(
      ({ state, record }) =>
        state === "missing" || state === "stale" || (state === "intact" && record.outdated === true),
    );
  const warnings = [
    ...edited.map((text) => `${text}; use --force to overwrite it`),
    ...gone.map(({ record }) => `${record.projectDir!} is no longer there`),
  ];
  return { cache, isEdited: edited.length > 0, isDamaged, warnings };
}

/** A project on an unmounted disk needs no repair. */
async function stateOf(
  record: InstallationRecord,
  installName: string,
  cache: string,
): Promise<RecordState | "gone"> {
  const { projectDir } = record;
  if (projectDir !== undefined && !(await isThere(projectDir))) return "gone";
  return inspectRecord(record, installName, cache);
}

async function fetchAndApply(
  context: Context,
  session: Session,
  { scope: { projectDir }, range, resolved }: UpdateCandidate,
  { force, inTurn, report }: UpdateOptions,
): Promise<Applied> {
  return withTemporaryFolder(context, async (folder) => {
    const fetched = await fetchVersion(session.client, context, resolved, folder);
    const applied = await inTurn(() =>
      changeConfig(context, (change) => {
        report.machine = reportingMachine(change.config, session.client);
        return applyVersion(context, change, fetched, [], {
          profile: session.profile,
          projectDir,
          range,
          force,
        });
      }),
    );
    report.locations.push(...reportedLocations(applied, fetched));
    return applied;
  });
}

function outcomeOf({ locations }: Applied, isUpdate: boolean, cache: CacheState): UpdateOutcome {
  const count = (...outcomes: string[]) =>
    locations.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const left = count("edited", "failed", "refused");
  if (left > 0 && left === locations.length && isUpdate) return "failed";
  if (left > 0 && (isUpdate || count("failed", "refused") > 0)) return "partial";
  if (isUpdate) return "updated";
  return count("written") > 0 || cache !== "intact" ? "repaired" : "upToDate";
}

/** Stores the pin and the current slug of a skill whose files stay as they are. */
async function storePin(
  context: Context,
  session: Session,
  { installName, scope, range, resolved }: UpdateCandidate,
): Promise<void> {
  await changeConfig(context, async ({ config, save }) => {
    const skill = config.profiles[session.profile]?.installed[installName];
    if (skill) skill.slug = resolved.skill.slug;
    for (const record of installsIn(skill, scope.projectDir)) record.range = range;
    await save();
  });
}
