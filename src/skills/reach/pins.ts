/** Pins of installs, seen from one version. Pure. */
import semver from "semver";
import type { PinClass } from "../../../contract/payloads/skills/reach.ts";
import { ServiceError } from "../../errors.ts";
import { readSelector, type VersionSelector } from "../versions/semver.ts";

/** The version, and what installs resolve to once it is published or chosen. */
export interface ReachedVersion {
  /** Undefined for one that is not published yet. */
  version?: number;
  semver: string;
  /** Semver that `latest` resolves to; undefined if no version can be installed. */
  latest?: string;
  /** Channels that point to it. */
  channels: readonly string[];
  /** Whether ranges and channels never resolve to it, since it is yanked or rejected. */
  isWithdrawn: boolean;
  /** Versions that ranges may resolve to and that exceed it, parsed once for all pins. */
  higher: () => readonly semver.SemVer[];
}

export interface SeenPin {
  class: PinClass;
  /** Whether the pin resolves to the version. */
  isGetting: boolean;
}

/** Effect of a pin, seen from a version. A text that is not a pin counts as pinned elsewhere. */
export function seenFrom(target: ReachedVersion, pin: string | undefined): SeenPin {
  const selector = pin === undefined ? undefined : readPin(pin);
  const seen = classOf(target, pin);
  switch (seen) {
    case "latest":
      return { class: seen, isGetting: target.latest === target.semver };
    case "channel":
      return { class: seen, isGetting: !target.isWithdrawn };
    case "range":
      return {
        class: seen,
        isGetting: !target.isWithdrawn && selector?.kind === "range" && resolvesTo(target, selector.range),
      };
    default:
      return { class: seen, isGetting: seen === "exact" };
  }
}

/** The class alone, which takes no look at other versions. */
export function classOf(target: ReachedVersion, pin: string | undefined): PinClass {
  if (pin === undefined) return "unknown";
  const selector = readPin(pin);
  switch (selector?.kind) {
    case "current":
      return "latest";
    case "number":
      return selector.version === target.version ? "exact" : "elsewhere";
    case "exact":
      return selector.semver === target.semver ? "exact" : "elsewhere";
    case "channel":
      return target.channels.includes(selector.name) ? "channel" : "elsewhere";
    case "range":
      return semver.satisfies(target.semver, selector.range) ? "range" : "outside";
    default:
      return "elsewhere";
  }
}

/** Like `resolveRange`: the current version comes first, then the highest that satisfies. */
function resolvesTo({ semver: wanted, latest, higher }: ReachedVersion, range: string): boolean {
  if (latest !== undefined && semver.satisfies(latest, range)) return latest === wanted;
  const parsed = new semver.Range(range);
  return !higher().some((other) => parsed.test(other));
}

function readPin(pin: string): VersionSelector | undefined {
  try {
    return readSelector(pin);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
