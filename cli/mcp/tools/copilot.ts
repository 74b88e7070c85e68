import { copilot as tool } from "../../../contract/mcp-entries/copilot.ts";
import type { McpToolFile } from "./tool-file.ts";

/** GitHub Copilot: the file of a VS Code workspace. */
export const copilot: McpToolFile = {
  tool,
  async fileOf({ scope, projectDir, paths }) {
    return scope === "project"
      ? paths.join(projectDir!, ".vscode", "mcp.json")
      : { refused: "copilot has no user-level MCP config here; use --project" };
  },
};
