import { useInfiniteQuery } from "@tanstack/react-query";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { callsQuery, type ConnectorCall } from "../../../api/connectors.ts";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { ListSection } from "../../../parts/lists/list-section.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

const outcomes = {
  ok: { label: "OK", badge: "badge ok" },
  tool_error: { label: "Error of the tool", badge: "badge warn" },
  failed: { label: "Failed", badge: "badge danger" },
  timed_out: { label: "Timed out", badge: "badge danger" },
  cancelled: { label: "Cancelled", badge: "badge" },
} as const;

/** The calls of the user's agents in the last 7 days. They were recorded without arguments and results. */
export function Calls() {
  return (
    <ListSection
      inPanel
      title="Calls of the last 7 days"
      found={useInfiniteQuery(callsQuery)}
      rows={3}
      rowHeight={36}
      empty="No calls yet. Calls are listed without their arguments and results."
    >
      {(calls) => (
        <DataTable
          inPanel
          caption="Calls through your connectors, latest first"
          columns={columns}
          rows={calls}
          keyOf={({ id }) => id}
        />
      )}
    </ListSection>
  );
}

const columns: Column<ConnectorCall>[] = [
  {
    header: "Call",
    isRowHeader: true,
    className: "call",
    cell: ({ connector, kind, name }) => (
      <>
        {/* The remote server chose the name. */}
        <span className="mono">{name === undefined ? `a ${kind}` : visibleText(name)}</span>{" "}
        <span className="meta">of {connector}</span>
      </>
    ),
  },
  {
    header: "Outcome",
    cell: ({ outcome }) => <span className={outcomes[outcome].badge}>{outcomes[outcome].label}</span>,
  },
  {
    header: "Duration",
    align: "right",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ ms }) => (ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`),
  },
  {
    header: "Result",
    align: "right",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ bytes }) => (bytes === 0 ? "" : bytesText(bytes)),
  },
  { header: "When", className: "nowrap", cell: ({ at }) => <Time value={at} /> },
];
