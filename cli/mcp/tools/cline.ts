import { cline as tool } from "../../../contract/mcp-entries/cline.ts";
import { type Machine, editorFolders, movedFolder } from "../../targets/target.ts";
import type { McpToolFile } from "./tool-file.ts";

const name = "cline_mcp_settings.json";

/** Cline: one file of the user for all editors, or that of the extension before version 4. */
export const cline: McpToolFile = {
  tool,
  async fileOf(location, { isThere }) {
    const { scope, home, paths } = location;
    if (scope === "project") return { refused: "cline has no project-level MCP config" };
    const root = movedFolder(location, "CLINE_DIR", paths.join(home, ".cline"));
    const data = movedFolder(location, "CLINE_DATA_DIR", paths.join(root, "data"));
    const present = movedFolder(location, "CLINE_MCP_SETTINGS_PATH", paths.join(data, "settings", name));
    if (await isThere(data)) return present;
    for (const previous of formerFiles(location)) if (await isThere(previous)) return previous;
    return present;
  },
};

function formerFiles(machine: Machine): string[] {
  return editorFolders(machine).map((folder) =>
    machine.paths.join(folder, "globalStorage", "saoudrizwan.claude-dev", "settings", name),
  );
}
