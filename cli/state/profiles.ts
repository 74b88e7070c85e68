/** Names of profiles: validity, precedence and existence. */
import { limits } from "../../contract/limits.ts";
import { CliError, invalidArgument } from "../errors.ts";
import { type Config, defaultProfile } from "./config.ts";

/** The profile's name by precedence: flag, then `SVC_PROFILE`, then the config. */
export function profileName(config: Config, flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const override = profileOverride(flag, env);
  const name = override ?? config.activeProfile;
  checkProfileName(name, flag !== undefined ? "--profile" : "SVC_PROFILE");
  if (!hasProfile(config, name)) throw noSuchProfile(config, name);
  return name;
}

/** The profile that overrides the active one of the config. */
export function profileOverride(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  return flag ?? (env["SVC_PROFILE"] === "" ? undefined : env["SVC_PROFILE"]);
}

/** `source`: the flag, variable or argument with the name. */
export function checkProfileName(name: string, source: string): void {
  if (!/^[a-z0-9-]+$/.test(name) || name.length > limits.profileName)
    throw invalidArgument(
      source,
      `"${name}" is not a valid profile name. Use up to ${limits.profileName} lowercase letters, digits and hyphens.`,
      { kind: "profile", ref: name },
    );
}

/** The default profile always exists, even if it is empty. */
export function hasProfile(config: Config, name: string): boolean {
  return name === defaultProfile || Object.hasOwn(config.profiles, name);
}

/** Every profile's name, the default one first. */
export function profileNames(config: Config): string[] {
  return [...new Set([defaultProfile, ...Object.keys(config.profiles).sort()])];
}

export function noSuchProfile(config: Config, name: string): CliError {
  return new CliError(
    "E_NOT_FOUND",
    `There is no profile "${name}". There are: ${profileNames(config).join(", ")}.`,
    { kind: "profile", ref: name },
  );
}
