import { copilotCli } from "../../../contract/mcp-entries/copilot-cli.ts";
import { copilot as tool } from "../../../contract/mcp-entries/copilot.ts";
import { baseFolder, movedFolder } from "../../targets/target.ts";
import type { McpToolFiles } from "./tool-file.ts";

/** GitHub Copilot: the file of a VS Code workspace; on request those of its command line. */
export const copilot: McpToolFiles = {
  tool,
  async fileOf({ scope, projectDir, paths }) {
    return scope === "project"
      ? paths.join(projectDir!, ".vscode", "mcp.json")
      : {
          refused:
            "copilot gets the MCP servers of VS Code per project; use --project, " +
            "or --also copilot-cli for its command line",
        };
  },
  also: {
    "copilot-cli": {
      tool: copilotCli,
      async fileOf(location) {
        const { scope, home, paths } = location;
        const own = movedFolder(location, "COPILOT_HOME", paths.join(home, ".copilot"));
        return scope === "project"
          ? paths.join(baseFolder(location, home), ".github", "mcp.json")
          : paths.join(own, "mcp-config.json");
      },
    },
  },
};
