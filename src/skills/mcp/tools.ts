/** The tools about skills. */
import type { App } from "../../app.ts";
import type { Tool } from "../../mcp/tools/tool.ts";
import { changeTools } from "./change-tools.ts";
import { publishSkillTool, publishVersionTool } from "./publish-tools.ts";
import { getTool, readTool } from "./read-tools.ts";
import { searchTool } from "./search-tool.ts";
import { diffVersionsTool, listVersionsTool } from "./version-tools.ts";

export function skillTools(app: App): Tool[] {
  return [
    searchTool(app),
    getTool(app),
    readTool(app),
    listVersionsTool(app),
    diffVersionsTool(app),
    publishSkillTool(app),
    publishVersionTool(app),
    ...changeTools(app),
  ];
}
