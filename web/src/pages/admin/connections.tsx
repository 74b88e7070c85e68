import { useInfiniteQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { connectionsQuery, type AdminConnection } from "../../api/admin.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Time } from "../../parts/text/time.tsx";
import { AdminPage } from "./admin-page.tsx";
import { AdminProblem } from "./admin-problem.tsx";
import { duration } from "./figures.ts";

export const Route = createFileRoute("/admin/connections")({ component: ConnectionsPage });

function ConnectionsPage() {
  return (
    <AdminPage
      title="Connections"
      about="Repositories that organizations have connected. Those with a problem come first."
    >
      <Connections />
    </AdminPage>
  );
}

function Connections() {
  const found = useInfiniteQuery(connectionsQuery);
  return (
    <ListSection
      label="Connections"
      found={found}
      empty="No organization has connected a repository."
      Failure={AdminProblem}
    >
      {(connections) => (
        <DataTable caption="Connections" columns={columns} rows={connections} keyOf={({ id }) => id} />
      )}
    </ListSection>
  );
}

const columns: Column<AdminConnection>[] = [
  {
    header: "Organization",
    isRowHeader: true,
    cell: (connection) => <Name connection={connection} />,
  },
  { header: "Status", cell: (connection) => <Status connection={connection} /> },
  {
    header: "Last commit",
    isHiddenOnPhones: true,
    className: "mono",
    cell: ({ lastCommit }) => lastCommit?.slice(0, 10) ?? "–",
  },
  {
    header: "Last sync",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ lastSyncAt }) => (lastSyncAt === null ? "never" : <Time value={lastSyncAt} />),
  },
  {
    header: "Lag",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ lagMs, lastLagMs }) =>
      lagMs === null ? duration(lastLagMs) : <span className="error">{duration(lagMs)} so far</span>,
  },
  {
    header: "Last failure",
    isHiddenOnPhones: true,
    className: "error",
    cell: (connection) => <Failure connection={connection} />,
  },
];

function Name({ connection }: { connection: AdminConnection }) {
  const { organization, tenantId, repository, url, branch, host } = connection;
  return (
    <>
      {organization?.name ?? <span className="dim">erased organization</span>}{" "}
      <span className="meta">{organization?.slug ?? tenantId}</span>
      <span className="meta block">
        {url === null ? (
          repository
        ) : (
          <a href={url} rel="noreferrer" target="_blank">
            {repository}
          </a>
        )}
        , {branch}, {host}
      </span>
      <span className="block only-on-phones error">
        <Failure connection={connection} />
      </span>
    </>
  );
}

function Status({ connection: { status, waitingSince } }: { connection: AdminConnection }) {
  const tone = { active: "ok", blocked: "danger", failing: "warn" }[status] ?? "";
  return (
    <>
      <span className={`badge ${tone}`}>{status}</span>
      {waitingSince !== null && (
        <span className="meta block">
          waits since <Time value={waitingSince} />
        </span>
      )}
    </>
  );
}

/** The current problem, or else the last one, which is over. */
function Failure({ connection: { problem, lastProblem, failures } }: { connection: AdminConnection }) {
  const shown = problem ?? lastProblem;
  if (!shown) return <span className="dim">–</span>;
  return (
    <span className={problem ? "" : "dim"}>
      {problem ? "" : "Over: "}
      {shown.message}{" "}
      <span className="meta">
        {shown.code}, <Time value={shown.at} />
        {problem && failures > 0 && `, ${failures} in a row`}
      </span>
    </span>
  );
}
