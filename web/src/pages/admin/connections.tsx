import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { connectionsQuery, type AdminConnection } from "../../api/admin.ts";
import { Pager, usePages } from "../../parts/lists/pager.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Time } from "../../parts/time.tsx";
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
  const pages = usePages("");
  const found = useQuery(connectionsQuery(pages.cursor));
  const connections = found.data?.data ?? [];
  return (
    <section className="stack g3" aria-label="Connections">
      <AdminProblem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows height={48} />}
      {found.isSuccess && connections.length === 0 && (
        <p className="sub">No organization has connected a repository.</p>
      )}
      {connections.length > 0 && (
        <div className="panel scroll" data-dimmed={found.isPlaceholderData} data-live-list>
          <table className="tbl">
            <caption className="sr">Connections</caption>
            <thead>
              <tr>
                <th scope="col">Organization</th>
                <th scope="col">Status</th>
                <th scope="col" className="hide-s">
                  Last commit
                </th>
                <th scope="col" className="hide-s">
                  Last sync
                </th>
                <th scope="col" className="hide-s">
                  Lag
                </th>
                <th scope="col" className="hide-s">
                  Last failure
                </th>
              </tr>
            </thead>
            <tbody>
              {connections.map((connection) => (
                <Row key={connection.id} connection={connection} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Pager
        pages={pages}
        nextCursor={found.data?.nextCursor}
        isPending={found.isPlaceholderData}
        label="connections"
      />
    </section>
  );
}

function Row({ connection }: { connection: AdminConnection }) {
  const { organization, tenantId, repository, url, branch, host, lastCommit, lastSyncAt, lastLagMs } =
    connection;
  return (
    <tr>
      <th scope="row">
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
        <span className="block only-s error">
          <Failure connection={connection} />
        </span>
      </th>
      <td>
        <Status connection={connection} />
      </td>
      <td className="hide-s mono">{lastCommit?.slice(0, 10) ?? "–"}</td>
      <td className="hide-s nowrap">{lastSyncAt === null ? "never" : <Time value={lastSyncAt} />}</td>
      <td className="hide-s nowrap">{duration(lastLagMs)}</td>
      <td className="hide-s error">
        <Failure connection={connection} />
      </td>
    </tr>
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
