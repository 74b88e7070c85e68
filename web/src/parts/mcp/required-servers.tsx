import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { limits } from "../../../../contract/limits.ts";
import { may, organizationQuery } from "../../api/account/session.ts";
import { mcpServersQuery } from "../../api/mcp-servers.ts";
import { visibleText } from "../text/visible-text.ts";

interface Props {
  org: string;
  /** Slugs. */
  chosen: string[];
  error?: string;
  onChange: (chosen: string[]) => void;
}

/** The MCP servers that a private skill requires, of those that the user may read. Nothing if there are none. */
export function RequiredServers({ org, chosen, error, onChange }: Props) {
  const { data: organization } = useQuery(organizationQuery(org));
  const canRead = organization !== undefined && may(organization.permissions, "mcpServer", "read");
  const { data: servers = [] } = useQuery({ ...mcpServersQuery(org), enabled: canRead });
  if (servers.length === 0) return null;
  return (
    <MultiSelect
      label="Required MCP servers"
      description="With the skill, those that are missing are offered for installation."
      placeholder={chosen.length === 0 ? "None" : ""}
      data={servers.map(({ slug, name }) => ({ value: slug, label: `${visibleText(name)} (${slug})` }))}
      value={chosen}
      maxValues={limits.mcpServersPerSkill}
      searchable
      limit={100}
      nothingFoundMessage="No server matches"
      error={error}
      onChange={onChange}
    />
  );
}
