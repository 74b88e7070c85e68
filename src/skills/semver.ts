/** Version numbers: what a push makes, and what a pin resolves to (specification, part 9; semver.org). */
import semver from "semver";
import { limits } from "../../contract/limits.ts";
import type { Bump } from "../../contract/vocabulary.ts";
import { ServiceError, invalidRequest } from "../errors.ts";

export const firstSemver = "1.0.0";

export interface SemverRequest {
  /** An explicit version. */
  semver?: string | undefined;
  bump?: Bump | undefined;
  /** `true` takes the id `beta`. */
  prerelease?: true | string | undefined;
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

/** The next version after the highest ever published. Throws `version_not_greater` when a pinned one is not above it. */
export function nextSemver(highest: string, request: SemverRequest): string {
  if (request.semver !== undefined) {
    if (request.bump !== undefined || request.prerelease !== undefined) {
      throw invalidRequest("An explicit version excludes bump and prerelease: send one or the other.");
    }
    const exact = readExactSemver(request.semver);
    if (semver.lte(exact, highest)) {
      throw new ServiceError(
        "version_not_greater",
        `Version ${exact} does not exceed ${highest}, the highest published: choose a higher one.`,
        {
          highest,
        },
      );
    }
    return exact;
  }
  if (request.prerelease === undefined) return increment(highest, request.bump ?? "patch");
  const id = request.prerelease === true ? "beta" : request.prerelease;
  if (request.bump) return increment(highest, `pre${request.bump}`, id);
  const next = semver.inc(highest, "prerelease", id, "0");
  // From `beta` to `alpha` the same version would go down, or make a number that exists: its next patch goes up.
  const isHigher = next !== null && semver.valid(next) !== null && semver.gt(next, highest);
  return isHigher ? next : increment(highest, "prepatch", id);
}

function increment(version: string, release: semver.ReleaseType, id?: string): string {
  const next = id === undefined ? semver.inc(version, release) : semver.inc(version, release, id, "0");
  // Numbers end at 2^53 - 1, which the library steps over without a word; beyond them nothing can be greater.
  if (next === null || semver.valid(next) === null || !semver.gt(next, version))
    throw new ServiceError(
      "version_not_greater",
      `Nothing can follow ${version} by this bump: name a version yourself.`,
    );
  return next;
}

export function isPrerelease(version: string): boolean {
  return semver.prerelease(version) !== null;
}

export type VersionSelector =
  | { kind: "current" }
  | { kind: "number"; version: number }
  | { kind: "exact"; semver: string }
  | { kind: "range"; range: string };

/** Reads a pin: nothing or `latest`, a version number, an exact version or a range. Throws `invalid_request`. */
export function readSelector(spec: string | undefined): VersionSelector {
  const text = spec?.trim() ?? "";
  if (text === "" || text === "latest") return { kind: "current" };
  if (/^\d{1,9}$/.test(text)) return { kind: "number", version: Number(text) };
  const exact = semver.parse(text.replace(/^=?v?/, ""));
  if (exact && exact.build.length === 0) return { kind: "exact", semver: exact.version };
  if (text.length > 256 || semver.validRange(text) === null) {
    throw invalidRequest(`"${text.slice(0, 80)}" is neither a version, a range nor "latest".`);
  }
  return { kind: "range", range: text };
}

/** Reads a range. A plain number is one too: `1` is any version from 1.0.0 up to 2.0.0. Throws `invalid_request`. */
export function readRange(text: string): VersionSelector {
  return /^\d{1,9}$/.test(text.trim()) ? { kind: "range", range: text.trim() } : readSelector(text);
}

/**
 * What a range resolves to: the current version where it satisfies, so that a rollback reaches ranges too, else
 * the highest that does. Prereleases count only for a range anchored to one on the same major.minor.patch.
 */
export function resolveRange<V extends { semver: string }>(
  range: string,
  versions: readonly V[],
  current: string,
): V | undefined {
  const chosen = semver.satisfies(current, range)
    ? current
    : semver.maxSatisfying(
        versions.map((v) => v.semver),
        range,
      );
  return versions.find((version) => version.semver === chosen);
}

/** Versions that satisfy a range or equal an exact version, in the order given. */
export function filterBySpec<V extends { semver: string }>(
  spec: string,
  versions: readonly V[],
  options: { prerelease: boolean },
): V[] {
  const selector = readSelector(spec);
  if (selector.kind === "exact") return versions.filter((version) => version.semver === selector.semver);
  const range = selector.kind === "range" ? selector.range : spec.trim();
  const includePrerelease = options.prerelease;
  return versions.filter((version) => semver.satisfies(version.semver, range, { includePrerelease }));
}
