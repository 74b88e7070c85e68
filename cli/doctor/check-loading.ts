/** Checks of what tools load of the installed skills: twice, or not at all. */
import type { Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { isThere } from "../install/locations/digest.ts";
import { describeLoading, openLoading, unreadRecords } from "../install/locations/loading.ts";
import { type InstalledInScope, inScopes } from "../install/records/scopes.ts";
import { attempt } from "../mcp/entries/failed-entry.ts";
import { findEntryFile } from "../mcp/entries/plan.ts";
import { installedServers } from "../mcp/records.ts";
import type { Profile } from "../state/config.ts";
import { isInstalled, machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";
import { type Check, warning } from "./check.ts";

/** One check for each scope in which a tool loads a skill twice, and for each tool that does not load its files. */
export async function checkLoading(context: Context, profile: Profile | undefined): Promise<Check[]> {
  const scopes = Object.entries(profile?.installed ?? {}).flatMap(inScopes);
  const folders = [...new Set(scopes.map(({ scope }) => scope.projectDir))];
  const installed = await installedTools(context);
  const checks: Check[] = [];
  for (const projectDir of folders) {
    // A project on an unmounted disk.
    if (projectDir !== undefined && !(await isThere(projectDir))) continue;
    const own = scopes.filter(({ scope }) => scope.projectDir === projectDir);
    const targets = own.flatMap(({ scope }) => scope.records.map(({ platform }) => platform));
    const tools = [...new Set([...targets, ...installed])];
    checks.push(
      ...(await checkTwice(context, projectDir, own, tools)),
      ...(await checkUnread(context, projectDir, own)),
    );
  }
  return [...checks, ...(await checkServers(context, profile))];
}

async function installedTools(context: Context): Promise<Target[]> {
  const machine = machineOf(context);
  const found = await Promise.all(targetDefinitions.map((definition) => isInstalled(definition, machine)));
  return targetDefinitions.filter((_, i) => found[i]).map(({ name }) => name);
}

async function checkTwice(
  context: Context,
  projectDir: string | undefined,
  skills: readonly InstalledInScope[],
  tools: readonly Target[],
): Promise<Check[]> {
  const root = projectDir ?? context.home;
  /** Names of skills, by the tool with the places that it loads them from. */
  const byTool = new Map<string, string[]>();
  const scope = projectDir === undefined ? "global" : "project";
  const find = await openLoading(context, { scope, projectDir }, tools);
  for (const { installName, scope: installed } of skills)
    for (const one of find(installed.records)) {
      const tool = describeLoading(one, root);
      byTool.set(tool, [...(byTool.get(tool) ?? []), installName]);
    }
  if (byTool.size === 0) return [];
  const listed = [...byTool].map(([tool, names]) => `${tool}: ${names.join(", ")}`).join("; ");
  const where = projectDir === undefined ? "At the user level" : `In ${projectDir}`;
  return [
    warning(
      "loaded-twice",
      `${where}, tools load skills twice, since they also read the files of other tools. ${listed}.`,
      "Uninstall these skills, and install them without the tools that read another tool's files, or with --shared.",
    ),
  ];
}

async function checkUnread(
  context: Context,
  projectDir: string | undefined,
  skills: readonly InstalledInScope[],
): Promise<Check[]> {
  const place = projectDir === undefined ? "-g" : `-p ${projectDir}`;
  const checks: Check[] = [];
  for (const { installName, scope } of skills)
    for (const { record, instead } of await unreadRecords(context, scope.records)) {
      const { platform, path } = record;
      const reason = instead === undefined ? "" : `, since there is ${instead}`;
      const remedy =
        instead?.endsWith(".md") === true
          ? `Move the text of ${instead} into ${path}, and remove ${instead}.`
          : `Run svc install ${installName} -t ${platform} ${place}, which writes what the tool reads today.`;
      checks.push(
        warning(
          "not-loaded",
          `${platform} does not read ${path}, which has ${installName}${reason}.`,
          remedy,
        ),
      );
    }
  return checks;
}

/** Entries in a file that the tool has moved since. */
async function checkServers(context: Context, profile: Profile | undefined): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { tenantSlug, slug, installs } of installedServers(profile))
    for (const record of installs) {
      const { platform, scope, projectDir, also, path } = record;
      if (projectDir !== undefined && !(await isThere(projectDir))) continue;
      const wanted = { platform, scope, projectDir, also };
      const file = await attempt(record, () => findEntryFile(context, wanted));
      if (!("path" in file) || file.path === path) continue;
      const ref = `${tenantSlug}/${slug}`;
      checks.push(
        warning(
          "not-loaded",
          `${platform} reads ${file.path} now, and not ${path}, which has the MCP server ${ref}.`,
          `Run svc mcp uninstall ${ref}, and svc mcp install ${ref}.`,
        ),
      );
    }
  return checks;
}
