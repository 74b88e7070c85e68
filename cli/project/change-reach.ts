/**
 * The installs that `pull` and `uninstall` may change: those of the user level, of this project, and of projects
 * without an `svc.json`. A project with one changes only from within, since its files and its lock belong together.
 */
import { realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { isInside } from "../install/locations/files.ts";
import { type InstalledInScope, inScopes } from "../install/records/scopes.ts";
import type { InstalledSkill, Profile } from "../state/config.ts";
import { hasManifest } from "./files.ts";

export const reachFlags = {
  project: {
    short: "p",
    value: "optional",
    hint: "dir",
    completes: "folder",
    description: "Only in one project (default: this one)",
  },
  global: { short: "g", value: "none", description: "Only at the user level" },
  everywhere: { value: "none", description: "Also in other projects that have an svc.json" },
} as const;

export const exclusiveReach = [
  ["global", "project"],
  ["everywhere", "project"],
  ["everywhere", "global"],
] as const;

interface ReachArguments {
  project: string | true | undefined;
  global: boolean;
  everywhere: boolean;
}

export interface ChangeReach {
  /** The project that the command was run in, or that `--project` names. */
  here: string | undefined;
  only: "project" | "global" | undefined;
  everywhere: boolean;
}

export async function changeReach(
  context: Context,
  profile: Profile | undefined,
  { project, global, everywhere }: ReachArguments,
): Promise<ChangeReach> {
  if (project === undefined)
    return {
      here: await findProject(context, profile),
      only: global ? "global" : undefined,
      everywhere,
    };
  // The folder may be gone, and its records with it.
  const given = resolve(context.cwd, typeof project === "string" ? project : ".");
  const here =
    typeof project === "string"
      ? await realpath(given).catch(() => given)
      : ((await findProject(context, profile)) ?? (await realpath(given)));
  return { here, only: "project", everywhere };
}

/** The innermost folder around the current one that has an `svc.json` or installs. */
async function findProject(context: Context, profile: Profile | undefined): Promise<string | undefined> {
  const folders = new Set(
    Object.values(profile?.installed ?? {}).flatMap(({ installs }) =>
      installs.flatMap(({ projectDir }) => projectDir ?? []),
    ),
  );
  const start = await realpath(context.cwd).catch(() => context.cwd);
  for (let at = start; ; at = dirname(at)) {
    if (folders.has(at) || (await hasManifest(at))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** `kept`: other projects with an `svc.json`, which stay as they are. */
export interface DividedScopes {
  chosen: InstalledInScope[];
  kept: InstalledInScope[];
}

export async function divideScopes(
  skills: readonly [string, InstalledSkill][],
  { here, only, everywhere }: ChangeReach,
): Promise<DividedScopes> {
  const chosen: InstalledInScope[] = [];
  const kept: InstalledInScope[] = [];
  for (const installed of skills.flatMap(inScopes)) {
    const { projectDir } = installed.scope;
    const isHere = projectDir !== undefined && projectDir === here;
    if (only !== undefined) {
      if (only === "project" ? isHere : projectDir === undefined) chosen.push(installed);
    } else if (projectDir === undefined || isHere || everywhere || !(await hasManifest(projectDir)))
      chosen.push(installed);
    else kept.push(installed);
  }
  return { chosen, kept };
}

/** Refuses to change a skill that is not installed in the scope that a flag selects. */
export function refuseUnreached(
  ref: string,
  { chosen, kept }: DividedScopes,
  { here, only }: ChangeReach,
): void {
  if (chosen.length > 0 || kept.length > 0) return;
  const where = only === "global" ? "at the user level" : `in ${here}`;
  throw notFound("installedSkill", ref, `${ref} is not installed ${where}.`);
}

/** A kept scope, as in JSON output. */
export function presentKept({ installName, skill, scope }: InstalledInScope) {
  const { publicId, slug, tenantSlug } = skill;
  const { projectDir, version, semver, range } = scope;
  return { installName, publicId, slug, tenantSlug, projectDir: projectDir!, version, semver, pin: range };
}

/** The lines about kept scopes, for people. */
export function describeKept(kept: readonly InstalledInScope[]): string[] {
  const folders = [...new Set(kept.map(({ scope }) => scope.projectDir!))];
  if (folders.length === 0) return [];
  return [
    "Not changed, since these projects have an svc.json (run the command there, or with --everywhere):",
    ...folders.map((folder) => `  ${folder}`),
  ];
}

/** Whether a scope lies outside the project that the command was run in. Without a project, projects do. */
export function isOutside({ scope: { projectDir } }: InstalledInScope, here: string | undefined): boolean {
  if (here === undefined) return projectDir !== undefined;
  return projectDir === undefined || !isInside(projectDir, here);
}
