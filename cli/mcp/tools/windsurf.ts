import { devin } from "../../../contract/mcp-entries/devin.ts";
import { windsurf as tool } from "../../../contract/mcp-entries/windsurf.ts";
import { devinFolder } from "../../targets/target.ts";
import type { McpToolFiles } from "./tool-file.ts";

/** Windsurf: one file of the user, which its successor Devin Desktop imports; also Devin's own, where it is set up. */
export const windsurf: McpToolFiles = {
  tool,
  async fileOf({ scope, home, paths }) {
    return scope === "project"
      ? { refused: "windsurf has MCP servers of a project only as Devin Desktop; use --also devin" }
      : paths.join(home, ".codeium", "windsurf", "mcp_config.json");
  },
  also: {
    devin: {
      tool: devin,
      impliedBy: devinFolder,
      async fileOf(location) {
        const { scope, projectDir, paths } = location;
        const folder = scope === "project" ? paths.join(projectDir!, ".devin") : devinFolder(location);
        return paths.join(folder, "mcp_config.json");
      },
    },
  },
};
