import { Button } from "@mantine/core";
import "./connectors.css";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { connectorsQuery, type Connector } from "../../../api/connectors.ts";
import { Failed } from "../../../parts/states/failed.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { SettingsPage } from "../frame.tsx";
import { Calls } from "./calls.tsx";
import { ConnectDialog } from "./connect-dialog.tsx";
import { Endpoint } from "./endpoint.tsx";
import { NewConnector } from "./new-connector.tsx";
import { ResultNote } from "./result-note.tsx";
import { ConnectorRow } from "./row.tsx";

interface Search {
  /** The publicId of a connector: its dialog is open, or its authorization has ended. */
  connect?: string;
  /** How an authorization has ended. */
  result?: string;
}

const textOf = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

export const Route = createFileRoute("/settings/connectors")({
  validateSearch: (raw: Record<string, unknown>): Search => ({
    connect: textOf(raw["connect"]),
    result: textOf(raw["result"]),
  }),
  component: ConnectorsPage,
});

function ConnectorsPage() {
  const [isCreating, setCreating] = useState(false);
  const navigate = useNavigate({ from: Route.fullPath });
  const open = (connect: string | undefined) => void navigate({ search: { connect }, replace: true });
  return (
    <SettingsPage
      title="Connectors"
      about="Remote MCP servers that this service calls for your agents, with your credentials, which it keeps encrypted."
      actions={
        <Button leftSection={<Plus size={14} />} onClick={() => setCreating(true)}>
          New connector
        </Button>
      }
    >
      {() => (
        <>
          <Connectors onConnect={open} />
          {isCreating && (
            <NewConnector
              onDone={({ publicId }) => {
                setCreating(false);
                open(publicId);
              }}
              onClose={() => setCreating(false)}
            />
          )}
        </>
      )}
    </SettingsPage>
  );
}

function Connectors({ onConnect }: { onConnect: (publicId: string | undefined) => void }) {
  const { connect, result } = Route.useSearch();
  const { data: connectors, error, refetch, isPending } = useQuery(connectorsQuery);
  if (isPending) return <SkeletonRows rows={3} height={72} />;
  if (error) return <Failed error={error} reset={() => void refetch()} />;
  const named = connectors.find(({ publicId }) => publicId === connect);
  return (
    <>
      <ResultNote asked={connect} result={result} connector={named} />
      {connectors.length === 0 ? (
        <NoConnectors />
      ) : (
        <>
          <ConnectorList connectors={connectors} onConnect={onConnect} />
          <Endpoint />
        </>
      )}
      <Calls />
      {named && result === undefined && (
        <ConnectDialog key={named.id} connector={named} onClose={() => onConnect(undefined)} />
      )}
    </>
  );
}

interface ListProps {
  connectors: Connector[];
  onConnect: (publicId: string) => void;
}

function ConnectorList({ connectors, onConnect }: ListProps) {
  const waiting = connectors.filter(({ needsReconnect }) => needsReconnect).length;
  return (
    <section className="panel" aria-labelledby="connectors-heading">
      <header>
        <h2 id="connectors-heading" className="grow">
          Your connectors
        </h2>
        {waiting > 0 && <span className="badge warn">{countText(waiting, "needs you", "need you")}</span>}
      </header>
      <ul className="plain-list connectors">
        {connectors.map((connector) => (
          <ConnectorRow
            key={connector.id}
            connector={connector}
            onConnect={() => onConnect(connector.publicId)}
          />
        ))}
      </ul>
    </section>
  );
}

function NoConnectors() {
  return (
    <section className="panel" aria-label="Your connectors">
      <div className="body stack gap-3">
        <h2>No connectors yet</h2>
        <p className="sub">
          Connect to a remote MCP server of your organization once, in the browser. Afterwards, your agents
          need no credential of the server.
        </p>
      </div>
    </section>
  );
}
