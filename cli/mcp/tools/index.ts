/** The configuration files of every tool, by its name. */
import type { McpTarget } from "../../../contract/vocabulary.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { opencode } from "./opencode.ts";
import type { AlsoFile, McpToolFile, McpToolFiles } from "./tool-file.ts";
import { windsurf } from "./windsurf.ts";

const toolFiles: Readonly<Record<McpTarget, McpToolFiles>> = {
  claude,
  cursor,
  windsurf,
  copilot,
  cline,
  codex,
  opencode,
};

/** The names of `--also`, with their tools. */
export const alsoFiles: ReadonlyMap<string, { platform: McpTarget; file: AlsoFile }> = new Map(
  (Object.keys(toolFiles) as McpTarget[]).flatMap((platform) =>
    Object.entries(toolFiles[platform].also ?? {}).map(([name, file]) => [name, { platform, file }] as const),
  ),
);

/** The file of an entry. */
export function toolFileOf({ platform, also }: { platform: McpTarget; also?: string }): McpToolFile {
  return (also === undefined ? undefined : toolFiles[platform].also?.[also]) ?? toolFiles[platform];
}
