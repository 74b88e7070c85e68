import "../../../parts/charts/charts.css";
import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Schemas } from "../../../api/client.ts";
import { adoptionQuery } from "../../../api/skills/skills.ts";
import { seriesOf } from "../../../parts/charts/series.ts";
import { ShareBar } from "../../../parts/charts/share-bar.tsx";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { Segments } from "../../../parts/page/segments.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { saveCsv } from "../../../parts/text/csv.ts";
import { dayText } from "../../../parts/text/dates.ts";
import { Time } from "../../../parts/text/time.tsx";
import { useSkillAddress } from "../context.ts";

const StackedBars = lazy(async () => ({
  default: (await import("../../../parts/charts/stacked-bars.tsx")).StackedBars,
}));
const ShareLines = lazy(async () => ({
  default: (await import("../../../parts/charts/share-lines.tsx")).ShareLines,
}));

type Data = Schemas["SkillAdoption"];
type Release = Data["releases"][number];
type View = "releases" | "versions" | "table";

/** How fast releases were installed, and which versions were installed on each day. */
export function Adoption({ days }: { days: number }) {
  const { ref } = useSkillAddress();
  const found = useQuery({ ...adoptionQuery(ref, days), placeholderData: keepPreviousData });
  return (
    <Loaded found={found} rows={4}>
      {(data) => <Panel data={data} days={days} />}
    </Loaded>
  );
}

function Panel({ data, days }: { data: Data; days: number }) {
  const { slug } = useSkillAddress();
  const [view, setView] = useState<View>("releases");
  const today = data.daily.at(-1);
  if (!today || data.daily.every(({ installs }) => installs === 0)) return null;
  const save = () =>
    saveCsv(`${slug}-adoption.csv`, [
      ["date", "installs", "newest", "on newest", ...data.versions.map(({ semver }) => semver)],
      ...data.daily.map(({ date, installs, newest, onNewest, versions }) => [
        date,
        installs,
        newest ?? "",
        onNewest,
        ...versions,
      ]),
    ]);
  return (
    <section className="panel" aria-labelledby="adoption-heading">
      <header className="row wrap">
        <h2 id="adoption-heading" className="grow">
          Adoption
        </h2>
        <Segments
          label="View of the adoption"
          data={[
            { value: "releases", label: "After release" },
            { value: "versions", label: "By version" },
            { value: "table", label: "Table" },
          ]}
          value={view}
          onChange={(value) => setView(value)}
        />
        <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={save}>
          CSV
        </Button>
      </header>
      <p className="body meta">{summaryOf(data, days)}</p>
      {view === "table" ? (
        <DataTable
          inPanel
          caption="Share of the installs with each release"
          scrollLabel="Adoption of releases"
          columns={columns}
          rows={data.releases}
          keyOf={({ version }) => version}
        />
      ) : (
        <Suspense fallback={<div className="chart" />}>
          {view === "releases" ? <AfterRelease releases={data.releases} /> : <ByVersion data={data} />}
        </Suspense>
      )}
    </section>
  );
}

function summaryOf({ daily }: Data, days: number): string {
  const { installs, newest, onNewest } = daily.at(-1)!;
  const now =
    newest === null || installs === 0
      ? "Nothing is installed now."
      : `${onNewest} of ${installs} installs have ${newest} or a higher version.`;
  const since = daily[0]!.date;
  return daily.length < days ? `${now} Recorded since ${dayText(since)}.` : now;
}

const dayPrefix = "Day ";

/** A line per release: the share of installs with it, or a higher version, by days after it. */
function AfterRelease({ releases }: { releases: readonly Release[] }) {
  const series = seriesOf(releases.map(({ semver }) => semver));
  const rows = new Map<number, { name: string } & Record<string, number | string>>();
  releases.forEach((release, at) => {
    const start = Date.parse(release.releasedAt.slice(0, 10));
    for (const { date, installs, adopted } of release.daily) {
      if (installs === 0) continue;
      const day = Math.round((Date.parse(date) - start) / 86_400_000);
      const row = rows.get(day) ?? { name: `${dayPrefix}${day}` };
      rows.set(day, { ...row, [`s${at}`]: Math.round((adopted / installs) * 100) });
    }
  });
  return (
    <ShareLines
      label="Share of the installs with a release, by days after it"
      series={series}
      rows={[...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row)}
      formatName={(name) => name.slice(dayPrefix.length)}
      xLabel="Days after the release"
    />
  );
}

function ByVersion({ data: { versions, daily } }: { data: Data }) {
  const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  const hasOthers = daily.some((day) => day.installs > sumOf(day.versions));
  const series = seriesOf([
    ...versions.map(({ semver }) => semver),
    ...(hasOthers ? ["Other versions"] : []),
  ]);
  const rows = daily.map((day) => {
    const counts = [...day.versions, day.installs - sumOf(day.versions)];
    return { name: day.date, ...Object.fromEntries(series.map(({ name }, at) => [name, counts[at] ?? 0])) };
  });
  return <StackedBars hasDates label="Installs by day and version" series={series} rows={rows} />;
}

/** Share of the installs that had the release, or a higher version, some days after it. */
function ShareAfter({ release, days }: { release: Release; days: number }) {
  const start = Date.parse(release.releasedAt.slice(0, 10));
  const day = release.daily.find(({ date }) => Date.parse(date) - start === days * 86_400_000);
  return day && day.installs > 0 ? `${Math.round((day.adopted / day.installs) * 100)} %` : "–";
}

const columns: Column<Release>[] = [
  { header: "Release", className: "mono", isRowHeader: true, cell: ({ semver }) => semver },
  { header: "Released", cell: ({ releasedAt }) => <Time value={releasedAt} /> },
  ...[1, 7, 30].map((days): Column<Release> => ({
    header: days === 1 ? "After 1 day" : `After ${days} days`,
    align: "right",
    cell: (release) => <ShareAfter release={release} days={days} />,
  })),
  {
    header: "Now",
    cell: ({ daily }) => <ShareBar part={daily.at(-1)?.adopted ?? 0} all={daily.at(-1)?.installs ?? 0} />,
  },
];
