import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { useState } from "react";
import type { McpServer } from "../../api/mcp-servers.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

export const transportNames = { stdio: "local", http: "HTTP", sse: "SSE" } as const;

/** The command line or address that a tool uses. */
export function targetOf({ command = "", args, url }: McpServer): string {
  return url ?? [command, ...args].join(" ");
}

/** Rows that are drawn at first, and with each click on the button below. */
const rowBatchSize = 200;

export function ServerTable({ org, servers }: { org: string; servers: McpServer[] }) {
  const [most, setShown] = useState(rowBatchSize);
  return (
    <>
      <div className="mcp-table">
        <DataTable
          caption="MCP servers"
          scrollLabel="List of servers"
          columns={columnsOf(org)}
          rows={servers.slice(0, most)}
          keyOf={({ id }) => id}
        />
      </div>
      {servers.length > most && (
        <Button variant="default" w="fit-content" onClick={() => setShown(most + rowBatchSize)}>
          Show more servers
        </Button>
      )}
    </>
  );
}

const columnsOf = (org: string): Column<McpServer>[] => [
  { header: "Server", cell: (server) => <ServerName org={org} server={server} /> },
  {
    header: "Transport",
    cell: ({ transport }) => <span className="badge">{transportNames[transport]}</span>,
  },
  {
    header: "Command or address",
    isHiddenOnPhones: true,
    className: "target mono clip",
    cell: (server) => <span title={visibleText(targetOf(server))}>{visibleText(targetOf(server))}</span>,
  },
  { header: "Revision", isHiddenOnPhones: true, cell: ({ revision }) => revision },
  {
    header: "Changed",
    isHiddenOnPhones: true,
    className: "meta nowrap",
    cell: ({ updatedAt }) => <Time value={updatedAt} />,
  },
];

function ServerName({ org, server }: { org: string; server: McpServer }) {
  const { slug, name, description, restricted, source, edited } = server;
  return (
    <div className="stack gap-0">
      <span className="row">
        <Link className="clip" to="/$org/-/mcp/$server" params={{ org, server: slug }}>
          <b>{visibleText(name)}</b>
        </Link>
        <span className="mono dim clip">{slug}</span>
        {restricted && <Lock size={14} aria-label="in a restricted folder" />}
        {source === "catalog" && (
          <span className="badge">{edited ? "catalog, not followed" : "catalog"}</span>
        )}
      </span>
      {description !== "" && <span className="meta clip about">{visibleText(description)}</span>}
    </div>
  );
}
