import { mcpInstallModes } from "../../../contract/vocabulary.ts";
import { defineCommand } from "../../command.ts";
import { mcpTargetFlag } from "../../mcp/target-flag.ts";

export const mcpInstall = defineCommand({
  positionals: {
    ref: {
      required: true,
      description: "org/slug, slug or id; central for the endpoint of hosted connectors",
    },
  },
  flags: {
    target: mcpTargetFlag,
    global: { short: "g", value: "none", description: "For you, in every project (default)" },
    project: {
      short: "p",
      value: "optional",
      hint: "dir",
      completes: "folder",
      description: "For one project (default: this folder)",
    },
    also: {
      value: "required",
      multiple: true,
      hint: "locations",
      description: "Further files of a tool: copilot-cli, codex-project, devin",
    },
    var: {
      value: "required",
      multiple: true,
      hint: "NAME=value",
      description: "A value that the server needs from you; ${env:NAME} for a variable that the tool reads",
    },
    force: { value: "none", description: "Overwrite an entry of the same name that svc did not write" },
    via: {
      value: "required",
      choices: mcpInstallModes,
      hint: mcpInstallModes.join("|"),
      description: "For remote servers: with the server's own address, or through the hosted connectors",
    },
  },
  exclusive: [["global", "project"]],
  examples: [
    "svc mcp install acme/search --via local -t claude,cursor --var TOKEN=…",
    "svc mcp install files -p",
    "svc mcp install central -t claude -o json",
  ],
  run: async (context, args) => (await import("../../mcp/commands/install.ts")).runInstall(context, args),
});
