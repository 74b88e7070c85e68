/**
 * Installs into a project exactly what its lock has. Everything is downloaded and compared with the lock before the
 * first byte is written, so that other content from the service changes nothing.
 */
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import type { Applied } from "../install/announce.ts";
import { type VersionToApply, applyVersions, reportedLocations } from "../install/apply.ts";
import type { WantedInstall } from "../install/plan/placement.ts";
import { publisherWarnings } from "../install/publisher.ts";
import { type ScopeInstalls, findScope } from "../install/records/scopes.ts";
import { reportInstalls, reportingMachine } from "../install/report.ts";
import type { Profile } from "../state/config.ts";
import { type Session, openSession } from "../state/session.ts";
import { changeConfig, checkWritableState, withTemporaryFolder } from "../state/state.ts";
import { type FetchedSkill, acceptAllLocked, fetchAllLocked, previewAllLocked } from "./fetch-locked.ts";
import {
  type RestoredSkill,
  type WantedSkill,
  findByPublicId,
  furtherLocations,
  holdsVersion,
  isRestored,
  summarise,
  upToDate,
} from "./restored-skill.ts";
import { type LockedState, describeWithdrawn, readLockedStates } from "./withdrawn.ts";

/** Returns the outcome of each skill, in the order of the lock. Throws before anything is written. */
export async function restoreSkills(
  context: Context,
  folder: string,
  wanted: readonly WantedSkill[],
  { force, trust, dryRun }: { force: boolean; trust: string | undefined; dryRun: boolean },
): Promise<RestoredSkill[]> {
  await checkWritableState(context);
  const session = await openSession(context);
  const profile = session.config.profiles[session.profile];
  const done = await Promise.all(wanted.map((one) => isRestored(context, profile, folder, one)));
  const rest = wanted.filter((_, i) => !done[i]);
  const inPlace = wanted.filter((_, i) => done[i]);
  const states = await readLockedStates(session, inPlace);
  const accepted = dryRun
    ? await previewAllLocked(context, session, rest)
    : await acceptAllLocked(context, session, rest, trust);
  const restored = await withTemporaryFolder(context, async (temporary) => {
    const fetched = await fetchAllLocked(context, session, rest, accepted, temporary);
    return applyAll(context, session, folder, fetched, { force, dryRun });
  });
  return wanted.map((one, i) =>
    done[i] ? presentInPlace(profile, folder, one, states[inPlace.indexOf(one)]!) : restored.get(one.ref)!,
  );
}

/** The result for a skill that is restored already; one that must not be used any more is a failure. */
function presentInPlace(
  profile: Profile | undefined,
  folder: string,
  wanted: WantedSkill,
  { warnings, remove }: LockedState,
): RestoredSkill {
  const found = { ...upToDate(profile, folder, wanted), warnings };
  if (remove === undefined) return found;
  return { ...found, outcome: "failed", warnings: [describeWithdrawn(profile, wanted, remove), ...warnings] };
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
  const { client } = session;
  const reports: Promise<void>[] = [];
  await changeConfig(context, async (state) => {
    const machine = options.dryRun ? undefined : reportingMachine(state.config, client);
    const profile = state.config.profiles[session.profile];
    const before = fetched.map(({ locked }) =>
      findScope(findByPublicId(profile, locked.publicId)?.[1], folder),
    );
    const results = await applyVersions(
      context,
      state,
      fetched.map((one) => toApply(one, folder, { ...options, profile: session.profile })),
      // Sent while the next skill is written.
      (applied, version) =>
        reports.push(reportInstalls(client, machine, reportedLocations(applied, version))),
    );
    for (const [i, one] of fetched.entries()) {
      restored.set(one.ref, presentRestored(context, one, results[i]!, before[i]));
    }
  });
  await Promise.all(reports);
  return restored;
}

function toApply(
  { locked, targets, fetched }: FetchedSkill,
  folder: string,
  options: { profile: string; force: boolean; dryRun: boolean },
): VersionToApply {
  const place = { scope: "project", projectDir: folder } as const;
  const wanted = [
    ...targets
      .filter((platform) => locked.targets.has(platform))
      .map((platform): WantedInstall => ({ platform, ...place, method: locked.targets.get(platform)! })),
    ...furtherLocations(locked, targets).map((one): WantedInstall => ({ ...one, ...place })),
  ];
  const { requested: range, installName } = locked;
  const shared = locked.shared === true;
  return { fetched, wanted, options: { ...options, projectDir: folder, range, installName, shared } };
}

/** `before`: the installs in the project before. */
function presentRestored(
  { json }: Context,
  { ref, locked, targets, fetched }: FetchedSkill,
  result: Applied | Error,
  before: ScopeInstalls | undefined,
): RestoredSkill {
  const { publicId, version, semver, installName } = locked;
  const { tenantSlug } = fetched.skill;
  const base = { skill: ref, publicId, tenantSlug, version, semver };
  const advice = json ? publisherWarnings(fetched) : [];
  if (result instanceof Error) {
    const warnings = [...advice, messageOf(result)];
    return { ...base, installName, outcome: "failed", installed: [], skipped: [], failed: [], warnings };
  }
  const moved = before !== undefined && !holdsVersion(before, locked);
  const whole = before === undefined ? "installed" : moved ? "updated" : "repaired";
  const summary = summarise(result, targets, whole);
  return { ...base, ...summary, warnings: [...advice, ...summary.warnings] };
}
