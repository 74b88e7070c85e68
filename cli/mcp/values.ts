/** The values that members supply: from `--var`, or from a person. They are not part of any message. */
import { isOneLine } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import {
  type McpServer,
  type SuppliedValue,
  type SuppliedValues,
  memberValues,
  parseSuppliedValue,
} from "../../contract/mcp-entries/server.ts";
import type { McpMemberValue } from "../../contract/mcp-servers.ts";
import { suggest } from "../../contract/text/suggest.ts";
import type { Context } from "../context.ts";
import { interactionRequired, invalidArgument } from "../errors.ts";
import { askHidden, askLine } from "../terminal/prompts.ts";

const flag = "--var";

/** The values of `--var NAME=value`. Throws for unknown names, and for values that no file could have. */
export function parseVariables(given: readonly string[], server: McpServer): SuppliedValues {
  const specs = memberValues(server);
  const values: Record<string, SuppliedValue> = {};
  for (const text of given) {
    const equals = text.indexOf("=");
    // The text may be a secret without its name.
    if (equals < 1) throw invalidArgument(flag, "--var takes NAME=value.");
    const name = text.slice(0, equals);
    const spec = specs.find((one) => one.name === name);
    if (spec === undefined) throw unknownName(name, server, specs);
    if (Object.hasOwn(values, name)) throw invalidArgument(flag, `--var has a value for ${name} twice.`);
    const value = text.slice(equals + 1);
    const problem = problemOf(spec, value);
    if (problem !== undefined) throw invalidArgument(flag, `${problem}: correct its --var.`);
    if (value !== "") values[name] = parseSuppliedValue(value);
  }
  return values;
}

/** Asks for what is missing. Throws `E_INTERACTION_REQUIRED` without a person. */
export async function completeValues(
  context: Context,
  server: McpServer,
  given: SuppliedValues,
): Promise<SuppliedValues> {
  const missing = memberValues(server).filter(({ name }) => !Object.hasOwn(given, name));
  if (!context.interactive) {
    const names = missing.filter(({ required }) => required).map(({ name }) => name);
    if (names.length === 0) return given;
    const flags = names.map((name) => `--var ${name}=<value>`).join(" ");
    throw interactionRequired(
      flag,
      `${server.tenantSlug}/${server.slug} needs values of yours: pass ${flags}.`,
    );
  }
  const values: Record<string, SuppliedValue> = { ...given };
  for (const spec of missing) {
    const answer = await ask(server, spec);
    if (answer !== "") values[spec.name] = parseSuppliedValue(answer);
  }
  return values;
}

function ask({ tenantSlug, slug }: McpServer, spec: McpMemberValue): Promise<string> {
  const { name, label, description, required, secret } = spec;
  const optional = required ? "" : " (optional)";
  const what = label === "" || label === name ? name : `${label} (${name})`;
  const message =
    `${tenantSlug}/${slug} needs ${what}${description ? `: ${description}` : ""}${optional}. ` +
    "It is written to the files of your tools only:";
  return (secret ? askHidden : askLine)(message, (value) => problemOf(spec, value));
}

/** The problem of a value, without the value. An empty one leaves an optional one out. */
function problemOf({ name, required, format }: McpMemberValue, value: string): string | undefined {
  if (value === "") return required ? `${name} must not be empty` : undefined;
  if (!isOneLine(value)) return `${name} must be one line without control characters`;
  if (value.length > limits.mcpFixedValue)
    return `${name} must have at most ${limits.mcpFixedValue} characters`;
  if ("variable" in parseSuppliedValue(value)) return undefined;
  if (format === "number" && !Number.isFinite(Number(value.trim() || NaN))) return `${name} must be a number`;
  return format === "boolean" && !/^(?:true|false)$/.test(value)
    ? `${name} must be true or false`
    : undefined;
}

/** The given name is not shown: it may be the beginning of a secret that has a "=". */
function unknownName(name: string, { tenantSlug, slug }: McpServer, specs: readonly McpMemberValue[]) {
  const names = specs.map((spec) => spec.name);
  const meant = suggest(name, names);
  const known = names.length === 0 ? "it needs none" : `it needs ${names.join(", ")}`;
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return invalidArgument(
    flag,
    `--var names a value that ${tenantSlug}/${slug} does not have: ${known}.${hint}`,
  );
}
