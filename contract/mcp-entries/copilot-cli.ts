import { type McpTool, entryWith, textServer } from "./tool.ts";

/** The command line of GitHub Copilot: a file of its own, with values instead of inputs. */
export const copilotCli: McpTool = {
  name: "copilot",
  label: "GitHub Copilot CLI",
  syntax: "json",
  files: { global: "~/.copilot/mcp-config.json", project: ".github/mcp.json" },
  container: ["mcpServers"],
  // Users restrict the tools of a server with "tools".
  fields: ["type", "command", "args", "env", "url", "headers"],
  expands: /\$(?:\{[^}]*\}|[A-Za-z_])/,
  entryOf(server, values) {
    const { transport, command, args, url, env, headers } = textServer(
      server,
      values,
      (name) => `\${${name}}`,
    );
    const tools = ["*"];
    const entry =
      transport === "stdio"
        ? { type: "stdio", command, args, env, tools }
        : { type: transport, url, headers, tools };
    return { entry: entryWith(entry), inputs: [] };
  },
};
