/**
 * Installs into a project exactly what its lock has. Everything is downloaded and compared with the lock before the
 * first byte is written, so that other content from the service changes nothing.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ResolveResult } from "../../contract/payloads/skills.ts";
import type { Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { CliError, messageOf } from "../errors.ts";
import { type Applied, applyVersion, reportedLocations } from "../install/apply.ts";
import { type FetchedVersion, fetchVersion } from "../install/fetch.ts";
import type { WantedInstall } from "../install/placement.ts";
import { type AcceptedVersion, acceptLocked } from "../install/publisher.ts";
import { inspectRecord, presentRecord } from "../install/record.ts";
import { type ReportedLocation, reportInstalls, reportingMachine } from "../install/report.ts";
import { cacheFolder, inspectCache } from "../state/cache.ts";
import { type InstalledSkill, type Profile } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { type Session, openSession } from "../state/session.ts";
import { type StateChange, changeConfig, withTemporaryFolder } from "../state/state.ts";
import type { LockedSkill } from "./lock.ts";

export interface RestoredSkill {
  skill: string;
  publicId: string;
  tenantSlug: string;
  installName: string;
  outcome: "installed" | "updated" | "repaired" | "upToDate" | "partial" | "failed";
  version: number;
  semver: string;
  installed: ReturnType<typeof presentRecord>[];
  skipped: { platform: string; reason: string }[];
  warnings: string[];
}

/** One skill of the lock, with the targets to restore. */
export interface Wanted {
  ref: string;
  locked: LockedSkill;
  targets: readonly Target[];
}

interface Fetched extends Wanted {
  fetched: FetchedVersion;
}

/** Maximum number of concurrent requests. */
const atOnce = 6;

/** Returns the outcome of each skill, in the order of the lock. Throws before anything is written. */
export async function restoreSkills(
  context: Context,
  folder: string,
  wanted: readonly Wanted[],
  { force, trust }: { force: boolean; trust: string | undefined },
): Promise<RestoredSkill[]> {
  const session = await openSession(context);
  const profile = session.config.profiles[session.profile];
  if (!force) refuseMoves(profile, folder, wanted);
  const done = await Promise.all(wanted.map((one) => isDone(context, profile, folder, one)));
  const rest = wanted.filter((_, i) => !done[i]);
  const resolved = await resolveAll(session, rest);
  const accepted: AcceptedVersion[] = [];
  for (const [i, one] of rest.entries())
    accepted.push(await acceptLocked(context, session, one, resolved[i]!, trust));
  const restored = await withTemporaryFolder(context, async (temporary) => {
    const fetched: Fetched[] = [];
    const progress = await context.output.progress(`Fetching ${rest.length} skills`);
    try {
      for (const [i, one] of rest.entries()) {
        const location = join(temporary, String(i));
        await mkdir(location);
        fetched.push({ ...one, fetched: await fetchLocked(context, session, one, accepted[i]!, location) });
        progress.update(i + 1, rest.length);
      }
    } finally {
      progress.end();
    }
    return applyAll(context, session, folder, fetched, force);
  });
  return wanted.map((one, i) => (done[i] ? upToDate(profile, folder, one) : restored.get(one.ref)!));
}

export function findByPublicId(
  profile: Profile | undefined,
  publicId: string,
): [string, InstalledSkill] | undefined {
  return Object.entries(profile?.installed ?? {}).find(([, skill]) => skill.publicId === publicId);
}

function holdsVersion(skill: InstalledSkill, locked: LockedSkill): boolean {
  return skill.version === locked.version && skill.hash === locked.digest;
}

/** A skill has one version on a machine: restoring another one here would change it elsewhere as well. */
function refuseMoves(profile: Profile | undefined, folder: string, wanted: readonly Wanted[]): void {
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
    `${first.skill} is installed elsewhere in ${first.from} (${first.places[0]}), and a skill has one version on a machine: --force moves it to ${first.to} there as well.`,
    { kind: "installedSkill", ref: first.skill, ...first, changes: moves },
  );
}

async function isDone(
  context: Context,
  profile: Profile | undefined,
  folder: string,
  { locked, targets }: Wanted,
): Promise<boolean> {
  const [installName, skill] = findByPublicId(profile, locked.publicId) ?? [];
  if (installName === undefined || skill === undefined || !holdsVersion(skill, locked)) return false;
  const cache = cacheFolder(statePaths(context.home), installName);
  const { meta, state } = await inspectCache(cache);
  if (state !== "intact" || meta?.hash !== locked.digest) return false;
  const own = skill.installs.filter(({ projectDir }) => projectDir === folder);
  if (!targets.every((target) => own.some(({ platform }) => platform === target))) return false;
  for (const record of own)
    if (record.outdated === true || (await inspectRecord(record, installName, cache)) !== "intact")
      return false;
  return true;
}

async function resolveAll(session: Session, wanted: readonly Wanted[]): Promise<ResolveResult[]> {
  const resolved: ResolveResult[] = [];
  for (let i = 0; i < wanted.length; i += atOnce)
    resolved.push(
      ...(await Promise.all(wanted.slice(i, i + atOnce).map((one) => resolveLocked(session, one)))),
    );
  return resolved;
}

async function resolveLocked({ client }: Session, { ref, locked }: Wanted): Promise<ResolveResult> {
  let resolved: ResolveResult;
  try {
    resolved = await client.resolve(locked.publicId, String(locked.version));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const what = {
      E_NOT_FOUND: `${ref} ${locked.semver} of svc.lock is not there (any more).`,
      E_NOT_AUTHENTICATED: `${ref} ${locked.semver} of svc.lock is not public, or not there.`,
    }[error.code as string];
    if (what === undefined) throw error;
    const way = client.options.token === undefined ? " If it is private, log in or set SVC_TOKEN." : "";
    const details = { ...error.details, kind: "skill" as const, ref };
    throw new CliError(error.code, what + way, details, { cause: error });
  }
  const { skill, version } = resolved;
  const isThat =
    skill.publicId === locked.publicId &&
    version.version === locked.version &&
    version.semver === locked.semver &&
    version.hash === locked.digest &&
    (locked.frontmatter === undefined || version.frontmatterHash === locked.frontmatter) &&
    version.format === locked.format;
  if (isThat) return resolved;
  throw new CliError(
    "E_NETWORK",
    `The service has something else as ${ref} ${locked.semver} than svc.lock names (sha256 ${locked.digest.slice(0, 12)}…): nothing was changed.`,
    { kind: "content", ref },
  );
}

/** The metadata in a text skill's files comes from the lock as well. */
async function fetchLocked(
  context: Context,
  { client }: Session,
  { locked }: Wanted,
  accepted: AcceptedVersion,
  location: string,
): Promise<FetchedVersion> {
  const { skill } = accepted;
  const { type, name = skill.name, description = skill.description } = locked;
  // A lock without the frontmatter's digest belongs to files that were rendered without the frontmatter.
  const { frontmatterHash, ...rest } = accepted.version;
  const isLocked = locked.frontmatter !== undefined && frontmatterHash !== undefined;
  const version = isLocked ? accepted.version : rest;
  const named = { ...accepted, skill: { ...skill, type, name, description }, version };
  return fetchVersion(client, context.output, named, location);
}

async function applyAll(
  context: Context,
  session: Session,
  folder: string,
  fetched: readonly Fetched[],
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
  { ref, locked, targets, fetched }: Fetched,
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
    return {
      ...base,
      ...summarise(
        applied,
        folder,
        targets,
        before === undefined ? "installed" : moved ? "updated" : "repaired",
      ),
    };
  } catch (error) {
    const { installName } = locked;
    const warnings = [messageOf(error)];
    return { ...base, installName, outcome: "failed", installed: [], skipped: [], warnings };
  }
}

function summarise(
  applied: Applied,
  folder: string,
  targets: readonly Target[],
  whole: RestoredSkill["outcome"],
): Pick<RestoredSkill, "installName" | "outcome" | "installed" | "skipped" | "warnings"> {
  const skipped = [...applied.skipped];
  const installed = [];
  const warnings = [...applied.warnings];
  for (const { record, outcome, reason = outcome } of applied.locations) {
    const isIn = outcome === "written" || outcome === "unchanged";
    if (record.projectDir !== folder || !targets.includes(record.platform)) {
      if (!isIn) warnings.push(reason);
    } else if (isIn) installed.push(presentRecord(record));
    else skipped.push({ platform: record.platform, reason });
  }
  const { installName } = applied;
  const outcome = skipped.length === 0 ? whole : installed.length === 0 ? "failed" : "partial";
  return { installName, outcome, installed, skipped, warnings };
}

function upToDate(
  profile: Profile | undefined,
  folder: string,
  { ref, locked, targets }: Wanted,
): RestoredSkill {
  const [installName, skill] = findByPublicId(profile, locked.publicId)!;
  const installed = skill.installs
    .filter(({ projectDir, platform }) => projectDir === folder && targets.includes(platform))
    .map(presentRecord);
  const { publicId, version, semver } = locked;
  const { tenantSlug } = skill;
  return {
    skill: ref,
    publicId,
    tenantSlug,
    installName,
    outcome: "upToDate",
    version,
    semver,
    installed,
    skipped: [],
    warnings: [],
  };
}
