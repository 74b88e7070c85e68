import { codex as tool } from "../../../contract/mcp-entries/codex.ts";
import { movedFolder } from "../../targets/target.ts";
import type { McpToolFiles } from "./tool-file.ts";

/** Codex: the user's configuration, a TOML file; on request that of a project, which it reads if it is trusted. */
export const codex: McpToolFiles = {
  tool,
  async fileOf(location) {
    const { scope, home, paths } = location;
    return scope === "project"
      ? { refused: "codex reads the MCP servers of trusted projects only; use --also codex-project" }
      : paths.join(movedFolder(location, "CODEX_HOME", paths.join(home, ".codex")), "config.toml");
  },
  also: {
    "codex-project": {
      tool,
      async fileOf({ scope, projectDir, paths }) {
        return scope === "project"
          ? paths.join(projectDir!, ".codex", "config.toml")
          : { refused: "codex-project is a file of a project; use --project" };
      },
    },
  },
};
