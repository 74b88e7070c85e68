/** Warnings about values that are in a tool's file. */
import type { SuppliedValues } from "../../contract/mcp-entries/server.ts";
import { isInWorkTree } from "../install/work-tree.ts";
import type { McpRecord } from "../state/mcp-servers.ts";
import { mcpToolFiles } from "./tools/index.ts";

export async function valueWarnings(
  values: SuppliedValues,
  installed: readonly McpRecord[],
): Promise<string[]> {
  const texts = Object.values(values).flatMap((value) => ("text" in value ? [value.text] : []));
  const warnings: string[] = [];
  for (const { platform, path, projectDir } of installed) {
    const { tool } = mcpToolFiles[platform];
    // Copilot asks for values itself.
    if (platform === "copilot") continue;
    if (texts.length > 0 && projectDir !== undefined && (await isInWorkTree(projectDir)))
      warnings.push(
        `${path} has your values: do not commit it. With --var 'NAME=\${env:VARIABLE}', the tool reads a variable instead`,
      );
    if (tool.expands !== undefined && texts.some((text) => tool.expands!.test(text)))
      warnings.push(`${platform} replaces a part of a value that looks like a variable`);
  }
  return warnings;
}
