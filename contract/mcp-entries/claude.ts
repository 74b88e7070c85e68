import { type McpTool, entryWith, textServer } from "./tool.ts";

/** Claude Code: a remote entry without a type would be an error. */
export const claude: McpTool = {
  name: "claude",
  label: "Claude Code",
  syntax: "json",
  files: { global: "~/.claude.json", project: ".mcp.json" },
  container: ["mcpServers"],
  fields: ["type", "command", "args", "env", "url", "headers"],
  expands: /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}/,
  reserved: ["workspace", "claude-in-chrome", "computer-use"],
  entryOf(server, values) {
    const { transport, command, args, url, env, headers } = textServer(
      server,
      values,
      (name) => `\${${name}}`,
    );
    const entry =
      transport === "stdio" ? { type: "stdio", command, args, env } : { type: transport, url, headers };
    return { entry: entryWith(entry), inputs: [] };
  },
};
