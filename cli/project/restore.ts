/**
 * Installs into a project exactly what its lock has. Everything is downloaded and compared with the lock before the
 * first byte is written, so that other content from the service changes nothing.
 */
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { applyVersion, reportedLocations } from "../install/apply.ts";
import type { WantedInstall } from "../install/plan/placement.ts";
import { findScope } from "../install/scopes.ts";
import { type ReportedLocation, reportInstalls, reportingMachine } from "../install/report.ts";
import { type Session, openSession } from "../state/session.ts";
import { type StateChange, changeConfig, withTemporaryFolder } from "../state/state.ts";
import { type FetchedSkill, acceptAllLocked, fetchAllLocked, previewAllLocked } from "./fetch-locked.ts";
import {
  type RestoredSkill,
  type WantedSkill,
  findByPublicId,
  holdsVersion,
  isRestored,
  summarise,
  upToDate,
} from "./restored-skill.ts";

/** Returns the outcome of each skill, in the order of the lock. Throws before anything is written. */
export async function restoreSkills(
  context: Context,
  folder: string,
  wanted: readonly WantedSkill[],
  { force, trust, dryRun }: { force: boolean; trust: string | undefined; dryRun: boolean },
): Promise<RestoredSkill[]> {
  const session = await openSession(context);
  const profile = session.config.profiles[session.profile];
  const done = await Promise.all(wanted.map((one) => isRestored(context, profile, folder, one)));
  const rest = wanted.filter((_, i) => !done[i]);
  const accepted = dryRun
    ? await previewAllLocked(session, rest)
    : await acceptAllLocked(context, session, rest, trust);
  const restored = await withTemporaryFolder(context, async (temporary) => {
    const fetched = await fetchAllLocked(context, session, rest, accepted, temporary);
    return applyAll(context, session, folder, fetched, { force, dryRun });
  });
  return wanted.map((one, i) => (done[i] ? upToDate(profile, folder, one) : restored.get(one.ref)!));
}

async function applyAll(
  context: Context,
  session: Session,
  folder: string,
  fetched: readonly FetchedSkill[],
  options: { force: boolean; dryRun: boolean },
): Promise<Map<string, RestoredSkill>> {
  const restored = new Map<string, RestoredSkill>();
  if (fetched.length === 0) return restored;
  const locations: ReportedLocation[] = [];
  const machine = await changeConfig(context, async (state) => {
    for (const one of fetched)
      restored.set(one.ref, await applyOne(context, state, session, folder, one, options, locations));
    return reportingMachine(state.config, session.client);
  });
  if (!options.dryRun) await reportInstalls(session.client, machine, locations);
  return restored;
}

async function applyOne(
  context: Context,
  state: StateChange,
  session: Session,
  folder: string,
  { ref, locked, targets, fetched }: FetchedSkill,
  options: { force: boolean; dryRun: boolean },
  locations: ReportedLocation[],
): Promise<RestoredSkill> {
  const [, skill] = findByPublicId(state.config.profiles[session.profile], locked.publicId) ?? [];
  const before = findScope(skill, folder);
  const wanted = targets.map((platform): WantedInstall => ({
    platform,
    scope: "project",
    projectDir: folder,
    method: locked.targets.get(platform)!,
  }));
  const { publicId, version, semver } = locked;
  const { tenantSlug } = fetched.skill;
  const base = { skill: ref, publicId, tenantSlug, version, semver };
  try {
    const applied = await applyVersion(context, state, fetched, wanted, {
      profile: session.profile,
      projectDir: folder,
      range: locked.requested,
      ...options,
      installName: locked.installName,
    });
    locations.push(...reportedLocations(applied, fetched));
    const moved = before !== undefined && !holdsVersion(before, locked);
    const whole = before === undefined ? "installed" : moved ? "updated" : "repaired";
    return { ...base, ...summarise(applied, targets, whole) };
  } catch (error) {
    const { installName } = locked;
    const warnings = [messageOf(error)];
    return { ...base, installName, outcome: "failed", installed: [], skipped: [], failed: [], warnings };
  }
}
