import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { centralQuery, connectorsQuery } from "../../api/connectors.ts";
import type { McpServer } from "../../api/mcp-servers.ts";
import { Command } from "../../parts/copy/command.tsx";
import { commandLine } from "../../parts/copy/shell.ts";
import { connectorStates } from "../../parts/mcp/connector-states.ts";
import { useCreateConnector } from "../../parts/mcp/use-create-connector.ts";
import { Problem } from "../../parts/states/problem.tsx";

/** Whether agents can use a remote server through this service, and the user's own connection to it. */
export function Hosted({ org, server }: { org: string; server: McpServer }) {
  const { data, error, refetch } = useQuery(centralQuery(org));
  if (server.transport === "stdio") return null;
  return (
    <section>
      <h3>Hosted connector</h3>
      <div className="stack meta">
        <Problem error={error} retry={() => void refetch()} />
        {data && <State server={server} isOn={data.enabled} />}
      </div>
    </section>
  );
}

function State({ server, isOn }: { server: McpServer; isOn: boolean }) {
  const { data: connectors } = useQuery({ ...connectorsQuery, enabled: isOn });
  if (!isOn) return <p>Off in this organization: only entries in members&apos; own tools connect.</p>;
  if (!/^https:/i.test(server.url ?? "")) return <p>The service connects to addresses with https only.</p>;
  if (!connectors) return null;
  const own = connectors.find(({ serverId }) => serverId === server.id);
  if (!own) return <NotConnected server={server} />;
  const { label, badge } = connectorStates[own.connectionStatus];
  const isConnected = own.connectionStatus === "connected";
  return (
    <>
      <p className="row wrap">
        <span className={badge}>{label}</span>
        <Link to="/settings/connectors" search={isConnected ? {} : { connect: own.publicId }}>
          {isConnected ? "Your connectors" : "Connect"}
        </Link>
      </p>
      {own.lastError !== null && <p>{own.lastError}</p>}
      <Central server={server} />
    </>
  );
}

function NotConnected({ server }: { server: McpServer }) {
  const navigate = useNavigate();
  const creating = useCreateConnector(({ publicId }) =>
    navigate({ to: "/settings/connectors", search: { connect: publicId } }),
  );
  return (
    <>
      <p>Your agents can use it through this service, which keeps your credentials encrypted.</p>
      <Problem error={creating.error} />
      <Button
        size="xs"
        variant="default"
        w="fit-content"
        loading={creating.isPending}
        onClick={() => creating.mutate(server.id)}
      >
        Connect
      </Button>
      <Central server={server} />
    </>
  );
}

/** The command that lets a tool use the connector. */
const Central = ({ server: { tenantSlug, slug } }: { server: McpServer }) => (
  <Command
    text={commandLine("svc", "mcp", "install", `${tenantSlug}/${slug}`, "--via", "central")}
    label="Copy the command for hosted connectors"
  />
);
