/** The address and headers of a connector's server, with the values that its user has supplied. */
import { isOneLine } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import {
  placeholder,
  plainHostOf,
  type McpMemberValue,
  type McpServerConfig,
} from "../../../contract/mcp-servers.ts";
import type { ConnectorProblem } from "../../../contract/vocabulary.ts";

export interface Target {
  transport: "http" | "sse";
  url: URL;
  headers: Record<string, string>;
}

/** Values by the names of their specs. */
export type SuppliedValues = Readonly<Record<string, string>>;

/** The text that a user approves: credentials go to no other address. */
export function addressOf({ transport, url }: McpServerConfig): string {
  return `${transport} ${url ?? ""}`;
}

/** The part of a server's address that people recognize, where they can't mistake it for another. */
export function hostOf({ url = "" }: McpServerConfig): string {
  return plainHostOf(url) ?? (URL.canParse(url) ? new URL(url).host : url);
}

/** Values that the user of a connector supplies. */
export function valuesFor({ headers, variables }: McpServerConfig): McpMemberValue[] {
  return [...headers, ...variables].filter((value) => value.kind === "member");
}

/** The problem of a supplied value. */
export function valueProblem({ label, format }: McpMemberValue, value: string): string | undefined {
  if (!isOneLine(value)) return `"${label}" must be one line without control characters`;
  if (value.length > limits.mcpFixedValue)
    return `"${label}" must have at most ${limits.mcpFixedValue} characters`;
  if (format === "number" && (value.trim() === "" || !Number.isFinite(Number(value))))
    return `"${label}" must be a number`;
  if (format === "boolean" && !/^(?:true|false)$/.test(value)) return `"${label}" must be true or false`;
  return undefined;
}

/** A text with the values of its placeholders; undefined if one has none. */
function fillPlaceholders(text: string, valueOf: (name: string) => string | undefined): string | undefined {
  let isComplete = true;
  const filled = text.replace(placeholder, (whole, name: string) => {
    const value = valueOf(name);
    if (value === undefined) isComplete = false;
    return value ?? whole;
  });
  return isComplete ? filled : undefined;
}

/** Where an address leads with values: tokens are for this place, whatever its query. */
export function placeOf(
  { url: template = "" }: McpServerConfig,
  supplied: SuppliedValues,
): string | undefined {
  const url = fillUrl(template, ownIn(supplied));
  return url && url.origin + url.pathname;
}

const ownIn = (supplied: SuppliedValues) => (name: string) =>
  Object.hasOwn(supplied, name) ? supplied[name] : undefined;

/** The target, or the problem that prevents it. */
export function targetOf(config: McpServerConfig, supplied: SuppliedValues): Target | ConnectorProblem {
  const { transport, url: template, headers } = config;
  if (transport === "stdio" || template === undefined) return "not_mcp";
  const own = ownIn(supplied);
  if (valuesFor(config).some(({ name, required }) => required && !own(name))) return "values_missing";
  const sent: Record<string, string> = {};
  for (const header of headers) {
    const value =
      header.kind === "member" ? own(header.name) : fillPlaceholders(header.value, (name) => own(name));
    if (value !== undefined && value !== "") sent[header.name] = value;
  }
  const url = fillUrl(template, own);
  if (!url) return "values_missing";
  return { transport, url, headers: sent };
}

/**
 * The URL with its values encoded, except those of the host. A value can't change the part of the URL that it is in.
 */
function fillUrl(template: string, own: (name: string) => string | undefined): URL | undefined {
  const [, scheme = "", host = "", rest = ""] = /^(https?:\/\/)([^/?#]*)(.*)$/is.exec(template) ?? [];
  const filledHost = fillPlaceholders(host, (name) => {
    const value = own(name);
    return value !== undefined && /^[A-Za-z0-9.-]+$/.test(value) ? value : undefined;
  });
  const filledRest = fillPlaceholders(rest, (name) => {
    const value = own(name);
    return value === undefined ? undefined : encodeURIComponent(value);
  });
  if (scheme === "" || filledHost === undefined || filledRest === undefined) return undefined;
  const text = scheme + filledHost + filledRest;
  return URL.canParse(text) ? new URL(text) : undefined;
}
