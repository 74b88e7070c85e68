import { toOneLine } from "../checks/unsafe-characters.ts";
import type { McpMemberValue } from "../mcp-servers.ts";
import { type McpServer, type SuppliedValues, memberValues } from "./server.ts";
import { type McpInput, type McpTool, bracedVariable, entryWith, textServer } from "./tool.ts";

/**
 * GitHub Copilot in VS Code, whose project file is shared: it asks each member for a value and keeps it in its own
 * store, so that the file has none.
 */
export const copilot: McpTool = {
  name: "copilot",
  label: "GitHub Copilot",
  syntax: "jsonc",
  files: { project: ".vscode/mcp.json" },
  container: ["servers"],
  fields: ["type", "command", "args", "env", "url", "headers"],
  expands: /\$\{[^}]*\}/,
  asksForValues: true,
  entryOf(server, values) {
    const asked = memberValues(server).filter(({ name }) => isAsked(values, name));
    const references = asked.map(({ name }) => [name, { text: `\${input:${inputId(server, name)}}` }]);
    const given = { ...values, ...Object.fromEntries(references) } as SuppliedValues;
    const { transport, command, args, url, env, headers } = textServer(server, given, bracedVariable);
    const entry =
      transport === "stdio" ? { type: "stdio", command, args, env } : { type: transport, url, headers };
    return { entry: entryWith(entry), inputs: asked.map((spec) => inputOf(server, spec)) };
  },
};

/** A value that the member has, and that is no reference to a variable. */
function isAsked(values: SuppliedValues, name: string): boolean {
  return Object.hasOwn(values, name) && "text" in values[name]!;
}

/** Slugs have no two hyphens in a row, so that no other server can be given what VS Code keeps for this one. */
export function inputId({ tenantSlug, slug }: McpServer, name: string): string {
  return `svc-${tenantSlug}--${slug}--${plainName(name)}`;
}

/** The form of earlier versions, for entries that they wrote. */
export function earlierInputId({ tenantSlug, slug }: McpServer, name: string): string {
  return `svc-${tenantSlug}-${slug}-${plainName(name)}`;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, "-");
}

function inputOf(server: McpServer, { name, label, secret }: McpMemberValue): McpInput {
  return {
    type: "promptString",
    id: inputId(server, name),
    description: `${toOneLine(label) || name} for ${server.tenantSlug}/${server.slug}`,
    password: secret,
  };
}
