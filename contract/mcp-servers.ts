/**
 * Configurations of MCP servers: their form and placeholders, which the service, the dashboard and the client share.
 * Pure, without a library, so that all three can import it.
 */
import type { McpTransport, McpValueFormat } from "./vocabulary.ts";

/** A value that is the same for everyone. It is stored as plain text, so it must not be a secret. */
export interface McpFixedValue {
  name: string;
  kind: "fixed";
  value: string;
}

/** A value that each member supplies when they install the server. The service never stores it. */
export interface McpMemberValue {
  name: string;
  kind: "member";
  label: string;
  description?: string;
  secret: boolean;
  required: boolean;
  format?: McpValueFormat;
}

export type McpValue = McpFixedValue | McpMemberValue;

/** The part of a record that tools need. Fields of other transports are empty or absent. */
export interface McpServerConfig {
  transport: McpTransport;
  /** stdio only. */
  command?: string;
  args: readonly string[];
  env: readonly McpValue[];
  /** http and sse only. */
  url?: string;
  /** An `http:` URL is accepted. */
  allowHttp?: boolean;
  headers: readonly McpValue[];
  /** Values that only fill placeholders. */
  variables: readonly McpMemberValue[];
}

/** Names that tools, the client or this service give a meaning of their own. */
export const reservedMcpSlugs: readonly string[] = [
  "new",
  "catalog",
  "import",
  "central",
  "servers",
  "workspace",
  "claude-in-chrome",
  "computer-use",
  "constructor",
  "prototype",
];

/** `{NAME}`, where the value of a member is filled in. */
export const placeholder = /\{([A-Za-z_][\w.-]{0,99})\}/g;

/** A host that reads the same to everyone: of ASCII letters, digits, dots and hyphens, perhaps with a port. */
const plainHost = /^(?:[\w.-]|\{[A-Za-z_][\w.-]{0,99}\})+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i;

/**
 * The host of a URL with placeholders, as it is written. Undefined if programs and people could read it differently.
 */
export function plainHostOf(url: string): string | undefined {
  const host = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  return plainHost.test(host) ? host : undefined;
}

/** Names in the placeholders of a text, each once. */
export function placeholdersIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(placeholder), ([, name]) => name!))];
}
