/**
 * Deviations from what was installed, or from a project's lock. Reads the local state, every location, and
 * the bytes of the cache; changes nothing.
 */
import type { Context } from "../../context.ts";
import { scopesOf, type InstalledInScope } from "../../install/records/scopes.ts";
import type { Config } from "../../state/config.ts";
import type { Project } from "../files.ts";
import type { CheckedSkill, Drift } from "./drift.ts";
import { driftOfSkill } from "./installed.ts";
import { driftFromLock } from "./lock.ts";
import { unrecordedEntries } from "./unrecorded.ts";

export interface DriftReport {
  drift: Drift[];
  checked: { skills: number; places: number };
  /** The installs that were checked. */
  installed: InstalledInScope[];
}

/** `scope`: one project, or all installs of the profile. `project` is compared with its lock. */
export async function findDrift(
  context: Context,
  config: Config,
  profile: string,
  scope: { folder: string | undefined; project: Project },
): Promise<DriftReport> {
  const drift: Drift[] = [];
  const installed = Object.entries(config.profiles[profile]?.installed ?? {}).flatMap(
    ([installName, skill]): CheckedSkill[] => {
      const scopes = scopesOf(skill).filter(
        ({ projectDir }) => scope.folder === undefined || projectDir === scope.folder,
      );
      return scopes.length === 0 ? [] : [{ installName, skill, scopes }];
    },
  );
  for (const one of installed) drift.push(...(await driftOfSkill(context, one)));
  drift.push(...(await driftFromLock(context, scope.project, installed)));
  const projects = new Set(
    installed.flatMap(({ scopes }) => scopes.flatMap(({ projectDir }) => projectDir ?? [])),
  );
  const scanned =
    scope.folder === undefined ? [undefined, ...projects.add(scope.project.folder)] : [scope.folder];
  for (const folder of scanned) drift.push(...(await unrecordedEntries(context, config, folder)));
  const places = installed.flatMap(({ scopes }) => scopes.flatMap(({ records }) => records)).length;
  return {
    drift,
    checked: { skills: installed.length, places },
    installed: installed.flatMap(({ installName, skill, scopes }) =>
      scopes.map((one) => ({ installName, skill, scope: one })),
    ),
  };
}
