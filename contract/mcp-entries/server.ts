/** An MCP server of the registry as far as it decides what a tool's configuration file holds. */
import type { McpMemberValue, McpServerConfig } from "../mcp-servers.ts";

export interface McpServer extends McpServerConfig {
  slug: string;
  tenantSlug: string;
}

/** A value that a member supplies: a text, or the name of an environment variable that the tool reads. */
export type SuppliedValue = { text: string } | { variable: string };

/** By name. An optional one may be absent. */
export type SuppliedValues = Readonly<Record<string, SuppliedValue>>;

/** The values that members supply, each name once. */
export function memberValues({ env, headers, variables }: McpServer): McpMemberValue[] {
  const values = [...env, ...headers, ...variables].filter((value) => value.kind === "member");
  return [...new Map(values.map((value) => [value.name, value])).values()];
}

const reference = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** `${env:NAME}` is a reference to a variable; anything else is a text. */
export function parseSuppliedValue(text: string): SuppliedValue {
  const variable = reference.exec(text)?.[1];
  return variable === undefined ? { text } : { variable };
}
