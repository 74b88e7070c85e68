import { type McpTool, entryWith, textServer } from "./tool.ts";

/** OpenCode: one command line, and `environment` instead of `env`. */
export const opencode: McpTool = {
  name: "opencode",
  label: "OpenCode",
  syntax: "jsonc",
  files: { global: "~/.config/opencode/opencode.json", project: "opencode.json" },
  container: ["mcp"],
  // Users switch a server off with "enabled".
  fields: ["type", "command", "environment", "url", "headers"],
  expands: /\{(?:env|file):[^}]*\}/,
  entryOf(server, values) {
    const { transport, command, args, url, env, headers } = textServer(
      server,
      values,
      (name) => `{env:${name}}`,
    );
    const entry =
      transport === "stdio"
        ? { type: "local", command: [command, ...args], environment: env, enabled: true }
        : { type: "remote", url, headers, enabled: true };
    return { entry: entryWith(entry), inputs: [] };
  },
};
