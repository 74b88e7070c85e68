/**
 * The scopes of an installed skill: the user level, and each project. The installs of one scope have one pin and one
 * version, since a project's lock has one; different scopes are independent of each other.
 */
import type { ContentFormat } from "../../../contract/vocabulary.ts";
import type { Config, InstallationRecord, InstalledSkill } from "../../state/config.ts";

export interface ScopeInstalls {
  /** Undefined for the user level. */
  projectDir: string | undefined;
  range: string;
  version: number;
  semver: string;
  hash: string;
  format: ContentFormat;
  records: InstallationRecord[];
  /** Those of this version; the others could not be updated to it. If none could, all of them. */
  current: InstallationRecord[];
}

/** An installed skill in one of its scopes. */
export interface InstalledInScope {
  installName: string;
  skill: InstalledSkill;
  scope: ScopeInstalls;
}

/** The user level first, then projects in the order of their first install. */
export function scopesOf({ installs }: Pick<InstalledSkill, "installs">): ScopeInstalls[] {
  const folders = [...new Set(installs.map(({ projectDir }) => projectDir))];
  return [...folders.filter((dir) => dir === undefined), ...folders.filter((dir) => dir !== undefined)].map(
    (projectDir) => toScope(projectDir, installsIn({ installs }, projectDir)),
  );
}

export function inScopes([installName, skill]: [string, InstalledSkill]): InstalledInScope[] {
  return scopesOf(skill).map((scope) => ({ installName, skill, scope }));
}

/** The installs at the user level, or in a project; undefined if there are none. */
export function findScope(
  skill: Pick<InstalledSkill, "installs"> | undefined,
  projectDir: string | undefined,
): ScopeInstalls | undefined {
  const records = installsIn(skill, projectDir);
  return records.length === 0 ? undefined : toScope(projectDir, records);
}

export function installsIn(
  skill: Pick<InstalledSkill, "installs"> | undefined,
  projectDir: string | undefined,
): InstallationRecord[] {
  return (skill?.installs ?? []).filter((record) => record.projectDir === projectDir);
}

/** The records of a skill in all profiles, which share the cache. */
export function recordsOf({ profiles }: Config, installName: string): InstallationRecord[] {
  return Object.values(profiles).flatMap(({ installed }) =>
    Object.hasOwn(installed, installName) ? installed[installName]!.installs : [],
  );
}

/** The scope whose version stands for the skill as a whole: the user level, or else its first project. */
export function mainScope(skill: InstalledSkill): ScopeInstalls {
  return scopesOf(skill)[0]!;
}

function toScope(projectDir: string | undefined, records: InstallationRecord[]): ScopeInstalls {
  const { range, version, semver, hash, format } =
    records.find((record) => record.outdated !== true) ?? records[0]!;
  const current = records.filter((record) => record.version === version && record.hash === hash);
  return { projectDir, range, version, semver, hash, format, records, current };
}
