import { defineCommand } from "../../command.ts";

export const mcpPull = defineCommand({
  positionals: {
    ref: { description: "One installed server; without it, all of them", completes: "mcpServer" },
  },
  flags: {},
  examples: ["svc mcp pull", "svc mcp pull acme/search -o json"],
  run: async (context, args) => (await import("../../mcp/commands/pull.ts")).runPull(context, args),
});
