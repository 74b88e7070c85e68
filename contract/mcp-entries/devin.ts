import { type McpTool, bracedVariable, entryWith, textServer } from "./tool.ts";

/** Devin Desktop, the successor of Windsurf: a remote entry has `url` and a transport. */
export const devin: McpTool = {
  name: "windsurf",
  label: "Devin Desktop",
  syntax: "json",
  files: { global: "~/.config/devin/mcp_config.json", project: ".devin/mcp_config.json" },
  container: ["mcpServers"],
  fields: ["command", "args", "env", "url", "transport", "headers"],
  expands: /\$\{(?:env|file):[^}]*\}/,
  entryOf(server, values) {
    const { transport, command, args, url, env, headers } = textServer(server, values, bracedVariable);
    const entry = transport === "stdio" ? { command, args, env } : { url, transport, headers };
    return { entry: entryWith(entry), inputs: [] };
  },
};
