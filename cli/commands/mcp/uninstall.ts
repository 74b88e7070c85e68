import { defineCommand } from "../../command.ts";

export const mcpUninstall = defineCommand({
  positionals: {
    ref: { description: "org/slug, slug, id, or central", completes: "mcpServer" },
  },
  flags: {},
  examples: ["svc mcp uninstall acme/search", "svc mcp uninstall central -o json"],
  run: async (context, args) => (await import("../../mcp/commands/uninstall.ts")).runUninstall(context, args),
});
