/** The values of members in an entry that svc wrote, so that a later revision of the server keeps them. */
import { earlierInputId, inputId } from "../../../contract/mcp-entries/copilot.ts";
import { splitTemplate } from "../../../contract/mcp-entries/resolve.ts";
import {
  type McpServer,
  type SuppliedValue,
  type SuppliedValues,
  memberValues,
} from "../../../contract/mcp-entries/server.ts";
import type { McpTool } from "../../../contract/mcp-entries/tool.ts";
import { isRecord } from "../../state/is-record.ts";

/** Values that are not in the entry are absent. */
export function recoverValues(tool: McpTool, server: McpServer, entry: unknown): SuppliedValues {
  if (!isRecord(entry)) return {};
  if (tool.asksForValues === true) return askedByTool(server, entry);
  const names = new Set(memberValues(server).map(({ name }) => name));
  const found: Record<string, SuppliedValue> = {};
  const keep = (template: string, text: unknown) => {
    if (typeof text !== "string") return;
    for (const [name, value] of matchTemplate(template, names, text)) found[name] ??= { text: value };
  };
  const env = fieldsIn(entry, "env", "environment");
  for (const { name, kind } of server.env) if (kind === "member" && name in env) keep(`{${name}}`, env[name]);
  const headers = fieldsIn(entry, "headers", "http_headers");
  for (const header of server.headers)
    keep(header.kind === "fixed" ? header.value : `{${header.name}}`, headers[header.name]);
  keep(server.url ?? "", entry["url"] ?? entry["serverUrl"]);
  const command = entry["command"];
  const args: unknown = Array.isArray(command) ? command.slice(1) : entry["args"];
  if (Array.isArray(args) && args.length === server.args.length)
    for (const [at, arg] of server.args.entries()) keep(arg, args[at]);
  for (const [name, variable] of variablesIn(server, entry)) found[name] ??= { variable };
  return found;
}

/** VS Code asks for the values of copilot, so that any text stands for those that the entry refers to. */
function askedByTool(server: McpServer, entry: object): SuppliedValues {
  const text = JSON.stringify(entry);
  const asked = memberValues(server).filter(
    ({ name, required }) => required || text.includes(`\${input:${inputId(server, name)}}`),
  );
  return Object.fromEntries(asked.map(({ name }) => [name, { text: "" }]));
}

/** An entry of copilot in which an earlier version has referred to inputs by its own ids, with the current ones. */
export function withPresentIds(server: McpServer, entry: unknown): unknown {
  const reference = (id: string) => `\${input:${id}}`;
  const text = memberValues(server).reduce(
    (rest, { name }) =>
      rest.replaceAll(reference(earlierInputId(server, name)), reference(inputId(server, name))),
    JSON.stringify(entry),
  );
  return JSON.parse(text) as unknown;
}

/** Variables that codex reads. */
function variablesIn(server: McpServer, entry: Record<string, unknown>): [name: string, variable: string][] {
  const passed = Array.isArray(entry["env_vars"]) ? (entry["env_vars"] as unknown[]) : [];
  const referred = fieldsIn(entry, "env_http_headers");
  const bearer = entry["bearer_token_env_var"];
  return [
    ...passed.flatMap((name): [string, string][] => (typeof name === "string" ? [[name, name]] : [])),
    ...Object.entries(referred).flatMap(([name, variable]): [string, string][] =>
      typeof variable === "string" ? [[name, variable]] : [],
    ),
    ...server.headers.flatMap((header): [string, string][] => {
      const name = header.kind === "fixed" ? /^Bearer \{([^}]+)\}$/.exec(header.value)?.[1] : undefined;
      return name === undefined || typeof bearer !== "string" ? [] : [[name, bearer]];
    }),
  ];
}

/** The first of some fields that an entry has as an object. */
export function fieldsIn(entry: Record<string, unknown>, ...fields: string[]): Record<string, unknown> {
  const found = fields.map((field) => entry[field]).find(isRecord);
  return found ?? {};
}

/**
 * The texts of a template's names in a filled text, or none if it is not of that form. Linear: a regular expression
 * with many names could take hours.
 */
function matchTemplate(template: string, names: ReadonlySet<string>, text: string): [string, string][] {
  const parts = splitTemplate(template, names);
  const found: [string, string][] = [];
  let at = 0;
  for (const [i, part] of parts.entries()) {
    if ("literal" in part) {
      if (!text.startsWith(part.literal, at)) return [];
      at += part.literal.length;
      continue;
    }
    const end = endOfName(parts.slice(i + 1), text, at);
    if (end <= at) return [];
    found.push([part.name, text.slice(at, end)]);
    at = end;
  }
  return at === text.length ? found : [];
}

/** Where the text of a name ends that begins at `at`; -1 if that can't be decided. */
function endOfName([next, ...rest]: ReturnType<typeof splitTemplate>, text: string, at: number): number {
  if (next === undefined) return text.length;
  if (!("literal" in next)) return -1;
  if (rest.length > 0) return text.indexOf(next.literal, at + 1);
  return text.endsWith(next.literal) ? text.length - next.literal.length : -1;
}
