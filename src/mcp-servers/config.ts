/** Configurations of MCP servers: merged with a change, and checked. */
import { checkMcpServer } from "../../contract/checks/mcp-checks.ts";
import { limits } from "../../contract/limits.ts";
import type { McpServerConfig } from "../../contract/mcp-servers.ts";
import { invalidRequest, ServiceError } from "../errors.ts";
import type { UpdateMcpServer } from "./schema.ts";

/** A change of the transport removes the fields of the previous one, unless the change sets them. */
export function mergeConfig(
  config: McpServerConfig,
  { command, url, ...own }: Omit<UpdateMcpServer, "name" | "description" | "folderId" | "revision">,
): McpServerConfig {
  const isRemote = (transport: McpServerConfig["transport"]) => transport !== "stdio";
  const isOther = own.transport !== undefined && isRemote(own.transport) !== isRemote(config.transport);
  const { command: formerCommand, url: formerUrl, ...rest } = config;
  const kept: McpServerConfig = isOther
    ? { ...rest, args: [], env: [], headers: [], variables: [], allowHttp: undefined }
    : { ...rest, command: formerCommand, url: formerUrl };
  const merged = {
    ...kept,
    ...own,
    command: command === undefined ? kept.command : (command ?? undefined),
    url: url === undefined ? kept.url : (url ?? undefined),
  };
  return merged.allowHttp ? merged : { ...merged, allowHttp: undefined };
}

/** Throws `invalid_request` in the form of a schema's. */
export function checkConfig(config: McpServerConfig): void {
  const issues = checkMcpServer(config).slice(0, 10);
  const [first] = issues;
  if (!first) return;
  throw invalidRequest(`Something is wrong with "${first.path}" of the body: ${first.message}.`, { issues });
}

export function checkSize(config: McpServerConfig): void {
  if (Buffer.byteLength(JSON.stringify(config)) <= limits.mcpServerBytes) return;
  const limit = limits.mcpServerBytes;
  throw new ServiceError(
    "limit_reached",
    `The configuration has more than ${limit / 1024} KiB: shorten it.`,
    {
      kind: "mcpServer",
      limit,
    },
  );
}
