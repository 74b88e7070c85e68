/** Replaces the placeholders `{NAME}` in arguments, URL and headers of a server's record by values. */
import { type McpValue, placeholder } from "../mcp-servers.ts";
import { type McpServer, type SuppliedValue, type SuppliedValues, memberValues } from "./server.ts";

/** The parts that together are one value: texts, and variables that the tool reads. */
export type ValueParts = readonly SuppliedValue[];

export interface ResolvedServer {
  command: string;
  args: readonly ValueParts[];
  url: ValueParts;
  /** In the order of the record. */
  env: readonly (readonly [name: string, value: ValueParts])[];
  headers: readonly (readonly [name: string, value: ValueParts])[];
}

/** Parts of a text with placeholders: literal texts, and names. Other texts in braces are literal. */
export function splitTemplate(
  template: string,
  names: ReadonlySet<string>,
): ({ literal: string } | { name: string })[] {
  const parts: ({ literal: string } | { name: string })[] = [];
  let end = 0;
  for (const match of template.matchAll(placeholder)) {
    if (!names.has(match[1]!)) continue;
    if (match.index > end) parts.push({ literal: template.slice(end, match.index) });
    parts.push({ name: match[1]! });
    end = match.index + match[0].length;
  }
  if (end < template.length || parts.length === 0) parts.push({ literal: template.slice(end) });
  return parts;
}

/**
 * The server with its values. An argument, variable or header whose value is absent is left out; in the URL, an absent
 * value is empty.
 */
export function resolveServer(server: McpServer, values: SuppliedValues): ResolvedServer {
  const names = new Set(memberValues(server).map(({ name }) => name));
  const valueOf = (name: string) => (Object.hasOwn(values, name) ? [values[name]!] : undefined);
  const fill = (template: string): ValueParts | undefined => {
    const filled: SuppliedValue[] = [];
    for (const part of splitTemplate(template, names)) {
      const value = "literal" in part ? [{ text: part.literal }] : valueOf(part.name);
      if (value === undefined) return undefined;
      filled.push(...value);
    }
    return joined(filled);
  };
  const named = (specs: readonly McpValue[], toParts: (fixed: string) => ValueParts | undefined) =>
    specs.flatMap((spec): [string, ValueParts][] => {
      const value = spec.kind === "fixed" ? toParts(spec.value) : valueOf(spec.name);
      return value === undefined ? [] : [[spec.name, value]];
    });
  const url = splitTemplate(server.url ?? "", names);
  return {
    command: server.command ?? "",
    args: server.args.flatMap((arg) => {
      const value = fill(arg);
      return value === undefined ? [] : [value];
    }),
    url: joined(
      url.flatMap((part) => ("literal" in part ? [{ text: part.literal }] : (valueOf(part.name) ?? []))),
    ),
    env: named(server.env, (text) => [{ text }]),
    headers: named(server.headers, fill),
  };
}

/** Adjacent texts as one. */
function joined(parts: readonly SuppliedValue[]): SuppliedValue[] {
  const result: SuppliedValue[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last !== undefined && "text" in last && "text" in part)
      result[result.length - 1] = { text: last.text + part.text };
    else result.push(part);
  }
  return result;
}
