import { SegmentedControl } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { syncRunsQuery, type SyncRun } from "../../api/organization/sync.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { Time } from "../../parts/time.tsx";

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
  const runs = itemsOf(found).filter(isIn[direction]);
  return (
    <section className="panel" aria-labelledby="sync-history">
      <header>
        <h2 id="sync-history" className="grow">
          History
        </h2>
        <SegmentedControl
          aria-label="Direction"
          size="xs"
          value={direction}
          onChange={(value) => setDirection(value)}
          data={[
            { value: "all", label: "All" },
            { value: "from", label: "From repository" },
            { value: "to", label: "To repository" },
          ]}
        />
      </header>
      <PagedList
        inPanel
        found={found}
        items={runs}
        rows={3}
        rowHeight={44}
        more="Earlier syncs"
        empty={
          <p className="sync-base meta">
            No sync has changed anything{direction === "all" ? " yet" : " this way"}.
          </p>
        }
      >
        <Runs runs={runs} />
      </PagedList>
    </section>
  );
}

function Runs({ runs }: { runs: SyncRun[] }) {
  return (
    <table className="tbl">
      <caption className="sr">Syncs, the latest first</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col" className="hide-s">
            Cause
          </th>
          <th scope="col">What</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Run key={run.id} run={run} />
        ))}
      </tbody>
    </table>
  );
}

function Run({ run }: { run: SyncRun }) {
  return (
    <tr>
      <td className="nowrap">
        <Time value={run.startedAt} />
      </td>
      <td className="hide-s nowrap">
        {run.cause === null ? "" : causes[run.cause]}
        {run.by && <span className="meta"> · {run.by.username}</span>}
      </td>
      <td>
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
      </td>
    </tr>
  );
}

function resultsOf(run: SyncRun): { text: string; tone: string }[] {
  const counted: [number, string, string][] = [
    [run.created, "created", "ok"],
    [run.imported, "imported", "ok"],
    [run.exported, "written", ""],
    [run.removed, "removed", ""],
    [run.conflicts, run.conflicts === 1 ? "conflict" : "conflicts", "warn"],
    [run.refused, "not synced", "warn"],
  ];
  const results = counted
    .filter(([count]) => count > 0)
    .map(([count, name, tone]) => ({ text: `${count} ${name}`, tone }));
  if (run.outcome === "running") results.unshift({ text: "running", tone: "acc" });
  if (run.outcome === "failed" || run.outcome === "blocked")
    results.unshift({ text: run.outcome, tone: "danger" });
  if (run.outcome === "stopped")
    results.unshift({ text: "interrupted, and continued by the next", tone: "warn" });
  return results.length > 0 ? results : [{ text: "nothing differed", tone: "" }];
}
