/** Installations of a skill by version, from the groups by version and pin. Pure. */
import type { InstallCounts, VersionCount } from "../../../storage/usage/install-days.ts";
import type { InstallGroup } from "../../../storage/usage/installs.ts";

/** Versions of one day that are stored; the installs of all others are in its total only. */
const maxVersions = 100;

export function countInstalled(groups: readonly InstallGroup[]): InstallCounts {
  const byVersion = new Map<number, VersionCount>();
  for (const { version, semver, installs } of groups) {
    const known = byVersion.get(version);
    if (known) known.installs += installs;
    else byVersion.set(version, { version, semver, installs });
  }
  const counts = [...byVersion.values()];
  return {
    installs: counts.reduce((sum, { installs }) => sum + installs, 0),
    versions: counts
      .toSorted((a, b) => b.installs - a.installs || b.version - a.version)
      .slice(0, maxVersions),
  };
}
