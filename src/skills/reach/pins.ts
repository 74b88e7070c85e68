/** Pins of installs, seen from one version. Pure. */
import semver from "semver";
import type { PinClass } from "../../../contract/payloads/skill-reach.ts";
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
  /** Semvers that ranges may resolve to and that exceed it. */
  higher: () => readonly string[];
}

export interface SeenPin {
  class: PinClass;
  /** Whether the pin resolves to the version. */
  isGetting: boolean;
}

/** Effect of a pin, seen from a version. A text that is not a pin counts as pinned elsewhere. */
export function seenFrom(target: ReachedVersion, pin: string | undefined): SeenPin {
  if (pin === undefined) return { class: "unknown", isGetting: false };
  const selector = readPin(pin);
  switch (selector?.kind) {
    case "current":
      return { class: "latest", isGetting: target.latest === target.semver };
    case "number":
      return exact(selector.version === target.version);
    case "exact":
      return exact(selector.semver === target.semver);
    case "channel":
      return target.channels.includes(selector.name)
        ? { class: "channel", isGetting: !target.isWithdrawn }
        : exact(false);
    case "range":
      return seenFromRange(target, selector.range);
    default:
      return { class: "elsewhere", isGetting: false };
  }
}

const exact = (isGetting: boolean): SeenPin => ({
  class: isGetting ? "exact" : "elsewhere",
  isGetting,
});

function seenFromRange(target: ReachedVersion, range: string): SeenPin {
  if (!semver.satisfies(target.semver, range)) return { class: "outside", isGetting: false };
  return {
    class: "range",
    isGetting: !target.isWithdrawn && resolvesTo(target, range),
  };
}

/** Like `resolveRange`: the current version comes first, then the highest that satisfies. */
function resolvesTo({ semver: wanted, latest, higher }: ReachedVersion, range: string): boolean {
  if (latest !== undefined && semver.satisfies(latest, range)) return latest === wanted;
  return !higher().some((other) => semver.satisfies(other, range));
}

function readPin(pin: string): VersionSelector | undefined {
  try {
    return readSelector(pin);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
