/** The tools and the scope of `svc mcp install`. */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { type McpTarget, mcpTargets } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { invalidArgument } from "../errors.ts";
import { isThere } from "../install/locations/digest.ts";
import { projectFolder } from "../project/files.ts";
import { parseNames, parseTargets } from "../targets/choose.ts";
import { isInstalled, isUsedIn, machineOf } from "../targets/detect.ts";
import { findTarget } from "../targets/index.ts";
import type { WantedEntry } from "./entries/plan.ts";
import { alsoFiles } from "./tools/index.ts";

/** The targets of `-t`. Throws for those that hold no MCP servers. */
export function parseMcpTargets(given: readonly string[]): McpTarget[] {
  return parseTargets(given).map((name) => {
    const target = mcpTargets.find((one) => one === name);
    if (target === undefined)
      throw invalidArgument(
        "--target",
        `"${name}" does not support MCP servers. Use ${mcpTargets.join(", ")}.`,
      );
    return target;
  });
}

/** Tools that are installed on this machine or, for a project, used in it. */
export async function detectMcpTargets(
  context: Context,
  projectDir: string | undefined,
): Promise<McpTarget[]> {
  const machine = machineOf(context);
  const found = await Promise.all(
    mcpTargets.map(async (name) => {
      const definition = findTarget(name)!;
      if (await isInstalled(definition, machine)) return [name];
      return projectDir !== undefined && (await isUsedIn(definition, projectDir)) ? [name] : [];
    }),
  );
  return found.flat();
}

/** The project of `--project`, which must exist; undefined for the user level. */
export async function wantedProject(
  context: Context,
  project: string | true | undefined,
): Promise<string | undefined> {
  if (project === undefined) return undefined;
  const given = typeof project === "string" ? project : ".";
  return projectFolder(
    await realpath(resolve(context.cwd, given)).catch(() => resolve(context.cwd, given)),
    given,
  );
}

/** The further files of `--also`, each once. Throws for unknown names. */
export function parseAlsoFiles(given: readonly string[]): string[] {
  return parseNames("--also", given, [...alsoFiles.keys()]);
}

/** The usual files of the targets, those of `also`, and further ones that the machine is set up for. */
export async function wantedEntries(
  context: Context,
  targets: readonly McpTarget[],
  also: readonly string[],
  projectDir: string | undefined,
): Promise<WantedEntry[]> {
  const machine = machineOf(context);
  const place = {
    scope: projectDir === undefined ? ("global" as const) : ("project" as const),
    projectDir,
  };
  const entries: WantedEntry[] = targets.map((platform) => ({ platform, ...place }));
  for (const [name, { platform, file }] of alsoFiles) {
    const isImplied =
      targets.includes(platform) && file.impliedBy !== undefined && (await isThere(file.impliedBy(machine)));
    if (also.includes(name)) entries.push({ platform, ...place, also: name });
    else if (isImplied) entries.push({ platform, ...place, also: name, isImplied });
  }
  return entries;
}
