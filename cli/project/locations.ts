/** Install locations in a project, or in the user's own folders. */
import { dirname } from "node:path";
import type { Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";
import { type LocationChoice, alsoLocations, locate } from "../targets/locate.ts";
import type { InstallItem, InstallLocation, Placement, Refusal } from "../targets/target.ts";
import type { LockedSkill } from "./lock.ts";

/** The target's location for a skill, as far as it is known without its text. */
export function locateInProject(
  context: Context,
  folder: string,
  skill: Pick<LockedSkill, "installName" | "type" | "format" | "shared">,
  platform: Target,
): Placement | Refusal {
  const isShared = skill.shared === true;
  return locate(itemOf(skill), installLocation(context, folder), { platform, isShared });
}

export interface ScanRoots {
  /** Folders of skills. */
  folders: Set<string>;
  /** Files with skills as sections. */
  sections: Set<string>;
}

/** All locations that svc may have written to, in a project or, without one, for the user. */
export function scanRootsOf(context: Context, folder: string | undefined): ScanRoots {
  const roots: ScanRoots = { folders: new Set(), sections: new Set() };
  const installName = "a";
  const forms = [
    { installName, type: "skill", format: "markdown" },
    { installName, type: "rule", format: "markdown" },
    { installName, type: "skill", format: "package" },
  ] as const;
  const choices: LocationChoice[] = [
    ...targetDefinitions.flatMap(({ name: platform }) =>
      [false, true].map((isShared) => ({ platform, isShared })),
    ),
    ...[...alsoLocations].map(([also, { platform }]) => ({ platform, also, isShared: false })),
  ];
  for (const choice of choices)
    for (const form of forms) {
      const placement = locate(itemOf(form), installLocation(context, folder), choice);
      if ("refused" in placement) continue;
      if (placement.shape === "section") roots.sections.add(placement.path);
      else roots.folders.add(dirname(placement.path));
    }
  return roots;
}

function itemOf({ installName, type, format }: Pick<LockedSkill, "installName" | "type" | "format">) {
  return { installName, name: installName, description: "", type, format, body: "" } satisfies InstallItem;
}

function installLocation(context: Context, folder: string | undefined): InstallLocation {
  const machine = machineOf(context);
  return folder === undefined
    ? { ...machine, scope: "global" }
    : { ...machine, scope: "project", projectDir: folder };
}
