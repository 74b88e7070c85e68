/**
 * Numbers of new versions. Bumps start from the highest release, so a prerelease never changes the number of a plain
 * publish; a further prerelease continues from the highest one of the same target version.
 */
import semver from "semver";
import { limits } from "../../../contract/limits.ts";
import type { Bump } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { App } from "../../app.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { isPrerelease } from "../versions/semver.ts";
import { listSemvers } from "../versions/versions.ts";

const firstSemver = "1.0.0";
const defaultId = "beta";

export interface SemverRequest {
  /** An explicit version. */
  semver?: string;
  bump?: Bump;
  /** `true` continues with the id of the prerelease that it follows, `beta` for a first one. */
  prerelease?: true | string;
}

/** The published versions that a new number depends on. */
export interface PublishedSemvers {
  highestRelease: string;
  /** All prereleases, in any order; empty where the request makes a release. */
  prereleases: readonly string[];
}

/** The published versions of a skill, as far as a request needs them. */
export async function loadPublishedSemvers(
  app: App,
  skill: SkillDoc,
  request: SemverRequest,
): Promise<PublishedSemvers> {
  const isForPrerelease =
    request.prerelease !== undefined || (request.semver !== undefined && request.semver.includes("-"));
  const known = skill.highestRelease ?? releaseOrNone(skill.highestSemver);
  if (known !== undefined && !isForPrerelease) return { highestRelease: known, prereleases: [] };
  const all = (await listSemvers(app, skill)).map((version) => version.semver);
  const releases = all.filter((version) => !isPrerelease(version));
  return {
    highestRelease: known ?? highestOf(releases) ?? skill.current.semver,
    prereleases: all.filter((version) => isPrerelease(version)),
  };
}

function releaseOrNone(version: string | undefined): string | undefined {
  return version === undefined || isPrerelease(version) ? undefined : version;
}

/** An explicit version as it is stored. Throws `invalid_request` for anything but a plain semantic version. */
export function readExactSemver(text: string): string {
  const parsed = semver.parse(text.trim(), { loose: false });
  if (!parsed || text.trim().startsWith("v") || text.length > limits.semverLength) {
    throw invalidRequest(`"${text.slice(0, 80)}" is not a semantic version such as 1.4.0 or 2.0.0-beta.1.`);
  }
  if (parsed.build.length > 0)
    throw invalidRequest(
      `"${text}" carries build metadata, which is not supported: leave off "+${parsed.build.join(".")}".`,
    );
  return parsed.version;
}

/** The number of a first version. Throws `invalid_request`, and `refused` for a prerelease. */
export function readFirstSemver(given: string | undefined): string {
  const first = given === undefined ? firstSemver : readExactSemver(given);
  if (!isPrerelease(first)) return first;
  throw new ServiceError(
    "refused",
    "A first version can't be a prerelease: installs would have nothing to resolve to.",
  );
}

/** The number of the next version. Throws `version_not_greater` when a pinned one is taken or too low. */
export function nextSemver(published: PublishedSemvers, request: SemverRequest): string {
  const { highestRelease, prereleases } = published;
  if (request.semver !== undefined) {
    if (request.bump !== undefined || request.prerelease !== undefined)
      throw invalidRequest("An explicit version excludes bump and prerelease: send one or the other.");
    return checkPinned(published, readExactSemver(request.semver));
  }
  if (request.prerelease === undefined) return increment(highestRelease, request.bump ?? "patch");
  const { target, id, follows } = planPrerelease(published, request.bump, request.prerelease);
  let next = follows === undefined ? `${target}-${id}.0` : increment(follows, "prerelease", id);
  // After a pinned `rc.x` comes `rc.0`, which may be taken, as may thousands after it.
  const taken = new Set(prereleases);
  while (taken.has(next)) next = increment(next, "prerelease", id);
  return next;
}

/** The prerelease that a request continues: the highest of its target version and id. */
export function followedPrerelease(published: PublishedSemvers, request: SemverRequest): string | undefined {
  if (request.semver !== undefined) {
    const exact = readExactSemver(request.semver);
    if (!isPrerelease(exact)) return undefined;
    return highestOf(seriesOf(published.prereleases, targetOf(exact), idOf(exact)));
  }
  if (request.prerelease === undefined) return undefined;
  return planPrerelease(published, request.bump, request.prerelease).follows;
}

function checkPinned({ highestRelease, prereleases }: PublishedSemvers, exact: string): string {
  const reason = semver.lte(exact, highestRelease)
    ? `does not exceed ${highestRelease}, the highest release`
    : prereleases.includes(exact)
      ? "exists already"
      : undefined;
  if (reason !== undefined)
    throw new ServiceError("version_not_greater", `Version ${exact} ${reason}: choose another one.`, {
      highest: highestRelease,
    });
  return exact;
}

/**
 * A bump names the target version. Without one, the target is that of the highest prerelease that is above the highest
 * release; else the next patch.
 */
function planPrerelease(
  { highestRelease, prereleases }: PublishedSemvers,
  bump: Bump | undefined,
  requested: true | string,
): { target: string; id: string | undefined; follows: string | undefined } {
  const released = new semver.SemVer(highestRelease);
  const open = highestOf(prereleases.filter((version) => released.compare(version) < 0));
  const target =
    bump === undefined && open !== undefined ? targetOf(open) : increment(highestRelease, bump ?? "patch");
  const before = highestOf(prereleases.filter((version) => targetOf(version) === target));
  if (requested === true && before !== undefined) return { target, id: undefined, follows: before };
  const id = requested === true ? defaultId : requested;
  return { target, id, follows: highestOf(seriesOf(prereleases, target, id)) };
}

/** Prereleases of a target version whose first identifier is `id`. */
function seriesOf(prereleases: readonly string[], target: string, id: string | undefined): readonly string[] {
  return prereleases.filter((version) => targetOf(version) === target && idOf(version) === id);
}

/** Stored versions are normalized, so that their parts are found without parsing: a skill may have very many. */
function targetOf(version: string): string {
  return version.split("-", 1)[0]!;
}

function idOf(version: string): string | undefined {
  const dash = version.indexOf("-");
  return dash < 0 ? undefined : version.slice(dash + 1).split(".", 1)[0];
}

function highestOf(versions: readonly string[]): string | undefined {
  let highest: semver.SemVer | undefined;
  for (const version of versions) {
    const parsed = new semver.SemVer(version);
    if (!highest || parsed.compare(highest) > 0) highest = parsed;
  }
  return highest?.version;
}

function increment(version: string, release: semver.ReleaseType, id?: string): string {
  const next = id === undefined ? semver.inc(version, release) : semver.inc(version, release, id, "0");
  // Numbers end at 2^53 - 1, which the library exceeds without an error; nothing can follow them.
  if (next === null || semver.valid(next) === null || next.length > limits.semverLength)
    throw new ServiceError(
      "version_not_greater",
      `Nothing can follow ${version} by this bump: choose a version with --version or semver.`,
      { highest: version },
    );
  return next;
}
