/**
 * Definition of a tool that can use MCP servers: the form of its entries. Each tool is one file with such a definition.
 */
import type { McpTarget, McpTransport } from "../vocabulary.ts";
import { type ResolvedServer, type ValueParts, resolveServer } from "./resolve.ts";
import type { McpServer, SuppliedValues } from "./server.ts";

export type McpEntryValue = string | boolean | readonly string[] | Readonly<Record<string, string>>;

/** The fields of an entry, in the order in which they are written. */
export type McpEntry = Readonly<Record<string, McpEntryValue>>;

/** A value for which the tool asks and which it keeps itself. */
export interface McpInput {
  type: "promptString";
  id: string;
  description: string;
  password: boolean;
}

/** The reason why a tool can't use the server; the text is part of the interface. */
export interface McpRefusal {
  refused: string;
}

export interface McpTool {
  name: McpTarget;
  /** Display name. */
  label: string;
  syntax: "json" | "jsonc" | "toml";
  /** The usual file of each scope that the tool has, for display. */
  files: { global?: string; project?: string };
  /** The path of the object that has the entries, by name. */
  container: readonly string[];
  /** Fields that this client writes; others in an entry are the user's. */
  fields: readonly string[];
  /** The texts that the tool replaces in values; there is no way to write them literally. */
  expands?: RegExp;
  /** Transports that the tool does not have, with the reason. */
  lacks?: Readonly<Partial<Record<McpTransport, string>>>;
  /** The tool asks for values itself, so that its file has none. */
  asksForValues?: true;
  /** Names that the tool reserves. */
  reserved?: readonly string[];
  /** Pure: the same server and values result in the same entry. */
  entryOf: (
    server: McpServer,
    values: SuppliedValues,
  ) => { entry: McpEntry; inputs: readonly McpInput[] } | McpRefusal;
}

/** The parts as one text, with variables as the tool writes them. */
export function textOf(parts: ValueParts, variableText: (name: string) => string): string {
  return parts.map((part) => ("text" in part ? part.text : variableText(part.variable))).join("");
}

/** A server whose values are texts for a tool that replaces variables in them. */
export interface TextServer {
  transport: McpTransport;
  command: string;
  args: string[];
  url: string;
  /** Undefined if empty. */
  env: Record<string, string> | undefined;
  headers: Record<string, string> | undefined;
}

export function textServer(
  server: McpServer,
  values: SuppliedValues,
  variableText: (name: string) => string,
): TextServer {
  const { command, args, url, env, headers } = resolveServer(server, values);
  const toText = (parts: ValueParts) => textOf(parts, variableText);
  return {
    transport: server.transport,
    command,
    args: args.map(toText),
    url: toText(url),
    env: toRecord(env, toText),
    headers: toRecord(headers, toText),
  };
}

export function toRecord(
  pairs: ResolvedServer["env"],
  toText: (parts: ValueParts) => string,
): Record<string, string> | undefined {
  return pairs.length === 0
    ? undefined
    : Object.fromEntries(pairs.map(([name, value]) => [name, toText(value)]));
}

/** The fields that have a value. */
export function entryWith(fields: Readonly<Record<string, McpEntryValue | undefined>>): McpEntry {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, McpEntryValue] => field[1] !== undefined),
  );
}

/** `${env:NAME}`, as several tools write a variable. */
export const bracedVariable = (name: string) => `\${env:${name}}`;
