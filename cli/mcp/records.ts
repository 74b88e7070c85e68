/** The records of MCP servers in the local state. */
import type { McpTarget } from "../../contract/vocabulary.ts";
import type { Config, Profile } from "../state/config.ts";
import type { InstalledMcpServer, McpFileState, McpRecord, ServerHead } from "../state/mcp-servers.ts";

/** Public id in the record of the endpoint of hosted connectors. */
export const centralId = "central";

function keyOf({ publicId, via }: ServerHead): string {
  return via === "local" ? publicId : `central:${publicId}`;
}

/** The server's record, or undefined if the profile has none. */
export function findServer(profile: Profile | undefined, head: ServerHead): InstalledMcpServer | undefined {
  const servers = profile?.mcpServers ?? {};
  return Object.hasOwn(servers, keyOf(head)) ? servers[keyOf(head)] : undefined;
}

/** The servers whose entries a profile has. */
export function installedServers(profile: Profile | undefined): InstalledMcpServer[] {
  return Object.values(profile?.mcpServers ?? {});
}

interface Owner {
  server: InstalledMcpServer;
  record: McpRecord;
}

/** The records of all profiles for a file. */
export function ownersIn({ profiles }: Config, path: string): Owner[] {
  return Object.values(profiles)
    .flatMap(installedServers)
    .flatMap((server) => server.installs.map((record) => ({ server, record })))
    .filter(({ record }) => record.path === path);
}

/** Adds or replaces the record of a location. */
export function putRecord(profile: Profile, head: ServerHead, record: McpRecord): void {
  const servers = (profile.mcpServers ??= {});
  const own = findServer(profile, head);
  const others = (own?.installs ?? []).filter((one) => !isSameEntry(one, record));
  servers[keyOf(head)] = { ...head, installs: [...others, record] };
}

/** Removes a record, with the server's own if it was its last, and the file's if nothing else needs it. */
export function dropRecord(config: Config, profile: Profile, head: ServerHead, record: McpRecord): void {
  const server = findServer(profile, head);
  if (server === undefined) return;
  server.installs = server.installs.filter((one) => !isSameEntry(one, record));
  if (server.installs.length === 0) delete profile.mcpServers![keyOf(head)];
  if (profile.mcpServers !== undefined && Object.keys(profile.mcpServers).length === 0)
    delete profile.mcpServers;
  if (ownersIn(config, record.path).length > 0 || config.mcpFiles === undefined) return;
  delete config.mcpFiles[record.path];
  if (Object.keys(config.mcpFiles).length === 0) delete config.mcpFiles;
}

function isSameEntry(one: McpRecord, other: McpRecord): boolean {
  return one.path === other.path && one.key === other.key;
}

export function fileState(config: Config, path: string): McpFileState {
  const files = (config.mcpFiles ??= {});
  return (files[path] ??= { undo: [] });
}

/** The record as JSON output shows it. */
export function presentMcpRecord({ platform, scope, path, key, projectDir, also, installedAt }: McpRecord) {
  return { platform, scope, path, key, projectDir, also, installedAt };
}

export function targetsOf({ installs }: InstalledMcpServer): McpTarget[] {
  return [
    ...new Set(installs.filter(({ pending }) => pending === undefined).map(({ platform }) => platform)),
  ];
}
