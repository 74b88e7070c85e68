import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { useState } from "react";
import type { McpServer } from "../../api/mcp-servers.ts";
import { Time } from "../../parts/time.tsx";
import { visibleText } from "../../parts/visible-text.ts";

export const transportNames = { stdio: "local", http: "HTTP", sse: "SSE" } as const;

/** The command line or address that a tool uses. */
export function targetOf({ command = "", args, url }: McpServer): string {
  return url ?? [command, ...args].join(" ");
}

/** Rows that are drawn at first, and with each click on the button below. */
const rowsAtOnce = 200;

export function ServerTable({ org, servers }: { org: string; servers: McpServer[] }) {
  const [most, setMost] = useState(rowsAtOnce);
  return (
    <>
      <Table org={org} servers={servers.slice(0, most)} />
      {servers.length > most && (
        <Button variant="default" w="fit-content" onClick={() => setMost(most + rowsAtOnce)}>
          Show further servers
        </Button>
      )}
    </>
  );
}

function Table({ org, servers }: { org: string; servers: McpServer[] }) {
  return (
    <div className="panel scrollx mcp-table" tabIndex={0} role="region" aria-label="List of servers">
      <table className="tbl">
        <caption className="sr">MCP servers</caption>
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">Transport</th>
            <th scope="col" className="hide-s">
              Command or address
            </th>
            <th scope="col" className="hide-s">
              Revision
            </th>
            <th scope="col" className="hide-s">
              Changed
            </th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <tr key={server.id}>
              <td>
                <ServerName org={org} server={server} />
              </td>
              <td>
                <span className="badge">{transportNames[server.transport]}</span>
              </td>
              <td className="hide-s target mono clip" title={visibleText(targetOf(server))}>
                {visibleText(targetOf(server))}
              </td>
              <td className="hide-s">{server.revision}</td>
              <td className="meta hide-s nowrap">
                <Time value={server.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ServerName({ org, server }: { org: string; server: McpServer }) {
  const { slug, name, description, restricted, source, edited } = server;
  return (
    <div className="stack g0">
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
