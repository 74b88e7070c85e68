import type { Target } from "../../../../contract/vocabulary.ts";

/** Names of the tools that skills are installed for. */
export const toolNames: Readonly<Record<Target, string>> = {
  cursor: "Cursor",
  claude: "Claude Code",
  codex: "Codex",
  windsurf: "Windsurf",
  cline: "Cline",
  copilot: "Copilot",
  opencode: "opencode",
  aider: "aider",
};
