import { type McpTool, bracedVariable, entryWith, textServer } from "./tool.ts";

/** Cursor: it finds out itself which of the two remote transports a server has. */
export const cursor: McpTool = {
  name: "cursor",
  label: "Cursor",
  syntax: "jsonc",
  files: { global: "~/.cursor/mcp.json", project: ".cursor/mcp.json" },
  container: ["mcpServers"],
  fields: ["type", "command", "args", "env", "url", "headers"],
  expands: /\$\{(?:env:[^}]*|userHome|workspaceFolder|workspaceFolderBasename|pathSeparator|\/)\}/,
  entryOf(server, values) {
    const { transport, command, args, url, env, headers } = textServer(server, values, bracedVariable);
    const entry = transport === "stdio" ? { type: "stdio", command, args, env } : { url, headers };
    return { entry: entryWith(entry), inputs: [] };
  },
};
