import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { mcpToolOf } from "../../../../contract/mcp-entries/index.ts";
import { countText } from "../../../../contract/text/count-text.ts";
import {
  mcpAnalyticsQuery,
  mcpInstallsQuery,
  type McpAnalytics,
  type McpInstall,
  type McpServer,
} from "../../api/mcp-servers.ts";
import { memberColumn, Outdated, scopeNames, updatedColumn } from "../../parts/install-columns.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";

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
  memberColumn,
  { header: "Tool", cell: ({ platform }) => mcpToolOf(platform).label },
  {
    header: "Scope",
    className: "nowrap",
    cell: ({ scope, via }) => `${scopeNames[scope]}${via === "central" ? ", hosted" : ""}`,
  },
  {
    header: "Revision",
    className: "nowrap",
    cell: ({ revision, updateAvailable }) => (
      <>
        {revision} <Outdated isOutdated={updateAvailable} />
      </>
    ),
  },
  updatedColumn,
];
