/** MCP servers that a skill requires: the tools that lack them, and the commands that install them. */
import { mcpToolOf } from "../../contract/mcp-entries/index.ts";
import { type InstallScope, type McpTarget, type Target, mcpTargets } from "../../contract/vocabulary.ts";
import { openMcpCalls } from "../api/calls/mcp.ts";
import type { HttpOptions } from "../api/http.ts";
import { type Shape, fits } from "../api/shapes.ts";
import type { CommandResult } from "../command.ts";
import type { Context } from "../context.ts";
import { Cancelled, messageOf } from "../errors.ts";
import type { Profile } from "../state/config.ts";
import { askWhether } from "../terminal/prompts.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { describeEffects } from "./effects.ts";
import { installedServers } from "./records.ts";

/** A service of an earlier version sends no transport. */
const shape = [{ tenantSlug: "slug", slug: "slug", transport: "text?" }] as const satisfies Shape;

/** An install of the skill. */
interface SkillLocation {
  platform: Target;
  scope: InstallScope;
  projectDir?: string;
}

/** Tools that lack a server in one scope, and can get it in the same way. */
interface MissingServer {
  ref: string;
  targets: McpTarget[];
  /** Undefined for the user level. */
  projectDir: string | undefined;
  /** The tools don't have the server's transport, but that of the hosted connectors. */
  via: "central" | undefined;
}

export interface RequiredServers {
  /** `installed`: all tools that have the skill, and can have MCP servers, have this one. */
  servers: { tenantSlug: string; slug: string; installed: boolean }[];
  missing: MissingServer[];
}

/** `required`: the list of the service, which may send anything. */
export function checkRequired(
  profile: Profile | undefined,
  required: unknown,
  locations: readonly SkillLocation[],
): RequiredServers {
  const result: RequiredServers = { servers: [], missing: [] };
  if (!fits(required, shape)) return result;
  const places = locations.flatMap(placeOf);
  for (const { tenantSlug, slug, transport } of required as ListedRequirement[]) {
    const ref = `${tenantSlug}/${slug}`;
    const lacking = places.filter((place) => !hasServer(profile, ref, place));
    result.servers.push({ tenantSlug, slug, installed: places.length > 0 && lacking.length === 0 });
    for (const projectDir of new Set(lacking.map((place) => place.projectDir)))
      for (const via of [undefined, "central"] as const) {
        const own = lacking.filter(
          (place) => place.projectDir === projectDir && viaOf(place, transport) === via,
        );
        const targets = [...new Set(own.map(({ platform }) => platform))];
        if (targets.length > 0) result.missing.push({ ref, projectDir, targets, via });
      }
  }
  return result;
}

interface ListedRequirement {
  tenantSlug: string;
  slug: string;
  transport?: string | null;
}

interface Place {
  platform: McpTarget;
  /** Undefined for the user level. */
  projectDir: string | undefined;
}

/** Where the tool of an install has its servers: in the same scope, or for the user if it has no project file. */
function placeOf({ platform, scope, projectDir }: SkillLocation): Place[] {
  const name = mcpTargets.find((target) => target === platform);
  if (name === undefined) return [];
  const { files } = mcpToolOf(name);
  if (scope === "project" && files.project !== undefined) return [{ platform: name, projectDir }];
  return files.global === undefined ? [] : [{ platform: name, projectDir: undefined }];
}

function hasServer(profile: Profile | undefined, ref: string, { platform, projectDir }: Place): boolean {
  return installedServers(profile)
    .filter(({ tenantSlug, slug }) => `${tenantSlug}/${slug}` === ref)
    .flatMap(({ installs }) => installs)
    .some(
      (entry) =>
        entry.pending === undefined &&
        entry.also === undefined &&
        entry.platform === platform &&
        (entry.scope === "global" || entry.projectDir === projectDir),
    );
}

/** How a tool without the server's transport can have it. */
function viaOf({ platform }: Place, transport: string | null | undefined): MissingServer["via"] {
  const lacks: Readonly<Record<string, string>> = mcpToolOf(platform).lacks ?? {};
  return Object.hasOwn(lacks, transport ?? "") ? "central" : undefined;
}

/** A sentence with the command to run. */
export function describeMissing({ cwd }: Context, skill: string, missing: MissingServer): string {
  const { ref, targets, projectDir, via } = missing;
  const place = projectDir === undefined ? "-g" : projectDir === cwd ? "-p" : `-p ${shellWord(projectDir)}`;
  const lack = `${targets.join(", ")} ${targets.length === 1 ? "lacks" : "lack"}`;
  const only = `${targets.join(", ")} can have only through a hosted connector`;
  return (
    `${skill} requires the MCP server ${ref}, which ${via === undefined ? lack : only}: ` +
    `svc mcp install ${ref} -t ${targets.join(",")} ${place}${via === undefined ? "" : ` --via ${via}`}`
  );
}

/**
 * The sentences of `describeMissing` for programs and scripts, and what the servers do on the machine. A server that
 * can't be read has the first sentence only.
 */
export async function describeAllMissing(
  context: Context,
  options: HttpOptions,
  skill: string,
  missing: readonly MissingServer[],
): Promise<string[]> {
  const calls = openMcpCalls(options);
  const refs = [...new Set(missing.map(({ ref }) => ref))];
  const effects = await Promise.all(
    refs.map((ref) => calls.find(ref).then(describeEffects, (): string[] => [])),
  );
  return [...missing.map((one) => describeMissing(context, skill, one)), ...effects.flat()];
}

/**
 * Prints the result of an install, and offers its missing servers: a person sees what each does on their machine before
 * they answer. The result is the same in any case.
 */
export async function offerMissing(
  context: Context,
  options: HttpOptions,
  skill: string,
  result: CommandResult,
  missing: readonly MissingServer[],
): Promise<CommandResult> {
  const { output } = context;
  output.line(result.data, result.text);
  for (const one of missing) {
    const { ref, targets, projectDir, via } = one;
    try {
      const server = await openMcpCalls(options).find(ref);
      for (const sentence of describeEffects(server)) output.note(sentence);
      if (
        !(await askWhether(`${skill} requires the MCP server ${ref}. Install it into ${targets.join(", ")}?`))
      )
        continue;
      const { runInstall } = await import("./commands/install.ts");
      const args = { ref, target: targets, project: projectDir, also: [], via, var: [], force: false };
      const { data, text } = await runInstall(context, args, server);
      output.line(data, text);
    } catch (error) {
      if (error instanceof Cancelled) break;
      output.warn(`${messageOf(error)} ${describeMissing(context, skill, one)}`);
    }
  }
  return { ...result, text: "" };
}
