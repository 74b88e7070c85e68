import { useQuery } from "@tanstack/react-query";
import { mcpRegistryQuery } from "../../api/mcp-servers.ts";

/** Says that what is saved becomes public, where the organization lets anyone read its servers. */
export function PublicNote({ org }: { org: string }) {
  const { data } = useQuery(mcpRegistryQuery(org));
  if (data?.enabled !== true) return null;
  return (
    <p className="note">
      Anyone can read the MCP servers of {org}, with their fixed values, except those in restricted folders.
    </p>
  );
}
