import "../charts/charts.css";
import "./downloads.css";
import { Button } from "@mantine/core";
import { Download } from "lucide-react";
import { lazy, Suspense } from "react";
import { Segments } from "../page/segments.tsx";
import { saveCsv } from "../text/csv.ts";
import { daysOf, ranges, type DownloadsSearch } from "./search.ts";
import { sources, totalOf, type Analytics } from "./sources.ts";
import { DownloadsTable } from "./table.tsx";

const StackedBars = lazy(async () => ({
  default: (await import("../charts/stacked-bars.tsx")).StackedBars,
}));

interface Props {
  search: DownloadsSearch;
  onSearch: (part: DownloadsSearch) => void;
  analytics: Analytics;
  /** Name of the file that is saved, without its ending. */
  name: string;
  /** Figures beside those of downloads. */
  figures?: readonly Figure[];
}

export interface Figure {
  label: string;
  value: number;
}

/** Downloads of a skill or an organization: their totals, and by day and source as a chart or a table. */
export function Downloads({ search, onSearch, analytics, name, figures = [] }: Props) {
  const { daily, previous, total, last7Days } = analytics;
  const days = daysOf(search);
  const inRange = daily.reduce((sum, day) => sum + totalOf(day), 0);
  const save = () =>
    saveCsv(`${name}-downloads.csv`, [
      ["date", ...sources.map((source) => source.name)],
      ...daily.map((day) => [day.date, ...sources.map((source) => day[source.name])]),
    ]);
  return (
    <>
      <dl className="figures">
        <FigureTile label={`Downloads in ${days} days`} value={inRange}>
          <Comparison now={inRange} before={previous} days={days} />
        </FigureTile>
        {days !== 7 && <FigureTile label="In the last 7 days" value={last7Days} />}
        <FigureTile label="In all" value={total} />
        {figures.map((figure) => (
          <FigureTile key={figure.label} {...figure} />
        ))}
      </dl>
      <section className="panel downloads" aria-labelledby="downloads-heading">
        <header className="row wrap">
          <h2 id="downloads-heading" className="grow">
            Downloads by day and source
          </h2>
          <Segments
            label="Time range"
            data={ranges.map((range) => ({ value: String(range), label: `${range} days` }))}
            value={String(days)}
            onChange={(value) => onSearch({ days: ranges.find((range) => String(range) === value) })}
          />
          <Segments
            label="View"
            data={[
              { value: "chart", label: "Chart" },
              { value: "table", label: "Table" },
            ]}
            value={search.as ?? "chart"}
            onChange={(value) => onSearch({ as: value === "table" ? "table" : undefined })}
          />
          <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={save}>
            CSV
          </Button>
        </header>
        {search.as === "table" ? (
          <DownloadsTable days={daily} />
        ) : (
          <Suspense fallback={<div className="chart" />}>
            <StackedBars
              hasDates
              label="Downloads by day and source"
              series={sources}
              rows={daily.map(({ date, ...counts }) => ({ name: date, ...counts }))}
            />
          </Suspense>
        )}
      </section>
    </>
  );
}

function FigureTile({ label, value, children }: Figure & { children?: React.ReactNode }) {
  return (
    <div className="panel">
      <dt className="meta">{label}</dt>
      <dd>
        {value.toLocaleString("en")}
        {children}
      </dd>
    </div>
  );
}

/** The change against the period before, in percent. */
function Comparison({ now, before, days }: { now: number; before: number; days: number }) {
  const period = `${days} days before`;
  if (before === 0) return <span className="meta">none in the {period}</span>;
  const percent = Math.round((now / before - 1) * 100);
  const tone = percent > 0 ? "meta ok" : percent < 0 ? "meta danger" : "meta";
  return (
    <span className={tone}>
      {percent > 0 ? "+" : percent < 0 ? "−" : "±"}
      {Math.abs(percent).toLocaleString("en")} % to the {period} ({before.toLocaleString("en")})
    </span>
  );
}
