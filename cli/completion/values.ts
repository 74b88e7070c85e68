/** Completes the value of a flag or argument from closed lists and the local state. */
import { eventNames, mcpTargets, targets } from "../../contract/vocabulary.ts";
import type { FlagShape, PositionalShape } from "../arguments/command-shape.ts";
import type { Context } from "../context.ts";
import { mainScope } from "../install/records/scopes.ts";
import { type Config, type Profile, readConfigFile } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { profileNames, profileOverride } from "../state/profiles.ts";

export interface Candidate {
  value: string;
  description: string;
}

/** `offer`: what the shell should offer in addition. */
export type Completion = { offer: "files" | "folders" } | { offer: "none"; candidates: Candidate[] };

export const nothing: Completion = { offer: "none", candidates: [] };

export async function completeValue(
  context: Context,
  shape: FlagShape | PositionalShape,
  current: string,
  profile: string | undefined,
): Promise<Completion> {
  const described = (values: readonly string[], description = ""): Completion => ({
    offer: "none",
    candidates: values.map((value) => ({ value, description })),
  });
  if (shape.choices !== undefined) return described(shape.choices);
  switch (shape.completes) {
    case "path":
      return { offer: "files" };
    case "folder":
      return { offer: "folders" };
    case "target":
    case "mcpTarget": {
      const chosen = current.split(",").slice(0, -1);
      const all = shape.completes === "target" ? targets : mcpTargets;
      const rest = all.filter((target) => !chosen.includes(target));
      return withPrefix(described(rest), chosen.map((target) => `${target},`).join(""));
    }
    case "event": {
      const groups = new Set(eventNames.map((name) => `${name.split(".")[0]!}.*`));
      return described([...groups, ...eventNames]);
    }
    case "profile":
      return described(profileNames(await quietConfig(context)));
    case "mcpServer": {
      const { mcpServers = {} } = await chosenProfile(context, profile);
      const candidates = Object.values(mcpServers).map(({ publicId, tenantSlug, slug, via }) => ({
        value: publicId === slug ? slug : `${tenantSlug}/${slug}`,
        description: via,
      }));
      return { offer: "none", candidates };
    }
    case "installed": {
      const { installed = {} } = await chosenProfile(context, profile);
      const candidates = Object.entries(installed).map(([value, skill]) => ({
        value,
        description: `${skill.tenantSlug}/${skill.slug} ${mainScope(skill).semver}`,
      }));
      return { offer: "none", candidates };
    }
    default:
      return nothing;
  }
}

export function withPrefix(completion: Completion, prefix: string): Completion {
  if (completion.offer !== "none") return completion;
  const candidates = completion.candidates.map((one) => ({ ...one, value: prefix + one.value }));
  return { offer: "none", candidates };
}

async function chosenProfile(context: Context, profile: string | undefined): Promise<Partial<Profile>> {
  const config = await quietConfig(context);
  const name = profileOverride(profile, context.env) ?? config.activeProfile;
  return Object.hasOwn(config.profiles, name) ? config.profiles[name]! : {};
}

/** Other commands report and rename a damaged config. */
async function quietConfig(context: Context): Promise<Config> {
  const reading = await readConfigFile(statePaths(context.home));
  if ("config" in reading) return reading.config;
  throw new Error(reading.damaged);
}
