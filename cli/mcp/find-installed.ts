/** Installed MCP servers by what a user types. */
import { CliError, notFound } from "../errors.ts";
import type { Profile } from "../state/config.ts";
import type { InstalledMcpServer } from "../state/mcp-servers.ts";
import { centralId, installedServers } from "./records.ts";

/**
 * A server's records: with its own address, with a hosted connector, or both. `ref`: `org/slug`, a slug, a public id,
 * or `central`. Throws `E_NOT_FOUND` and `E_AMBIGUOUS`.
 */
export function findInstalledServers(profile: Profile | undefined, ref: string): InstalledMcpServer[] {
  const all = installedServers(profile);
  const isExact = ({ publicId, tenantSlug, slug }: InstalledMcpServer) =>
    publicId === ref || (publicId !== centralId && `${tenantSlug}/${slug}` === ref);
  const exact = all.filter(isExact);
  const found = exact.length > 0 ? exact : all.filter(({ slug }) => slug === ref);
  if (found.length === 0)
    throw notFound("mcpServer", ref, `MCP server "${ref}" is not installed. See svc mcp list.`);
  if (found.some(({ publicId }) => publicId !== found[0]!.publicId))
    throw new CliError("E_AMBIGUOUS", `Several installed MCP servers are called "${ref}".`, {
      kind: "mcpServer",
      ref,
      candidates: found.map(({ publicId, slug, tenantSlug }) => ({ publicId, slug, tenantSlug })),
    });
  return found;
}
