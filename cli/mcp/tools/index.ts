/** The configuration files of every tool, by its name. */
import type { McpTarget } from "../../../contract/vocabulary.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { opencode } from "./opencode.ts";
import type { McpToolFile } from "./tool-file.ts";
import { windsurf } from "./windsurf.ts";

export const mcpToolFiles: Readonly<Record<McpTarget, McpToolFile>> = {
  claude,
  cursor,
  windsurf,
  copilot,
  cline,
  codex,
  opencode,
};
