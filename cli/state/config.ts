/**
 * `~/.svc/config.json`: profiles, each with its own token, installed skills and preferences. Written whole and
 * atomically, mode 0600, under the lock; read without it. Unknown keys are kept.
 */
import { promises as files, readFileSync } from "node:fs";
import type {
  ContentFormat,
  InstallMethod,
  InstallScope,
  SkillType,
  Target,
  Visibility,
} from "../../contract/vocabulary.ts";
import { CliError, hasCode, messageOf } from "../errors.ts";
import { randomHex, writeAtomic } from "./atomic.ts";
import { faultOf, formatVersion } from "./config-shape.ts";
import { isRecord } from "./is-record.ts";
import type { InstalledMcpServer, McpFileState } from "./mcp-servers.ts";
import type { StatePaths } from "./paths.ts";
import { upgradeConfig } from "./upgrade-config.ts";

export const defaultProfile = "default";

/** An installation record: the fields of JSON output, and those that identify files that svc wrote. */
export interface InstallationRecord {
  platform: Target;
  scope: InstallScope;
  method: InstallMethod;
  path: string;
  projectDir?: string;
  /** The pin: `latest`, an exact version, a range, a channel or an integer; resolved again by `pull`. */
  range: string;
  version: number;
  semver: string;
  /** The service's content digest of the version. */
  hash: string;
  format: ContentFormat;
  installedAt: string;
  /** It is in the folder that several tools read. */
  shared?: true;
  /** The name of a further location of the target; absent for its default one. */
  also?: string;
  /** Digest of the written files (`install/digest.ts`); a link has none, since its content is in the cache. */
  digest?: string;
  /** Digest of the old form, which may still exist after a run was interrupted during a change. */
  previousDigest?: string;
  /** The cached version that a link may still lead to after a run was interrupted during a change. */
  previousVersion?: CachedVersion;
  /** The shared file did not exist before: removing the last section removes it. */
  createdFile?: boolean;
  /** The outermost folder that was created for it; removed with it if empty. */
  createdFolder?: string;
  /** It could not be written in the version of the skill's other installs in its scope; `pull` retries it. */
  outdated?: boolean;
}

/** A version whose content the cache keeps. */
export interface CachedVersion {
  version: number;
  hash: string;
}

export interface InstalledSkill {
  publicId: string;
  slug: string;
  name: string;
  type: SkillType;
  visibility: Visibility;
  /** Absent in records of earlier versions of svc. */
  tenantId?: string;
  tenantSlug: string;
  /** Those of one scope (the user level, or one project) have the same pin, and the same version unless outdated. */
  installs: InstallationRecord[];
}

/** An organization outside the user's own that they consented to install from. */
export interface TrustedPublisher {
  /** Origin of the organization's service. */
  service: string;
  tenantId: string;
  /** Its name at that time, for display. */
  slug: string;
}

export interface Profile {
  token?: string;
  /** Set for the token of a login in the browser, which a logout revokes. */
  isBrowserLogin?: true;
  /** The service that issued the token. */
  apiUrl?: string;
  /** By install name: the name of the skill in the cache and in the tools. Each has at least one install. */
  installed: Record<string, InstalledSkill>;
  preferences: Record<string, unknown>;
  trustedPublishers?: TrustedPublisher[];
  /** By public id, and those with a hosted connector by `central:` and public id. */
  mcpServers?: Record<string, InstalledMcpServer>;
}

export interface Config {
  version: typeof formatVersion;
  /** Id of this machine in reports of installs. Random, without information about machine or owner. */
  machineId?: string;
  /** Key of the digests of folders in the content location of versions, 32 hex digits. It is never sent. */
  folderKey?: string;
  /** Anonymous identities, by the origin of the service that each is for. */
  identities?: Record<string, AnonymousKey>;
  /** Origins of services on other machines to which the user allowed plain HTTP. */
  allowedHttp?: string[];
  activeProfile: string;
  profiles: Record<string, Profile>;
  /** Tools' files with entries of MCP servers, by path. */
  mcpFiles?: Record<string, McpFileState>;
}

/** An Ed25519 key pair, each half 32 bytes in base64url, with its identity at a service. */
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

/** A map without a prototype: a skill may be called "constructor". */
function byNameOnly<T extends object>(map: T): T {
  return Object.setPrototypeOf(map, null) as T;
}

/** `migrated`: the file has an earlier format, and the cache may have its earlier layout. */
export type ConfigReading = { config: Config; migrated: boolean } | { damaged: string };

/** Reads the file; a missing one is an empty config. Throws if a newer version wrote it. */
export async function readConfigFile(paths: StatePaths): Promise<ConfigReading> {
  let text: string;
  try {
    // Not in the background, which would start threads for one small file.
    text = readFileSync(paths.config, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { config: emptyConfig(), migrated: false };
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
  const current = upgradeConfig(value);
  const fault = faultOf(current);
  if (fault !== undefined) return { damaged: fault };
  const config = current as Config;
  for (const { installed } of Object.values(byNameOnly(config.profiles))) {
    byNameOnly(installed);
    for (const [name, { installs }] of Object.entries(installed))
      if (installs.length === 0) delete installed[name];
  }
  return { config, migrated: current !== value };
}

/** Renames a damaged file, without deleting it, and returns its new path. */
export async function setConfigAside(paths: StatePaths, now: Date): Promise<string> {
  const aside = `${paths.config}.damaged-${now.toISOString().replaceAll(/[:.]/g, "-")}`;
  await files.rename(paths.config, aside);
  return aside;
}

/** Throws for a config that the next run would consider damaged, so that a faulty change can't replace a valid file. */
export async function writeConfigFile(paths: StatePaths, config: Config): Promise<void> {
  const fault = faultOf(config);
  if (fault !== undefined) throw new Error(`with this change, ${fault}`);
  await writeAtomic(paths.config, `${JSON.stringify(config, undefined, 2)}\n`, 0o600);
}

/** Creates `~/.svc` with access for its owner only. */
export async function ensureRoot(paths: StatePaths): Promise<void> {
  try {
    if ((await files.mkdir(paths.root, { recursive: true, mode: 0o700 })) !== undefined)
      await files.chmod(paths.root, 0o700);
  } catch (error) {
    throw new CliError("E_INTERNAL", `${paths.root} cannot be created: ${messageOf(error)}.`, undefined, {
      cause: error,
    });
  }
}

/** The profile to change; the default one is created if it is missing. */
export function profileOf(config: Config, name: string): Profile {
  // Looked up as an own key: "constructor" is a name like any other.
  if (!Object.hasOwn(config.profiles, name)) config.profiles[name] = emptyProfile();
  return config.profiles[name]!;
}

/** This machine's id in reports; generated on first use, and stored by the next save. */
export function machineIdOf(config: Config): string {
  return (config.machineId ??= randomHex(16));
}
