import { type McpTool, bracedVariable, entryWith, textServer } from "./tool.ts";

/** Windsurf: entries have no type, and `serverUrl` instead of `url`. */
export const windsurf: McpTool = {
  name: "windsurf",
  label: "Windsurf",
  syntax: "json",
  files: { global: "~/.codeium/windsurf/mcp_config.json" },
  container: ["mcpServers"],
  fields: ["command", "args", "env", "serverUrl", "url", "headers"],
  expands: /\$\{(?:env|file):[^}]*\}/,
  entryOf(server, values) {
    const { transport, command, args, url, env, headers } = textServer(server, values, bracedVariable);
    const entry = transport === "stdio" ? { command, args, env } : { serverUrl: url, headers };
    return { entry: entryWith(entry), inputs: [] };
  },
};
