/** Updates an installed skill to the version that its pin resolves to, or repairs it in its present version. */
import type { ResolveResult } from "../../contract/payloads/skills.ts";
import type { Context } from "../context.ts";
import { type CacheState, cacheFolder, inspectCache } from "../state/cache.ts";
import type { InstallationRecord, InstalledSkill } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import type { Session } from "../state/session.ts";
import { changeConfig, withTemporaryFolder } from "../state/state.ts";
import { type Applied, applyVersion, reportedLocations } from "./apply.ts";
import { isThere } from "./digest.ts";
import { fetchVersion } from "./fetch.ts";
import type { AcceptedVersion } from "./publisher.ts";
import { type RecordState, inspectRecord } from "./record.ts";
import { type ReportedLocation, reportingMachine } from "./report.ts";

export type UpdateOutcome = "updated" | "upToDate" | "repaired" | "partial" | "failed";

export interface UpdateCandidate {
  installName: string;
  skill: InstalledSkill;
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
  inTurn: InTurn;
  report: UpdateReport;
}

export interface UpdatedSkill {
  outcome: UpdateOutcome;
  toVersion: number;
  toSemver: string;
  warnings: string[];
}

export function isOtherVersion(skill: InstalledSkill, { version }: ResolveResult): boolean {
  return version.version !== skill.version || version.hash !== skill.hash;
}

export async function updateSkill(
  context: Context,
  session: Session,
  candidate: UpdateCandidate,
  options: UpdateOptions,
): Promise<UpdatedSkill> {
  const { installName, skill, range, resolved } = candidate;
  const { force, inTurn } = options;
  const { version, semver } = resolved.version;
  const to = { toVersion: version, toSemver: semver };
  const isUpdate = isOtherVersion(skill, resolved);
  const { cache, isEdited, isDamaged, warnings } = await inspectInstalled(context, installName, skill);
  if (!isUpdate && !isDamaged && (!isEdited || !force)) {
    if (range !== skill.range) await inTurn(() => storePin(context, session, installName, range));
    return { outcome: "upToDate", ...to, warnings };
  }
  if (cache === "edited" && !force) return { outcome: isUpdate ? "failed" : "upToDate", ...to, warnings };

  const applied = await fetchAndApply(context, session, candidate, options);
  const unwritten = applied.locations.filter(({ outcome }) => ["edited", "failed", "gone"].includes(outcome));
  return {
    outcome: outcomeOf(applied, isUpdate, cache),
    ...to,
    warnings: [...applied.warnings, ...unwritten.map(({ reason, outcome }) => reason ?? outcome)],
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
  skill: InstalledSkill,
): Promise<Inspection> {
  const folder = cacheFolder(statePaths(context.home), installName);
  const { meta, state: cache } = await inspectCache(folder);
  const locations = await Promise.all(
    skill.installs.map(async (record) => ({ record, state: await stateOf(record, installName, folder) })),
  );
  const edited = [
    ...(cache === "edited" ? [`${installName} was edited through its link in ${folder}`] : []),
    ...locations.filter(({ state }) => state === "edited").map(({ record }) => `${record.path} was edited`),
  ];
  const gone = locations.filter(({ state }) => state === "gone");
  const isDamaged =
    cache === "missing" ||
    cache === "interrupted" ||
    meta?.hash !== skill.hash ||
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
  { range, resolved }: UpdateCandidate,
  { force, inTurn, report }: UpdateOptions,
): Promise<Applied> {
  return withTemporaryFolder(context, async (folder) => {
    const fetched = await fetchVersion(session.client, context.output, resolved, folder);
    const applied = await inTurn(() =>
      changeConfig(context, (change) => {
        report.machine = reportingMachine(change.config, session.client);
        return applyVersion(context, change, fetched, [], { profile: session.profile, range, force });
      }),
    );
    report.locations.push(...reportedLocations(applied, fetched));
    return applied;
  });
}

function outcomeOf({ locations }: Applied, isUpdate: boolean, cache: CacheState): UpdateOutcome {
  const count = (...outcomes: string[]) =>
    locations.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const left = count("edited", "failed");
  if (left > 0 && left === locations.length && isUpdate) return "failed";
  if (left > 0 && (isUpdate || count("failed") > 0)) return "partial";
  if (isUpdate) return "updated";
  return count("written") > 0 || cache !== "intact" ? "repaired" : "upToDate";
}

async function storePin(
  context: Context,
  session: Session,
  installName: string,
  range: string,
): Promise<void> {
  await changeConfig(context, async ({ config, save }) => {
    const skill = config.profiles[session.profile]?.installed[installName];
    if (skill === undefined) return;
    skill.range = range;
    await save();
  });
}
