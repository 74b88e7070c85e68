import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Plus, Search } from "lucide-react";
import { useRef, useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { may } from "../../api/account/session.ts";
import { centralQuery } from "../../api/connectors.ts";
import { mcpServersQuery, type McpServer } from "../../api/mcp-servers.ts";
import { ButtonLink } from "../../parts/button-link.tsx";
import { useFilterKey } from "../../parts/filter-key.ts";
import { OrganizationPage, type Organization } from "../../parts/page/organization-page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { ServerTable } from "./server-table.tsx";
import "./mcp.css";

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export const Route = createFileRoute("/$org/-/mcp/")({
  validateSearch: (raw: Record<string, unknown>): { query?: string } => ({
    query: textOf(raw["query"]),
  }),
  component: ServersPage,
});

function ServersPage() {
  const { org } = Route.useParams();
  const servers = useQuery(mcpServersQuery(org));
  const [isImporting, setImporting] = useState(false);
  return (
    <OrganizationPage
      org={org}
      title="MCP servers"
      permission={["mcpServer", "read"]}
      subject={servers}
      renderActions={(organization) =>
        may(organization.permissions, "mcpServer", "create") && (
          <ButtonLink size="xs" leftSection={<Plus size={14} />} to="/$org/-/mcp/new" params={{ org }}>
            New server
          </ButtonLink>
        )
      }
    >
      {(organization) => (
        <>
          <Servers
            org={org}
            organization={organization}
            servers={servers.data ?? []}
            onImport={() => setImporting(true)}
          />
          {isImporting && <ImportDialog org={org} onClose={() => setImporting(false)} />}
        </>
      )}
    </OrganizationPage>
  );
}

interface Props {
  org: string;
  organization: Organization;
  servers: McpServer[];
  onImport: () => void;
}

function Servers({ org, organization, servers, onImport }: Props) {
  const { query = "" } = Route.useSearch();
  const shown = servers.filter((server) => isMatch(server, query));
  return (
    <div className="page stack gap-4">
      <div className="page-head">
        <div className="stack">
          <h1>MCP servers</h1>
          <p className="sub">
            Configurations of the MCP servers that members of {organization.name} install into their tools.
            The secrets of members stay on their machines. <HostedSentence org={org} />
          </p>
        </div>
        {may(organization.permissions, "mcpServer", "create") && (
          <Button variant="default" onClick={onImport}>
            Import
          </Button>
        )}
      </div>
      {servers.length === 0 ? (
        <NoServers org={org} organization={organization} />
      ) : (
        <section className="stack gap-3" aria-label="MCP servers">
          <Filter query={query} />
          {shown.length > 0 ? (
            <ServerTable org={org} servers={shown} />
          ) : (
            <p className="sub">No server matches. Remove the filter.</p>
          )}
          <p className="meta" aria-live="polite">
            {countText(shown.length, "server")}
          </p>
        </section>
      )}
    </div>
  );
}

/** Whether agents can use the remote servers through this service, too. */
function HostedSentence({ org }: { org: string }) {
  const { data } = useQuery(centralQuery(org));
  if (!data) return null;
  return data.enabled
    ? "Agents can also use the remote ones through this service, by hosted connectors."
    : "Hosted connectors are off.";
}

/** Each word is in a name, the description, or the command or address. */
function isMatch({ name, slug, description, command, url, args }: McpServer, query: string): boolean {
  const text = [name, slug, description, command, url, ...args].join("\n").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Filter({ query }: { query: string }) {
  const navigate = useNavigate({ from: Route.fullPath });
  const field = useRef<HTMLInputElement>(null);
  useFilterKey(field);
  return (
    <TextInput
      ref={field}
      className="mcp-filter"
      aria-label="Filter servers"
      placeholder="Name, command or address"
      leftSection={<Search size={14} />}
      maxLength={200}
      value={query}
      onChange={(event) =>
        void navigate({ search: { query: event.currentTarget.value || undefined }, replace: true })
      }
    />
  );
}

function NoServers({ org, organization }: Omit<Props, "servers" | "onImport">) {
  const canCreate = may(organization.permissions, "mcpServer", "create");
  return (
    <Empty title="No MCP servers yet">
      <p>
        {canCreate
          ? "Register a server once; members then install it into their tools with one command."
          : "A member who may create MCP servers can register one."}
      </p>
      {canCreate && (
        <ButtonLink variant="default" w="fit-content" to="/$org/-/mcp/new" params={{ org }}>
          New server
        </ButtonLink>
      )}
    </Empty>
  );
}
