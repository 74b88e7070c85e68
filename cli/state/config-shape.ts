/** Validation of `~/.svc/config.json`, which a user or a crash may have damaged. */
import { isRecord } from "./is-record.ts";
import { isInstalledMcpServer, isMcpFileState } from "./mcp-servers.ts";

export const formatVersion = 2;

/** The problem of a config's form, or undefined. Checks every field that the client relies on. */
export function faultOf(value: unknown): string | undefined {
  if (!isRecord(value) || value["version"] !== formatVersion) return "it has no format version";
  if (typeof value["activeProfile"] !== "string" || !isRecord(value["profiles"]))
    return "its profiles are missing";
  if (!optionalText(value["machineId"])) return "its machine id is broken";
  if (!optionalText(value["folderKey"])) return "its key for folders is broken";
  const identities = value["identities"] ?? {};
  if (!isRecord(identities) || !Object.values(identities).every(isAnonymousKey))
    return "an anonymous identity is broken";
  if (!isTextList(value["allowedHttp"] ?? [])) return "its list of plain HTTP services is broken";
  for (const profile of Object.values(value["profiles"])) {
    if (!isRecord(profile) || !isRecord(profile["installed"]) || !isRecord(profile["preferences"]))
      return "a profile is incomplete";
    if (!optionalText(profile["token"]) || !optionalText(profile["apiUrl"]))
      return "a profile's login is broken";
    const trusted = profile["trustedPublishers"] ?? [];
    if (!Array.isArray(trusted) || !trusted.every(isTrustedPublisher))
      return "a profile's list of trusted publishers is broken";
    for (const [name, skill] of Object.entries(profile["installed"]))
      if (!/^[a-z0-9-]+$/.test(name) || !isInstalledSkill(skill))
        return "an installed skill's record is broken";
    const servers = profile["mcpServers"] ?? {};
    if (!isRecord(servers) || !Object.values(servers).every(isInstalledMcpServer))
      return "the record of an MCP server is broken";
  }
  const files = value["mcpFiles"] ?? {};
  if (!isRecord(files) || !Object.values(files).every(isMcpFileState))
    return "the record of a tool's configuration file is broken";
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

function isTrustedPublisher(value: unknown): boolean {
  return (
    isRecord(value) &&
    ["service", "tenantId", "slug"].every((key) => typeof value[key] === "string") &&
    URL.canParse(value["service"] as string)
  );
}

function isInstalledSkill(value: unknown): boolean {
  return (
    isRecord(value) &&
    ["publicId", "slug", "name", "type", "visibility", "tenantSlug"].every(
      (key) => typeof value[key] === "string",
    ) &&
    optionalText(value["tenantId"]) &&
    Array.isArray(value["installs"]) &&
    value["installs"].every(isInstallationRecord)
  );
}

function isInstallationRecord(value: unknown): boolean {
  return (
    isRecord(value) &&
    ["platform", "scope", "method", "path", "format", "installedAt", "range", "semver"].every(
      (key) => typeof value[key] === "string",
    ) &&
    isCachedVersion(value) &&
    optionalText(value["projectDir"]) &&
    optionalText(value["also"]) &&
    (value["previousVersion"] === undefined || isCachedVersion(value["previousVersion"]))
  );
}

/** They are the name of a folder in the cache. An unknown digest is empty. */
function isCachedVersion(value: unknown): boolean {
  return (
    isRecord(value) &&
    Number.isInteger(value["version"]) &&
    typeof value["hash"] === "string" &&
    /^[0-9a-f]*$/.test(value["hash"])
  );
}

function optionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
