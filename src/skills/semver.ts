/** Pins: resolves numbers, exact versions and ranges to versions (semver.org). */
import semver from "semver";
import { invalidRequest } from "../errors.ts";

export function isPrerelease(version: string): boolean {
  return semver.prerelease(version) !== null;
}

/** Whether one version is higher than another, whatever the order in which they were published. */
export function exceeds(version: string, other: string): boolean {
  return semver.gt(version, other);
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
    throw invalidRequest(`"${text.slice(0, 80)}" is not a version, a range or "latest".`);
  }
  return { kind: "range", range: text };
}

/** Reads a range. A plain number is one too: `1` is any version from 1.0.0 up to 2.0.0. Throws `invalid_request`. */
export function readRange(text: string): VersionSelector {
  return /^\d{1,9}$/.test(text.trim()) ? { kind: "range", range: text.trim() } : readSelector(text);
}

/**
 * Resolves a range to the current version if it satisfies, so that a rollback applies to ranges too, otherwise to the
 * highest that does. Prereleases match only a range anchored to one with the same major.minor.patch.
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
