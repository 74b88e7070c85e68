import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { countText } from "../../../../contract/count-text.ts";
import { mcpToolOf } from "../../../../contract/mcp-entries/index.ts";
import {
  mcpAnalyticsQuery,
  mcpInstallsQuery,
  type McpAnalytics,
  type McpInstall,
  type McpServer,
} from "../../api/mcp-servers.ts";
import { Initials } from "../../parts/avatar.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Time } from "../../parts/time.tsx";
import { visibleText } from "../../parts/visible-text.ts";

/** Who has the server installed, and how many by revision and tool. */
export function Installs({ org, server }: { org: string; server: McpServer }) {
  const { data: analytics } = useQuery(mcpAnalyticsQuery(org, server.slug));
  const found = useInfiniteQuery(mcpInstallsQuery(org, server.slug));
  return (
    <ListSection
      title="Installs"
      found={found}
      rows={4}
      rowHeight={44}
      more="Show more installs"
      empty="No member has installed it. Installs with svc appear here."
    >
      {(installs) => (
        <div className="stack gap-3">
          {analytics && <Counts analytics={analytics} />}
          <DataTable
            caption="Installs by member, latest report first"
            scrollLabel="List of installs"
            columns={columns}
            rows={installs}
            keyOf={({ id }) => id}
          />
        </div>
      )}
    </ListSection>
  );
}

function Counts({ analytics }: { analytics: McpAnalytics }) {
  const { installs, members, outdated, platforms, revisions } = analytics;
  const places = countText(installs, "place");
  const tools = platforms.map((one) => `${mcpToolOf(one.platform).label} ${one.installs}`).join(", ");
  const numbers = revisions.map((one) => `${one.revision} (${one.installs})`).join(", ");
  return (
    <div className="stack gap-0 sub">
      <p>
        {countText(members, "member has", "members have")} it in {places},{" "}
        {outdated === 0 ? "none of them outdated" : `${outdated} of them outdated`}.
      </p>
      <p className="meta">
        By tool: {tools}. By revision: {numbers}.
      </p>
    </div>
  );
}

const columns: Column<McpInstall>[] = [
  {
    header: "Member",
    cell: ({ user }) => (
      <span className="row">
        <Initials name={user.name} />
        {visibleText(user.name)} <span className="dim">{user.username}</span>
      </span>
    ),
  },
  { header: "Tool", cell: ({ platform }) => mcpToolOf(platform).label },
  {
    header: "Scope",
    className: "nowrap",
    cell: ({ scope, via }) =>
      `${scope === "global" ? "everywhere" : "a project"}${via === "central" ? ", hosted" : ""}`,
  },
  {
    header: "Revision",
    className: "nowrap",
    cell: ({ revision, updateAvailable }) => (
      <>
        {revision} {updateAvailable && <span className="badge warn">outdated</span>}
      </>
    ),
  },
  { header: "Updated", className: "nowrap", cell: ({ updatedAt }) => <Time value={updatedAt} /> },
];
