import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { countText, numberText } from "../../../../contract/text/count-text.ts";
import { syncRunsQuery, type SyncRun } from "../../api/organization/sync.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { itemsOf } from "../../parts/lists/found.ts";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Segments } from "../../parts/page/segments.tsx";
import { Time } from "../../parts/text/time.tsx";

type Direction = "all" | "from" | "to";
const isIn: Record<Direction, (run: SyncRun) => boolean> = {
  all: () => true,
  from: ({ imported, created, conflicts }) => imported + created + conflicts > 0,
  to: ({ exported, removed }) => exported + removed > 0,
};
const causes: Record<NonNullable<SyncRun["cause"]>, string> = {
  connected: "connected",
  change: "change here",
  webhook: "push",
  poll: "full check",
  manual: "by hand",
  settings: "settings",
  retry: "retry",
};

/** Syncs that changed something or failed, newest first. */
export function History({ org }: { org: string }) {
  const [direction, setDirection] = useState<Direction>("all");
  const found = useInfiniteQuery(syncRunsQuery(org));
  return (
    <ListSection
      inPanel
      title="History"
      aside={
        <Segments
          label="Direction"
          value={direction}
          onChange={(value) => setDirection(value)}
          data={[
            { value: "all", label: "All" },
            { value: "from", label: "From repository" },
            { value: "to", label: "To repository" },
          ]}
        />
      }
      found={found}
      items={itemsOf(found).filter(isIn[direction])}
      rows={3}
      rowHeight={44}
      more="Earlier syncs"
      empty={`No sync has changed anything${direction === "all" ? " yet" : " this way"}.`}
    >
      {(runs) => (
        <DataTable
          inPanel
          caption="Syncs, the latest first"
          columns={columns}
          rows={runs}
          keyOf={({ id }) => id}
        />
      )}
    </ListSection>
  );
}

const columns: Column<SyncRun>[] = [
  { header: "When", className: "nowrap", cell: ({ startedAt }) => <Time value={startedAt} /> },
  {
    header: "Cause",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ cause, by }) => (
      <>
        {cause === null ? "" : causes[cause]}
        {by && <span className="meta"> · {by.username}</span>}
      </>
    ),
  },
  { header: "What", cell: (run) => <Results run={run} /> },
];

function Results({ run }: { run: SyncRun }) {
  return (
    <>
      <span className="row wrap">
        {resultsOf(run).map(({ text, tone }) => (
          <span key={text} className={`badge ${tone}`}>
            {text}
          </span>
        ))}
        {run.commit && <code className="mono meta">{run.commit.slice(0, 7)}</code>}
      </span>
      {run.problem && <p className="meta">{run.problem.message}</p>}
      {run.refusals.length > 0 && (
        <details>
          <summary className="meta">Directories that could not be synced</summary>
          <ul className="sync-refusals">
            {run.refusals.map(({ path, message }) => (
              <li key={path}>
                <code className="mono">{path}</code>: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function resultsOf(run: SyncRun): { text: string; tone: string }[] {
  const counted: [number, string, string][] = [
    [run.created, "created", "ok"],
    [run.imported, "imported", "ok"],
    [run.exported, "written", ""],
    [run.removed, "removed", ""],
    [run.conflicts, "conflict", "warn"],
    [run.refused, "not synced", "warn"],
  ];
  const results = counted
    .filter(([count]) => count > 0)
    .map(([count, name, tone]) => ({
      text: name === "conflict" ? countText(count, name) : `${numberText(count)} ${name}`,
      tone,
    }));
  if (run.outcome === "running") results.unshift({ text: "running", tone: "accent" });
  if (run.outcome === "failed" || run.outcome === "blocked")
    results.unshift({ text: run.outcome, tone: "danger" });
  if (run.outcome === "stopped")
    results.unshift({ text: "interrupted, and continued by the next", tone: "warn" });
  return results.length > 0 ? results : [{ text: "nothing differed", tone: "" }];
}
