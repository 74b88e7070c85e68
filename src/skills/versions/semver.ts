/** Pins: resolves numbers, exact versions and ranges to versions (semver.org). */
import { setImmediate } from "node:timers/promises";
import semver from "semver";
import { limits } from "../../../contract/limits.ts";
import { isChannelName } from "../../../contract/names/channel-name.ts";
import { invalidRequest } from "../../errors.ts";

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
  | { kind: "range"; range: string }
  | { kind: "channel"; name: string };

/**
 * Reads a pin: nothing or `latest`, a version number, an exact version, a range or a channel. Throws `invalid_request`.
 */
export function readSelector(spec: string | undefined): VersionSelector {
  const text = spec?.trim() ?? "";
  if (text === "" || text === "latest") return { kind: "current" };
  if (/^\d{1,9}$/.test(text)) return { kind: "number", version: Number(text) };
  if (isChannelName(text)) return { kind: "channel", name: text };
  const exact = semver.parse(text.replace(/^=?v?/, ""));
  if (exact && exact.build.length === 0) return { kind: "exact", semver: exact.version };
  const comparators = text.length > 256 ? undefined : comparatorsOf(text);
  if (comparators === undefined)
    throw invalidRequest(`"${text.slice(0, 80)}" is not a version, a range, a channel or "latest".`);
  if (comparators > limits.rangeComparators)
    throw invalidRequest(
      `The range has ${comparators} comparators: use at most ${limits.rangeComparators} of them.`,
    );
  return { kind: "range", range: text };
}

/** Number of comparators of a range; undefined if it is not one. */
function comparatorsOf(text: string): number | undefined {
  try {
    return new semver.Range(text).set.flat().length;
  } catch {
    return undefined;
  }
}

/** Reads a range. A plain number is one too: `1` is any version from 1.0.0 up to 2.0.0. Throws `invalid_request`. */
export function readRange(text: string): VersionSelector {
  return /^\d{1,9}$/.test(text.trim()) ? { kind: "range", range: text.trim() } : readSelector(text);
}

/**
 * Resolves a range to the current version if it satisfies, so that a rollback applies to ranges too, otherwise to the
 * highest that does. Prereleases match only a range anchored to one with the same major.minor.patch.
 */
export async function resolveRange<V extends { semver: string }>(
  range: string,
  versions: readonly V[],
  current: string,
): Promise<V | undefined> {
  if (semver.satisfies(current, range)) return versions.find((version) => version.semver === current);
  const [first, ...others] = await matchingVersions(versions, range, { includePrerelease: false });
  return first && others.reduce((a, b) => (b.parsed.compare(a.parsed) > 0 ? b : a), first).version;
}

/** Versions that satisfy a range or equal an exact version, in the order given; none for a channel. */
export async function filterBySpec<V extends { semver: string }>(
  spec: string,
  versions: readonly V[],
  options: { prerelease: boolean },
): Promise<V[]> {
  const selector = readSelector(spec);
  if (selector.kind === "channel") return [];
  if (selector.kind === "exact") return versions.filter((version) => version.semver === selector.semver);
  const range = selector.kind === "range" ? selector.range : spec.trim();
  const matching = await matchingVersions(versions, range, { includePrerelease: options.prerelease });
  return matching.map(({ version }) => version);
}

/** Number of versions that are compared with a range before other requests continue. */
const comparedVersions = 1000;

async function matchingVersions<V extends { semver: string }>(
  versions: readonly V[],
  text: string,
  options: { includePrerelease: boolean },
): Promise<{ version: V; parsed: semver.SemVer }[]> {
  const range = new semver.Range(text, options);
  const matching: { version: V; parsed: semver.SemVer }[] = [];
  for (const [index, version] of versions.entries()) {
    if (index > 0 && index % comparedVersions === 0) await setImmediate();
    // A version with other options than the range would be parsed again for each comparator.
    const parsed = new semver.SemVer(version.semver, options);
    if (range.test(parsed)) matching.push({ version, parsed });
  }
  return matching;
}
