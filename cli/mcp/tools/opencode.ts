import { opencode as tool } from "../../../contract/mcp-entries/opencode.ts";
import type { McpEntry } from "../../../contract/mcp-entries/tool.ts";
import { isRecord } from "../../state/is-record.ts";
import { configHome } from "../../targets/target.ts";
import type { McpToolFile } from "./tool-file.ts";

/** OpenCode: the first of its files that has servers, or else the first one that exists. */
export const opencode: McpToolFile = {
  tool,
  initial: { $schema: "https://opencode.ai/config.json" },
  async fileOf(location, { isThere, contentOf }) {
    const { join } = location.paths;
    const folders =
      location.scope === "project"
        ? [location.projectDir!, join(location.projectDir!, ".opencode")]
        : [join(configHome(location), "opencode")];
    const candidates = folders.flatMap((folder) => [
      join(folder, "opencode.jsonc"),
      join(folder, "opencode.json"),
    ]);
    const present: string[] = [];
    for (const path of candidates) if (await isThere(path)) present.push(path);
    for (const path of present) if ((await contentOf(path, tool))?.["mcp"] !== undefined) return path;
    return present[0] ?? join(folders[0]!, "opencode.json");
  },
  formIn(content) {
    const servers = isRecord(content["mcp"]) ? content["mcp"]["servers"] : undefined;
    // A server that is called "servers" has a type.
    return isRecord(servers) && !("type" in servers)
      ? { container: ["mcp", "servers"], toEntry: withoutEnabled }
      : { container: tool.container, toEntry: (entry) => entry };
  },
};

/** OpenCode 2 has "disabled" instead. */
function withoutEnabled(entry: McpEntry): McpEntry {
  return Object.fromEntries(Object.entries(entry).filter(([field]) => field !== "enabled"));
}
