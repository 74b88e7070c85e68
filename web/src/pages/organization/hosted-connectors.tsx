import { Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { centralQuery, changeCentral, type McpCentral } from "../../api/connectors.ts";
import { mcpServersQuery } from "../../api/mcp-servers.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Problem } from "../../parts/states/problem.tsx";

/** Whether members may use the organization's remote MCP servers by hosted connectors. */
export function HostedConnectors({ organization: { slug } }: { organization: Organization }) {
  const client = useQueryClient();
  const found = useQuery(centralQuery(slug));
  const { data } = found;
  const [isAsking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (enabled: boolean) => changeCentral(slug, enabled),
    onSuccess: (saved) => client.setQueryData(centralQuery(slug).queryKey, saved),
  });
  return (
    <section className="stack gap-3" style={{ maxWidth: 520 }} aria-labelledby="central-heading">
      <h2 id="central-heading">Hosted connectors</h2>
      <Loaded found={found} rows={1} rowHeight={44}>
        {({ enabled }) => (
          <Switch
            label="Members may connect to remote MCP servers through this service"
            description="The service keeps each member's credentials, encrypted, and calls the servers for their agents."
            checked={enabled}
            disabled={change.isPending}
            onChange={(event) => {
              if (event.currentTarget.checked) change.mutate(true);
              else setAsking(true);
            }}
          />
        )}
      </Loaded>
      {data?.usage && <Usage org={slug} usage={data.usage} />}
      <Problem error={change.error} />
      {isAsking && (
        <ConfirmDialog
          title="Turn hosted connectors off?"
          action="Turn off"
          isDangerous
          run={() => change.mutateAsync(false)}
          onClose={() => setAsking(false)}
        >
          <p>
            Agents lose the tools of the organization&apos;s servers at once. Credentials stay encrypted until
            their owners delete them, so that connectors work again if you turn them on. Servers that members
            have installed on their machines are not affected.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Connectors and calls, in total and of each server. */
function Usage({ org, usage }: { org: string; usage: NonNullable<McpCentral["usage"]> }) {
  const { days, connectors, calls, servers } = usage;
  const { data: registered = [] } = useQuery(mcpServersQuery(org));
  const connected = servers.filter((one) => one.connectors > 0).length;
  const nameOf = (serverId: string) => registered.find(({ id }) => id === serverId)?.slug ?? "a server";
  const columns: Column<(typeof servers)[number]>[] = [
    { header: "Server", className: "mono", cell: ({ serverId }) => nameOf(serverId) },
    { header: "Connectors", cell: (server) => server.connectors },
    { header: "Calls", cell: (server) => server.calls },
    { header: "Failed", cell: ({ failed }) => failed },
  ];
  return (
    <div className="stack meta">
      <p>
        {connectors === 0
          ? "No one has a connector to a server of this organization"
          : `${countText(connectors, "connector")} to ${countText(connected, "server")}`}
        {(connectors > 0 || calls > 0) && `, ${countText(calls, "call")} in the last ${days} days`}.
      </p>
      {servers.length > 0 && (
        <details>
          <summary>By server</summary>
          <DataTable
            inPanel
            caption="Hosted connectors by server"
            scrollLabel="Hosted connectors by server"
            columns={columns}
            rows={servers}
            keyOf={({ serverId }) => serverId}
          />
        </details>
      )}
    </div>
  );
}
