import { useInfiniteQuery } from "@tanstack/react-query";
import { callsQuery, type ConnectorCall } from "../../../api/connectors.ts";
import { itemsOf } from "../../../parts/lists/found.ts";
import { PagedList } from "../../../parts/lists/paged-list.tsx";
import { sizeOf } from "../../../parts/size.ts";
import { Time } from "../../../parts/time.tsx";
import { visibleText } from "../../../parts/visible-text.ts";

const outcomes = {
  ok: { label: "OK", badge: "badge ok" },
  tool_error: { label: "Error of the tool", badge: "badge warn" },
  failed: { label: "Failed", badge: "badge danger" },
  timed_out: { label: "Timed out", badge: "badge danger" },
  cancelled: { label: "Cancelled", badge: "badge" },
} as const;

/** The calls of the user's agents in the last 7 days. They were recorded without arguments and results. */
export function Calls() {
  const found = useInfiniteQuery(callsQuery);
  const calls = itemsOf(found);
  return (
    <section className="panel" aria-labelledby="calls-heading">
      <header>
        <h2 id="calls-heading" className="grow">
          Calls of the last 7 days
        </h2>
      </header>
      <PagedList
        inPanel
        found={found}
        items={calls}
        rows={3}
        rowHeight={36}
        more="Show more"
        empty={
          <p className="body sub">No calls yet. Calls are listed without their arguments and results.</p>
        }
      >
        <CallTable calls={calls} />
      </PagedList>
    </section>
  );
}

function CallTable({ calls }: { calls: ConnectorCall[] }) {
  return (
    <div className="scroll">
      <table className="tbl">
        <caption className="sr">Calls through your connectors, latest first</caption>
        <thead>
          <tr>
            <th scope="col">Call</th>
            <th scope="col">Outcome</th>
            <th scope="col" className="right hide-s">
              Duration
            </th>
            <th scope="col" className="right hide-s">
              Result
            </th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <CallRow key={call.id} call={call} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CallRow({ call: { connector, kind, name, outcome, ms, bytes, at } }: { call: ConnectorCall }) {
  const { label, badge } = outcomes[outcome];
  return (
    <tr>
      <th scope="row" className="call">
        {/* The remote server chose the name. */}
        <span className="mono">{name === undefined ? `a ${kind}` : visibleText(name)}</span>{" "}
        <span className="meta">of {connector}</span>
      </th>
      <td>
        <span className={badge}>{label}</span>
      </td>
      <td className="right nowrap hide-s">{ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`}</td>
      <td className="right nowrap hide-s">{bytes === 0 ? "" : sizeOf(bytes)}</td>
      <td className="nowrap">
        <Time value={at} />
      </td>
    </tr>
  );
}
