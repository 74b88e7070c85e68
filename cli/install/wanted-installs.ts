/** The locations that `svc install` was asked for. */
import type { InstallMethod, Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { parseNames } from "../targets/choose.ts";
import { machineOf } from "../targets/detect.ts";
import { alsoLocations } from "../targets/locate.ts";
import { isThere } from "./locations/digest.ts";
import type { WantedInstall } from "./plan/placement.ts";

/** The further locations of `--also`, each once. Throws for unknown names. */
export function parseAlsoLocations(given: readonly string[]): string[] {
  return parseNames("--also", given, [...alsoLocations.keys()]);
}

/** The usual locations of the targets, those of `also`, and further ones that the machine is set up for. */
export async function wantedInstalls(
  context: Context,
  { targets, also }: { targets: readonly Target[]; also: readonly string[] },
  projectDir: string | undefined,
  method: InstallMethod | undefined,
): Promise<WantedInstall[]> {
  const where = {
    scope: projectDir === undefined ? ("global" as const) : ("project" as const),
    projectDir,
  };
  const wanted = targets.map((platform): WantedInstall => ({
    platform,
    ...where,
    method,
  }));
  for (const [name, { platform, impliedBy }] of alsoLocations) {
    const isRequested = also.includes(name);
    const isSetUp =
      projectDir === undefined &&
      targets.includes(platform) &&
      impliedBy !== undefined &&
      (await isThere(impliedBy(machineOf(context))));
    if (isRequested || isSetUp) wanted.push({ platform, ...where, also: name, isImplied: !isRequested });
  }
  return wanted;
}
