/** The tools whose configuration can hold MCP servers, and the part of their file that a server becomes. */
import { type McpTarget, mcpTargets } from "../vocabulary.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { opencode } from "./opencode.ts";
import type { McpServer, SuppliedValues } from "./server.ts";
import { tomlTable } from "./toml.ts";
import type { McpRefusal, McpTool } from "./tool.ts";
import { windsurf } from "./windsurf.ts";

const tools: Readonly<Record<McpTarget, McpTool>> = {
  claude,
  cursor,
  windsurf,
  copilot,
  cline,
  codex,
  opencode,
};

/** In display order. */
export const mcpTools: readonly McpTool[] = mcpTargets.map((name) => tools[name]);

export function mcpToolOf(name: McpTarget): McpTool {
  return tools[name];
}

/** The content of a tool's file that has only this server, as `svc mcp install` writes it. */
export function previewEntry(
  tool: McpTool,
  server: McpServer,
  values: SuppliedValues,
): { text: string } | McpRefusal {
  const built = tool.entryOf(server, values);
  if ("refused" in built) return built;
  const { entry, inputs } = built;
  if (tool.syntax === "toml") return { text: tomlTable([...tool.container, server.slug], entry) };
  const entries = tool.container.reduceRight<Record<string, unknown>>(
    (inner: Record<string, unknown>, name) => ({ [name]: inner }),
    { [server.slug]: entry },
  );
  const document = inputs.length === 0 ? entries : { inputs, ...entries };
  return { text: `${JSON.stringify(document, undefined, 2)}\n` };
}
