import { Switch } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { changeMcpRegistry, mcpRegistryQuery, type McpRegistry } from "../../api/mcp-servers.ts";
import { Command } from "../../parts/copy/command.tsx";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";

/** Whether anyone can read the organization's MCP servers in the form of the public registry. */
export function PublicRegistry({ organization: { slug } }: { organization: Organization }) {
  const client = useQueryClient();
  const found = useQuery(mcpRegistryQuery(slug));
  const { data } = found;
  const [asked, setAsked] = useState<boolean>();
  const save = async (enabled: boolean) => {
    const saved = await changeMcpRegistry(slug, enabled);
    client.setQueryData(mcpRegistryQuery(slug).queryKey, saved);
  };
  return (
    <section className="stack gap-3" style={{ maxWidth: 520 }} aria-labelledby="registry-heading">
      <h2 id="registry-heading">Public MCP registry</h2>
      <Loaded found={found} rows={1} rowHeight={44}>
        {({ enabled }) => (
          <Switch
            label="Anyone can read the organization's MCP servers"
            description="Editors and other registries read them at an address of this service, without signing in."
            checked={enabled}
            onChange={(event) => setAsked(event.currentTarget.checked)}
          />
        )}
      </Loaded>
      {data?.enabled && <Command text={data.url} prompt="" label="Copy registry address" />}
      {data && <Figures org={slug} registry={data} />}
      {asked !== undefined && data && (
        <AskDialog registry={data} enabled={asked} save={save} onClose={() => setAsked(undefined)} />
      )}
    </section>
  );
}

/** How many servers have an entry, and why others have none. */
function Figures({
  org,
  registry: { enabled, listed = [], omitted = [] },
}: {
  org: string;
  registry: McpRegistry;
}) {
  return (
    <div className="stack meta">
      <p>
        {enabled ? "" : "If you turn it on: "}
        {countText(listed.length, "server")} {enabled ? "listed" : "would be listed"}
        {omitted.length > 0 && `, ${omitted.length} not`}.
      </p>
      {omitted.length > 0 && (
        <details>
          <summary>Servers that are not listed</summary>
          <ul className="plain-list stack meta">
            {omitted.map(({ slug, reason }) => (
              <li key={slug}>
                <Link className="mono" to="/$org/-/mcp/$server" params={{ org, server: slug }}>
                  {slug}
                </Link>
                : {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

interface AskProps {
  registry: McpRegistry;
  enabled: boolean;
  save: (enabled: boolean) => Promise<void>;
  onClose: () => void;
}

function AskDialog({ registry: { listed = [] }, enabled, save, onClose }: AskProps) {
  return enabled ? (
    <ConfirmDialog
      title="Let anyone read the MCP servers?"
      action="Make public"
      run={() => save(true)}
      onClose={onClose}
    >
      <p>
        {countText(listed.length, "server")} of this organization become public, as do those that are
        registered later: their names, descriptions, addresses, commands and fixed values. Servers in
        restricted folders stay private, and the service has none of the values that members supply.
      </p>
    </ConfirmDialog>
  ) : (
    <ConfirmDialog
      title="Make the MCP servers private?"
      action="Make private"
      isDangerous
      run={() => save(false)}
      onClose={onClose}
    >
      <p>
        Editors and registries that read the address find nothing there any more. Copies that they have made
        stay with them. Members are not affected.
      </p>
    </ConfirmDialog>
  );
}
