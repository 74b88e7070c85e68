/**
 * A registry's server as a configuration. A remote address is preferred to a package. Programs are those of a fixed
 * list, never one that the registry names, and the result passes the checks of an entered configuration.
 */
import { z } from "zod";
import { checkMcpServer } from "../../../contract/checks/mcp-checks.ts";
import { limits } from "../../../contract/limits.ts";
import type { McpServerConfig } from "../../../contract/mcp-servers.ts";
import { mcpServerConfig } from "../../../contract/payloads/mcp-servers.ts";
import type { CatalogVersion } from "../../../storage/mcp/catalog.ts";
import { Inconvertible, MemberValues } from "./member-values.ts";
import { packageConfig } from "./package-config.ts";
import type { RegistryRemote, RegistryServer } from "./registry-schema.ts";

const Form = z.object(mcpServerConfig);

/**
 * The configuration and its origin: the host, or the program and the package, which a version that is taken over
 * automatically has to keep.
 */
export function convertServer(server: RegistryServer): CatalogVersion["entry"] {
  try {
    return checkEntry(configOf(server));
  } catch (error) {
    if (error instanceof Inconvertible) return { problem: error.message };
    throw error;
  }
}

/** A problem in place of a configuration that fails the checks: it may have been mirrored before they existed. */
export function checkEntry(entry: CatalogVersion["entry"]): CatalogVersion["entry"] {
  if ("problem" in entry) return entry;
  const [issue] = checkMcpServer(entry.config);
  if (issue) return { problem: `${issue.path}: ${issue.message}.` };
  const form = Form.safeParse(entry.config);
  if (!form.success) return { problem: `${form.error.issues[0]!.path.join(".")} is too long or not valid.` };
  if (Buffer.byteLength(JSON.stringify(entry.config)) > limits.mcpServerBytes)
    return { problem: "The configuration is too long." };
  return entry;
}

function configOf({ remotes = [], packages = [] }: RegistryServer) {
  const remote = remotes.find(({ type }) => type === "streamable-http") ?? remotes[0];
  if (remote) return remoteConfig(remote);
  const local = packages.find(({ transport }) => transport.type === "stdio");
  if (local) return packageConfig(local);
  throw new Inconvertible("It has neither a remote address nor a package that runs as a local process.");
}

function remoteConfig({ type, url, headers = [], variables = {} }: RegistryRemote) {
  const values = new MemberValues();
  const address = values.fill(url, variables, true);
  const config: McpServerConfig = {
    transport: type === "sse" ? "sse" : "http",
    url: address,
    args: [],
    env: [],
    headers: headers.map((header) => values.valueOf(header, true)),
    variables: values.list,
  };
  // With the fixed values filled in, which can be a part of the host.
  const plain = address.replaceAll(/[{}]/g, "");
  return { config, origin: `${config.transport} ${URL.canParse(plain) ? new URL(plain).host : plain}` };
}
