import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createFileRoute, Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck } from "lucide-react";
import { numberText } from "../../../../contract/text/count-text.ts";
import {
  connectionsQuery,
  healthQuery,
  heldVersionsQuery,
  openReportsQuery,
  serviceLogQuery,
  type Queue,
} from "../../api/admin.ts";
import { sentenceOf, sentenceText } from "../../parts/audit/text/sentence.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { itemsOf } from "../../parts/lists/found.ts";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { Time } from "../../parts/text/time.tsx";
import { AdminPage } from "./admin-page.tsx";
import { AdminProblem } from "./admin-problem.tsx";
import { attentionOf, type AttentionItem } from "./attention.ts";
import { checksOf, HealthChecks } from "./health-checks.tsx";
import { queueTitle } from "./jobs/titles.ts";
import { LiveStatus, useLiveQueues, type LiveQueues } from "./use-live-queues.tsx";

export const Route = createFileRoute("/admin")({ component: OverviewPage });

function OverviewPage() {
  const live = useLiveQueues();
  return (
    <AdminPage
      title="Administration"
      about="The state of the service, and what needs attention."
      status={<LiveStatus state={live.state} />}
    >
      <Overview live={live} />
    </AdminPage>
  );
}

function Overview({ live }: { live: LiveQueues }) {
  const health = useQuery(healthQuery);
  const connections = useInfiniteQuery(connectionsQuery);
  const reports = useInfiniteQuery(openReportsQuery);
  const held = useInfiniteQuery(heldVersionsQuery);
  const sources = [health, connections, reports, held];
  const failed = sources.find(({ error }) => error);
  const isPending = live.queues === undefined || sources.some((one) => one.isPending);
  const checks = health.data ? checksOf(health.data) : [];
  const items = attentionOf({
    queues: live.queues ?? [],
    checks,
    conditions: health.data?.conditions ?? [],
    connections: itemsOf(connections),
    reports: { count: itemsOf(reports).length, isMore: reports.hasNextPage },
    held: { count: itemsOf(held).length, isMore: held.hasNextPage },
  });
  return (
    <>
      <AdminProblem error={failed?.error ?? null} retry={() => void failed?.refetch()} />
      <section className="panel" aria-labelledby="attention-title">
        <header>
          <h2 id="attention-title">Needs attention</h2>
        </header>
        {isPending && !failed ? <SkeletonRows rows={1} height={44} /> : <Attention items={items} />}
      </section>
      {/* What precedes them would move them. */}
      {!sources.some((one) => one.isPending) && (
        <>
          {health.data && <HealthChecks checks={checks} />}
          {live.queues && <Queues queues={live.queues} />}
          <RecentActions />
        </>
      )}
    </>
  );
}

function Attention({ items }: { items: AttentionItem[] }) {
  return (
    <ul className="items">
      {items.length === 0 && (
        <li className="ok">
          <CircleCheck className="icon" /> Nothing needs attention.
        </li>
      )}
      {items.map(({ text, tone, link, label }) => (
        <li key={text}>
          <CircleAlert className={`icon ${tone}`} />
          <span className="grow">{text}</span>
          {link && <Link {...link}>{label}</Link>}
        </li>
      ))}
    </ul>
  );
}

function Queues({ queues }: { queues: Queue[] }) {
  return (
    <section className="panel" aria-labelledby="queues-title">
      <header>
        <h2 id="queues-title" className="grow">
          Queues
        </h2>
        <Link to="/admin/jobs">All jobs</Link>
      </header>
      <DataTable inPanel caption="Queues" columns={queueColumns} rows={queues} keyOf={({ name }) => name} />
    </section>
  );
}

const queueColumns: Column<Queue>[] = [
  {
    header: "Queue",
    isRowHeader: true,
    cell: ({ name, paused }) => (
      <span className="row">
        <Link to="/admin/jobs" search={{ queue: name }} title={name}>
          {queueTitle(name)}
        </Link>
        {paused && <span className="badge warn">paused</span>}
      </span>
    ),
  },
  {
    header: "Failed",
    align: "right",
    cell: ({ counts: { failed } }) => (
      <span className={failed > 0 ? "danger" : ""}>{numberText(failed)}</span>
    ),
  },
  { header: "Running", align: "right", cell: ({ counts }) => numberText(counts.active) },
  { header: "Waiting", align: "right", cell: ({ counts }) => numberText(counts.waiting) },
  {
    header: "Delayed",
    align: "right",
    isHiddenOnPhones: true,
    cell: ({ counts }) => numberText(counts.delayed),
  },
];

const actionsShown = 6;

function RecentActions() {
  const { data: log } = useQuery(serviceLogQuery({}, actionsShown));
  if (!log || log.entries.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="actions-title">
      <header>
        <h2 id="actions-title" className="grow">
          Recent actions
        </h2>
        <Link to="/admin/audit">Audit log</Link>
      </header>
      <ul className="items">
        {log.entries.map((entry) => (
          <li key={entry.id}>
            <b>{entry.actor.name}</b>
            <span className="grow clip" title={entry.action}>
              {sentenceText(sentenceOf(entry))}
            </span>
            <Time value={entry.createdAt} className="meta" />
          </li>
        ))}
      </ul>
    </section>
  );
}
