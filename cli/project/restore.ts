/**
 * Installs into a project exactly what its lock has. Everything is downloaded and compared with the lock before the
 * first byte is written, so that other content from the service changes nothing.
 */
import type { Context } from "../context.ts";
import { CliError, messageOf } from "../errors.ts";
import { applyVersion, reportedLocations } from "../install/apply.ts";
import type { WantedInstall } from "../install/placement.ts";
import { type ReportedLocation, reportInstalls, reportingMachine } from "../install/report.ts";
import type { Profile } from "../state/config.ts";
import { type Session, openSession } from "../state/session.ts";
import { type StateChange, changeConfig, withTemporaryFolder } from "../state/state.ts";
import { type FetchedSkill, acceptAllLocked, fetchAllLocked } from "./fetch-locked.ts";
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
  { force, trust }: { force: boolean; trust: string | undefined },
): Promise<RestoredSkill[]> {
  const session = await openSession(context);
  const profile = session.config.profiles[session.profile];
  if (!force) refuseMoves(profile, folder, wanted);
  const done = await Promise.all(wanted.map((one) => isRestored(context, profile, folder, one)));
  const rest = wanted.filter((_, i) => !done[i]);
  const accepted = await acceptAllLocked(context, session, rest, trust);
  const restored = await withTemporaryFolder(context, async (temporary) => {
    const fetched = await fetchAllLocked(context, session, rest, accepted, temporary);
    return applyAll(context, session, folder, fetched, force);
  });
  return wanted.map((one, i) => (done[i] ? upToDate(profile, folder, one) : restored.get(one.ref)!));
}

/** A skill has one version on a machine: restoring another one here would change it elsewhere as well. */
function refuseMoves(profile: Profile | undefined, folder: string, wanted: readonly WantedSkill[]): void {
  const moves = wanted.flatMap(({ ref, locked }) => {
    const skill = findByPublicId(profile, locked.publicId)?.[1];
    if (skill === undefined || holdsVersion(skill, locked)) return [];
    const places = skill.installs.filter(({ projectDir }) => projectDir !== folder).map(({ path }) => path);
    return places.length === 0 ? [] : [{ skill: ref, from: skill.semver, to: locked.semver, places }];
  });
  const [first] = moves;
  if (first === undefined) return;
  throw new CliError(
    "E_VERSION_CHANGED",
    `${first.skill} is installed elsewhere in ${first.from} (${first.places[0]}), and a skill has one version on ` +
      `a machine: --force moves it to ${first.to} there as well.`,
    { kind: "installedSkill", ref: first.skill, ...first, changes: moves },
  );
}

async function applyAll(
  context: Context,
  session: Session,
  folder: string,
  fetched: readonly FetchedSkill[],
  force: boolean,
): Promise<Map<string, RestoredSkill>> {
  const restored = new Map<string, RestoredSkill>();
  if (fetched.length === 0) return restored;
  const locations: ReportedLocation[] = [];
  const machine = await changeConfig(context, async (state) => {
    const profile = state.config.profiles[session.profile];
    // Checked again under the lock.
    if (!force) refuseMoves(profile, folder, fetched);
    for (const one of fetched)
      restored.set(one.ref, await applyOne(context, state, session, folder, one, force, locations));
    return reportingMachine(state.config, session.client);
  });
  await reportInstalls(session.client, machine, locations);
  return restored;
}

async function applyOne(
  context: Context,
  state: StateChange,
  session: Session,
  folder: string,
  { ref, locked, targets, fetched }: FetchedSkill,
  force: boolean,
  locations: ReportedLocation[],
): Promise<RestoredSkill> {
  const before = findByPublicId(state.config.profiles[session.profile], locked.publicId)?.[1];
  const isShared = before?.installs.some(({ projectDir }) => projectDir !== folder) ?? false;
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
      // Other locations keep following their pin.
      range: isShared ? before!.range : locked.requested,
      force,
      installName: locked.installName,
    });
    locations.push(...reportedLocations(applied, fetched));
    const moved = before !== undefined && before.version !== locked.version;
    const whole = before === undefined ? "installed" : moved ? "updated" : "repaired";
    return { ...base, ...summarise(applied, folder, targets, whole) };
  } catch (error) {
    const { installName } = locked;
    const warnings = [messageOf(error)];
    return { ...base, installName, outcome: "failed", installed: [], skipped: [], warnings };
  }
}
