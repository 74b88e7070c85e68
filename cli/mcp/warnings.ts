/** Warnings about the entries of an install. */
import type { SuppliedValues } from "../../contract/mcp-entries/server.ts";
import { isInWorkTree } from "../install/locations/work-tree.ts";
import type { Profile } from "../state/config.ts";
import type { McpRecord, ServerHead } from "../state/mcp-servers.ts";
import { installedServers } from "./records.ts";
import { toolFileOf } from "./tools/index.ts";

/** A tool that has a server both with its own address and through its hosted connector shows its tools twice. */
export function doubledWarnings(
  profile: Profile | undefined,
  { publicId, tenantSlug, slug, via }: ServerHead,
  installed: readonly McpRecord[],
): string[] {
  const previous = installedServers(profile)
    .filter((one) => one.publicId === publicId && one.via !== via)
    .flatMap(({ installs }) => installs);
  const doubled = installed.filter(({ path }) => previous.some((record) => record.path === path));
  if (doubled.length === 0) return [];
  const ref = `${tenantSlug}/${slug}`;
  const tools = [...new Set(doubled.map(({ platform }) => platform))].join(", ");
  return [
    `${tools} also ${doubled.length === 1 ? "has" : "have"} ${ref} ` +
      `${via === "central" ? "with its own address" : "through a hosted connector"}. ` +
      `To keep one of the two, run svc mcp uninstall ${ref}, which removes both, and install it again`,
  ];
}

/** Warnings about values that are in a tool's file. */
export async function valueWarnings(
  values: SuppliedValues,
  installed: readonly McpRecord[],
): Promise<string[]> {
  const texts = Object.values(values).flatMap((value) => ("text" in value ? [value.text] : []));
  const warnings: string[] = [];
  for (const record of installed) {
    const { platform, path, projectDir } = record;
    const { tool } = toolFileOf(record);
    if (tool.asksForValues === true) continue;
    if (texts.length > 0 && projectDir !== undefined && (await isInWorkTree(projectDir)))
      warnings.push(
        `${path} has your values: do not commit it. With --var 'NAME=\${env:VARIABLE}', the tool reads a variable instead`,
      );
    if (tool.expands !== undefined && texts.some((text) => tool.expands!.test(text)))
      warnings.push(`${platform} replaces a part of a value that looks like a variable`);
  }
  return warnings;
}
