import "./analytics.css";
import { Button, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { lazy, Suspense } from "react";
import { skillAnalyticsQuery } from "../../../api/skills.ts";
import { saveCsv } from "../../../parts/csv.ts";
import { DownloadsTable } from "../../../parts/downloads-table.tsx";
import { SkeletonRows } from "../../../parts/skeleton-rows.tsx";
import { useSkillAddress } from "../context.ts";
import { Problem, TabProblem } from "../tab-failed.tsx";
import { VersionTable } from "./version-table.tsx";

const Chart = lazy(async () => ({ default: (await import("./chart.tsx")).Chart }));
const ranges = [7, 30, 90, 365];

interface Search {
  days?: number;
  as?: "table";
}

export const Route = createFileRoute("/$org/$slug/analytics")({
  validateSearch: (raw: Record<string, unknown>): Search => ({
    days: ranges.find((days) => days === raw["days"]),
    as: raw["as"] === "table" ? "table" : undefined,
  }),
  errorComponent: TabProblem,
  component: Analytics,
});

function Analytics() {
  const { days = 30, as } = Route.useSearch();
  const { slug, ref } = useSkillAddress();
  const found = useQuery({ ...skillAnalyticsQuery(ref, days), placeholderData: keepPreviousData });
  if (found.isError) return <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <SkeletonRows />;
  const { total, last7Days, last30Days, daily, versions } = found.data;
  const save = () =>
    saveCsv(`${slug}-downloads.csv`, [
      ["date", "cli", "web", "api"],
      ...daily.map(({ date, cli, web, api }) => [date, cli, web, api]),
    ]);
  return (
    <section className="tab-content stack gap-6" aria-label="Downloads" data-dimmed={found.isPlaceholderData}>
      <dl className="totals">
        <Total label="In total" value={total} />
        <Total label="Last 7 days" value={last7Days} />
        <Total label="Last 30 days" value={last30Days} />
      </dl>
      <div className="panel">
        <header className="row wrap">
          <h2 className="grow">Downloads by day and source</h2>
          <Choices days={days} isTable={as === "table"} />
          <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={save}>
            CSV
          </Button>
        </header>
        {as === "table" ? (
          <DownloadsTable days={daily} />
        ) : (
          <Suspense fallback={<div className="chart" />}>
            <Chart daily={daily} />
          </Suspense>
        )}
      </div>
      {versions.length > 0 && <VersionTable versions={versions} days={days} />}
    </section>
  );
}

const Total = ({ label, value }: { label: string; value: number }) => (
  <div>
    <dt className="meta">{label}</dt>
    <dd className="total">{value.toLocaleString("en")}</dd>
  </div>
);

function Choices({ days, isTable }: { days: number; isTable: boolean }) {
  const navigate = Route.useNavigate();
  return (
    <>
      <SegmentedControl
        aria-label="Time range"
        size="xs"
        data={ranges.map((range) => ({ value: String(range), label: `${range} days` }))}
        value={String(days)}
        onChange={(value) =>
          void navigate({ search: (old) => ({ ...old, days: Number(value) }), replace: true })
        }
      />
      <SegmentedControl
        aria-label="View"
        size="xs"
        data={[
          { value: "chart", label: "Chart" },
          { value: "table", label: "Table" },
        ]}
        value={isTable ? "table" : "chart"}
        onChange={(value) =>
          void navigate({
            search: (old) => ({ ...old, as: value === "table" ? ("table" as const) : undefined }),
            replace: true,
          })
        }
      />
    </>
  );
}
