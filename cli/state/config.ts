/**
 * `~/.svc/config.json`: profiles, each with its own token, installed skills and preferences. Written whole and
 * atomically, mode 0600, by whoever holds the lock; read without it. Keys that this version does not know are
 * kept.
 */
import { chmod, mkdir, readFile, rename } from "node:fs/promises";
import type {
  ContentFormat,
  InstallMethod,
  InstallScope,
  SkillType,
  Target,
  Visibility,
} from "../../contract/vocabulary.ts";
import { limits } from "../../contract/limits.ts";
import { CliError, hasCode, invalidArgument, messageOf } from "../errors.ts";
import { randomHex, writeAtomic } from "./atomic.ts";
import type { StatePaths } from "./paths.ts";

export const defaultProfile = "default";
const formatVersion = 1;

/** The installation record of the specification, part 2, and what is needed to recognise our own work. */
export interface InstallationRecord {
  platform: Target;
  scope: InstallScope;
  method: InstallMethod;
  path: string;
  projectDir?: string;
  format: ContentFormat;
  installedAt: string;
  /** Digest of what was written (`install/digest.ts`); a link has none, its content is the cache's. */
  digest?: string;
  /** What may still be there when a run was stopped between announcing a change and making it. */
  previousDigest?: string;
  /** The shared file did not exist before: removing the last section removes it. */
  createdFile?: boolean;
  /** The outermost of the folders that were made for it: removed with it as far as they are empty. */
  createdFolder?: string;
  /** It could not be brought to the skill's version: what lies there is an earlier one. */
  outdated?: boolean;
}

export interface InstalledSkill {
  publicId: string;
  slug: string;
  name: string;
  type: SkillType;
  visibility: Visibility;
  tenantSlug: string;
  format: ContentFormat;
  /** The pin: `latest`, an exact version, a range or an integer; resolved again by `pull`. */
  range: string;
  version: number;
  semver: string;
  hash: string;
  installs: InstallationRecord[];
}

export interface Profile {
  token?: string;
  /** The service that the token is for. */
  apiUrl?: string;
  /** By install name: the name under which the skill lies in the cache and in the tools. */
  installed: Record<string, InstalledSkill>;
  preferences: Record<string, unknown>;
}

export interface Config {
  version: typeof formatVersion;
  /** What reports of installs call this machine. Random: it says nothing about machine or owner. */
  machineId?: string;
  /** Anonymous identities, by the origin of the service that each is for. */
  identities?: Record<string, AnonymousKey>;
  activeProfile: string;
  profiles: Record<string, Profile>;
}

/** An Ed25519 key pair, each half 32 bytes in base64url, and what a service knows it as. */
export interface AnonymousKey {
  publicKey: string;
  privateKey: string;
  /** Set once the service has registered the key. */
  id?: string;
}

function emptyProfile(): Profile {
  return { installed: byNameOnly({}), preferences: {} };
}

function emptyConfig(): Config {
  return {
    version: formatVersion,
    activeProfile: defaultProfile,
    profiles: byNameOnly({ [defaultProfile]: emptyProfile() }),
  };
}

/** A map that inherits nothing: a skill may be called "constructor". */
function byNameOnly<T extends object>(map: T): T {
  return Object.setPrototypeOf(map, null) as T;
}

export type ConfigReading = { config: Config } | { damaged: string };

/** Reads the file as it is; a missing one is an empty config. Throws when a newer version wrote it. */
export async function readConfigFile(paths: StatePaths): Promise<ConfigReading> {
  let text: string;
  try {
    text = await readFile(paths.config, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { config: emptyConfig() };
    throw new CliError("E_INTERNAL", `The configuration cannot be read: ${messageOf(error)}.`, undefined, {
      cause: error,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { damaged: "it is not JSON" };
  }
  if (isRecord(value) && typeof value["version"] === "number" && value["version"] > formatVersion)
    throw new CliError("E_INTERNAL", `${paths.config} was written by a newer svc: update this one.`);
  const fault = faultOf(value);
  if (fault !== undefined) return { damaged: fault };
  const config = value as Config;
  for (const profile of Object.values(byNameOnly(config.profiles))) byNameOnly(profile.installed);
  return { config };
}

/** Moves a damaged file out of the way, never deletes it, and answers where it went. */
export async function setConfigAside(paths: StatePaths, now: Date): Promise<string> {
  const aside = `${paths.config}.damaged-${now.toISOString().replaceAll(/[:.]/g, "-")}`;
  await rename(paths.config, aside);
  return aside;
}

/** Throws for what the next run would take for damaged: whatever else is in the file is worth more than this change. */
export async function writeConfigFile(paths: StatePaths, config: Config): Promise<void> {
  const fault = faultOf(config);
  if (fault !== undefined) throw new Error(`with this change, ${fault}`);
  await writeAtomic(paths.config, `${JSON.stringify(config, undefined, 2)}\n`, 0o600);
}

/** Makes `~/.svc` for its owner alone. */
export async function ensureRoot(paths: StatePaths): Promise<void> {
  try {
    if ((await mkdir(paths.root, { recursive: true, mode: 0o700 })) !== undefined)
      await chmod(paths.root, 0o700);
  } catch (error) {
    throw new CliError("E_INTERNAL", `${paths.root} cannot be made: ${messageOf(error)}.`, undefined, {
      cause: error,
    });
  }
}

/** The profile's name by precedence: flag, then `SVC_PROFILE`, then the config. */
export function profileName(config: Config, flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const override = profileOverride(flag, env);
  const name = override ?? config.activeProfile;
  checkProfileName(name, flag !== undefined ? "--profile" : "SVC_PROFILE");
  if (!hasProfile(config, name)) throw noSuchProfile(config, name);
  return name;
}

/** What beats the active profile of the config. */
export function profileOverride(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  return flag ?? (env["SVC_PROFILE"] === "" ? undefined : env["SVC_PROFILE"]);
}

/** `source`: the flag, variable or argument that the name came by. */
export function checkProfileName(name: string, source: string): void {
  if (!/^[a-z0-9-]+$/.test(name) || name.length > limits.profileName)
    throw invalidArgument(
      source,
      `"${name}" is no profile name: use up to ${limits.profileName} lowercase letters, digits and hyphens.`,
      { kind: "profile", ref: name },
    );
}

/** The default profile is there even before anything is kept in it. */
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

/** The profile to change; made when it is the default one and missing. */
export function profileOf(config: Config, name: string): Profile {
  // Looked up as an own key: "constructor" is a name like any other.
  if (!Object.hasOwn(config.profiles, name)) config.profiles[name] = emptyProfile();
  return config.profiles[name]!;
}

/** This machine's name in reports; made up when it is first asked for, and kept by the next save. */
export function machineIdOf(config: Config): string {
  return (config.machineId ??= randomHex(16));
}

/** What is wrong with a config's form, or undefined. Every field that the client relies on is looked at. */
function faultOf(value: unknown): string | undefined {
  if (!isRecord(value) || value["version"] !== formatVersion) return "it has no format version";
  if (typeof value["activeProfile"] !== "string" || !isRecord(value["profiles"]))
    return "its profiles are missing";
  if (!optionalText(value["machineId"])) return "its machine id is broken";
  const identities = value["identities"] ?? {};
  if (!isRecord(identities) || !Object.values(identities).every(isAnonymousKey))
    return "an anonymous identity is broken";
  for (const profile of Object.values(value["profiles"])) {
    if (!isRecord(profile) || !isRecord(profile["installed"]) || !isRecord(profile["preferences"]))
      return "a profile is incomplete";
    if (!optionalText(profile["token"]) || !optionalText(profile["apiUrl"]))
      return "a profile's login is broken";
    for (const [name, skill] of Object.entries(profile["installed"]))
      if (!/^[a-z0-9-]+$/.test(name) || !isInstalledSkill(skill))
        return "an installed skill's record is broken";
  }
  return undefined;
}

function isAnonymousKey(value: unknown): boolean {
  return (
    isRecord(value) &&
    [value["publicKey"], value["privateKey"]].every(
      (half) => typeof half === "string" && /^[A-Za-z0-9_-]{43}$/.test(half),
    ) &&
    optionalText(value["id"])
  );
}

function isInstalledSkill(value: unknown): boolean {
  return (
    isRecord(value) &&
    [
      "publicId",
      "slug",
      "name",
      "type",
      "visibility",
      "tenantSlug",
      "format",
      "range",
      "semver",
      "hash",
    ].every((key) => typeof value[key] === "string") &&
    Number.isInteger(value["version"]) &&
    Array.isArray(value["installs"]) &&
    value["installs"].every(
      (record) =>
        isRecord(record) &&
        ["platform", "scope", "method", "path", "format", "installedAt"].every(
          (key) => typeof record[key] === "string",
        ) &&
        optionalText(record["projectDir"]),
    )
  );
}

function optionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
