import { type McpTool, bracedVariable, entryWith, textServer } from "./tool.ts";

/** Cline: it reads a remote entry without a type as SSE. */
export const cline: McpTool = {
  name: "cline",
  label: "Cline",
  syntax: "json",
  files: { global: "~/.cline/data/settings/cline_mcp_settings.json" },
  container: ["mcpServers"],
  fields: ["command", "args", "env", "type", "url", "headers"],
  expands: /\$\{env:[^}]*\}/,
  entryOf(server, values) {
    const { transport, command, args, url, env, headers } = textServer(server, values, bracedVariable);
    const type = transport === "http" ? "streamableHttp" : "sse";
    const entry = transport === "stdio" ? { command, args, env } : { type, url, headers };
    return { entry: entryWith(entry), inputs: [] };
  },
};
