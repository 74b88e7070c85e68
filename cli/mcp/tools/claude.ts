import { claude as tool } from "../../../contract/mcp-entries/claude.ts";
import { movedFolder } from "../../targets/target.ts";
import type { McpToolFile } from "./tool-file.ts";

/** Claude Code: the user's file also has the state of running sessions, which rewrite it. */
export const claude: McpToolFile = {
  tool,
  async fileOf(location) {
    const { join } = location.paths;
    return location.scope === "project"
      ? join(location.projectDir!, ".mcp.json")
      : join(movedFolder(location, "CLAUDE_CONFIG_DIR", location.home), ".claude.json");
  },
};
