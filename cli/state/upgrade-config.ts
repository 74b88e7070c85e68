/** Upgrades a config of an earlier format. Pure. */
import { isRecord } from "./is-record.ts";

/** The config in the current format; the same value if it needs no upgrade. */
export function upgradeConfig(value: unknown): unknown {
  return isRecord(value) && value["version"] === 1 ? perLocation(value) : value;
}

/** Format 1 had pin, version and digest per skill; format 2 has them per install location. */
function perLocation(config: Record<string, unknown>): unknown {
  return { ...config, version: 2, profiles: mapValues(config["profiles"], upgradeProfile) };
}

function upgradeProfile(profile: Record<string, unknown>): unknown {
  return { ...profile, installed: mapValues(profile["installed"], upgradeSkill) };
}

function upgradeSkill(skill: Record<string, unknown>): unknown {
  const { format: _, range, version, semver, hash, installs, ...rest } = skill;
  if (!Array.isArray(installs)) return skill;
  // The version of an outdated location was not recorded: without a digest, it differs from every version.
  const upgrade = (record: unknown) =>
    isRecord(record)
      ? { ...record, range, version, semver, hash: record["outdated"] === true ? "" : hash }
      : record;
  return { ...rest, installs: installs.map(upgrade) };
}

/** A damaged value stays as it is, for the check of the whole config. */
function mapValues(value: unknown, map: (entry: Record<string, unknown>) => unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, isRecord(entry) ? map(entry) : entry]),
  );
}
