import { cursor as tool } from "../../../contract/mcp-entries/cursor.ts";
import { baseFolder } from "../../targets/target.ts";
import type { McpToolFile } from "./tool-file.ts";

/** Cursor: the same file in a project and in the home folder. */
export const cursor: McpToolFile = {
  tool,
  async fileOf(location) {
    return location.paths.join(baseFolder(location, location.home), ".cursor", "mcp.json");
  },
};
