import { windsurf as tool } from "../../../contract/mcp-entries/windsurf.ts";
import { type McpToolFile, noProjectFile } from "./tool-file.ts";

/** Windsurf: one file of the user. */
export const windsurf: McpToolFile = {
  tool,
  async fileOf({ scope, home, paths }) {
    return scope === "project"
      ? noProjectFile(tool)
      : paths.join(home, ".codeium", "windsurf", "mcp_config.json");
  },
};
