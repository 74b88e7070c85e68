import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { foldersQuery } from "../../api/account/session.ts";
import { mcpRegistryQuery, type McpServer } from "../../api/mcp-servers.ts";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { Hosted } from "./hosted.tsx";
import { targetOf } from "./server-table.tsx";

const transports = {
  stdio: "local process (stdio)",
  http: "remote (streamable HTTP)",
  sse: "remote (SSE)",
} as const;

/** How tools connect, who sees the server, and its last change. */
export function ServerFacts({ org, server }: { org: string; server: McpServer }) {
  const { transport, revision, source, catalogName, catalogVersion, edited } = server;
  return (
    <aside className="rail" aria-label="About this server">
      <section>
        <h3>Connection</h3>
        <dl className="fact-list">
          <Fact label="Transport">{transports[transport]}</Fact>
          <Fact label={transport === "stdio" ? "Command" : "Address"}>
            <span className="mono">{visibleText(targetOf(server))}</span>
          </Fact>
        </dl>
      </section>
      <Hosted org={org} server={server} />
      <section>
        <h3>Access</h3>
        <Access org={org} server={server} />
      </section>
      <section>
        <h3>Revision</h3>
        <dl className="fact-list">
          <Fact label="Revision">{revision}</Fact>
          <Fact label="Saved">
            <Time value={server.updatedAt} />
          </Fact>
          <Fact label="Registered">
            <Time value={server.createdAt} />
            {server.createdBy !== null && ` by ${server.createdBy}`}
          </Fact>
          {source === "catalog" && (
            <Fact label="Catalog">
              <span className="mono">{catalogName}</span> {catalogVersion}
              {edited && ", which it does not follow"}
            </Fact>
          )}
        </dl>
        <p className="meta">
          Members take over a later revision with <span className="mono">svc mcp pull</span>.
        </p>
      </section>
    </aside>
  );
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
);

function Access({ org, server: { slug, folderId, restricted } }: { org: string; server: McpServer }) {
  const { data: registry } = useQuery(mcpRegistryQuery(org));
  const { data: folders } = useQuery({ ...foldersQuery(org), enabled: folderId !== null });
  const path = folders?.find(({ id }) => id === folderId)?.path;
  const who = restricted
    ? "Members with a grant on its folder see it."
    : "Members who may read MCP servers see it.";
  return (
    <div className="stack meta">
      {folderId !== null && (
        <p>
          In{" "}
          {path === undefined ? (
            "a folder"
          ) : (
            <Link to="/$org/-/library/$" params={{ org, _splat: path }}>
              {path}
            </Link>
          )}
          {restricted && ", which is restricted"}.
        </p>
      )}
      <p>{who}</p>
      {registry?.enabled && registry.listed?.includes(slug) && (
        <p>Anyone can read it in the organization&apos;s public MCP registry.</p>
      )}
    </div>
  );
}
