import { codex as tool } from "../../../contract/mcp-entries/codex.ts";
import { movedFolder } from "../../targets/target.ts";
import { type McpToolFile, noProjectFile } from "./tool-file.ts";

/** Codex: the user's configuration, a TOML file. */
export const codex: McpToolFile = {
  tool,
  async fileOf(location) {
    const { scope, home, paths } = location;
    return scope === "project"
      ? noProjectFile(tool)
      : paths.join(movedFolder(location, "CODEX_HOME", paths.join(home, ".codex")), "config.toml");
  },
};
