import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { mcpToolOf } from "../../../../contract/mcp-entries/index.ts";
import {
  mcpAnalyticsQuery,
  mcpInstallsQuery,
  type McpAnalytics,
  type McpInstall,
  type McpServer,
} from "../../api/mcp-servers.ts";
import { Initials } from "../../parts/avatar.tsx";
import { itemsOf } from "../../parts/lists/found.ts";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { Time } from "../../parts/time.tsx";
import { visibleText } from "../../parts/visible-text.ts";

/** Who has the server installed, and how many by revision and tool. */
export function Installs({ org, server }: { org: string; server: McpServer }) {
  const { data: analytics } = useQuery(mcpAnalyticsQuery(org, server.slug));
  const found = useInfiniteQuery(mcpInstallsQuery(org, server.slug));
  const installs = itemsOf(found);
  return (
    <section className="stack g3" aria-labelledby="installs">
      <h2 id="installs">Installs</h2>
      <PagedList
        found={found}
        items={installs}
        rowHeight={44}
        more="Show further installs"
        empty={<p className="sub">No member has installed it. Installs with svc appear here.</p>}
      >
        {analytics && <Counts analytics={analytics} />}
        <InstallTable installs={installs} />
      </PagedList>
    </section>
  );
}

function Counts({ analytics }: { analytics: McpAnalytics }) {
  const { installs, members, outdated, platforms, revisions } = analytics;
  const places = installs === 1 ? "1 place" : `${installs} places`;
  const tools = platforms.map((one) => `${mcpToolOf(one.platform).label} ${one.installs}`).join(", ");
  const numbers = revisions.map((one) => `${one.revision} (${one.installs})`).join(", ");
  return (
    <div className="stack g0 sub">
      <p>
        {members === 1 ? "1 member has" : `${members} members have`} it in {places},{" "}
        {outdated === 0 ? "none of them outdated" : `${outdated} of them outdated`}.
      </p>
      <p className="meta">
        By tool: {tools}. By revision: {numbers}.
      </p>
    </div>
  );
}

function InstallTable({ installs }: { installs: McpInstall[] }) {
  return (
    <div className="panel scrollx" tabIndex={0} role="region" aria-label="List of installs">
      <table className="tbl">
        <caption className="sr">Installs by member, latest report first</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Tool</th>
            <th scope="col">Scope</th>
            <th scope="col">Revision</th>
            <th scope="col">Updated</th>
          </tr>
        </thead>
        <tbody>
          {installs.map((install) => (
            <tr key={install.id}>
              <td>
                <Member user={install.user} />
              </td>
              <td>{mcpToolOf(install.platform).label}</td>
              <td className="nowrap">
                {install.scope === "global" ? "everywhere" : "a project"}
                {install.via === "central" && ", hosted"}
              </td>
              <td className="nowrap">
                {install.revision} {install.updateAvailable && <span className="badge warn">outdated</span>}
              </td>
              <td className="nowrap">
                <Time value={install.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Member({ user }: { user: McpInstall["user"] }) {
  return (
    <span className="row">
      <Initials name={user.name} />
      {visibleText(user.name)} <span className="dim">{user.username}</span>
    </span>
  );
}
