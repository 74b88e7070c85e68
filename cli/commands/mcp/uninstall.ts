import { defineCommand } from "../../command.ts";

export const mcpUninstall = defineCommand({
  name: "mcp uninstall",
  summary: "Remove an MCP server from the configuration of your AI tools",
  positionals: {
    ref: { description: "org/slug, slug, id, or central", completes: "mcpServer" },
  },
  flags: {},
  examples: ["svc mcp uninstall acme/search", "svc mcp uninstall central -o json"],
  run: async (context, args) => (await import("../../mcp/run-uninstall.ts")).runUninstall(context, args),
});
