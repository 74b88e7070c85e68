import "../../parts/charts/charts.css";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { numberText } from "../../../../contract/text/count-text.ts";
import type { Schemas } from "../../api/client.ts";
import { contextQuery } from "../../api/organization/organizations.ts";
import { seriesOf } from "../../parts/charts/series.ts";
import { ShareBar } from "../../parts/charts/share-bar.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Segments } from "../../parts/page/segments.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { saveCsv } from "../../parts/text/csv.ts";
import { toolNames } from "../../parts/text/tool-names.ts";
import { skillColumn } from "./skill-table.tsx";

const StackedBars = lazy(async () => ({
  default: (await import("../../parts/charts/stacked-bars.tsx")).StackedBars,
}));

type Data = Schemas["OrganizationContext"];
type Tool = Data["tools"][number];

/** Tools with a color of their own; the others share one. */
const shownTools = 5;

/** Tokens that installed skills take in the context of agents: people by tokens and tool, and the largest skills. */
export function ContextBudget({ org }: { org: string }) {
  return (
    <Loaded found={useQuery(contextQuery(org))} rows={4} rowHeight={44}>
      {(data) =>
        data.tools.length > 0 && (
          <>
            <People org={org} data={data} />
            <Largest org={org} data={data} />
          </>
        )
      }
    </Loaded>
  );
}

function People({ org, data }: { org: string; data: Data }) {
  const [isTable, setIsTable] = useState(false);
  const ranges = data.steps.map((from, at) => rangeOf(from, data.steps[at + 1]));
  const save = () =>
    saveCsv(`${org}-context.csv`, [
      ["tool", "people", "median", "maximum", ...ranges],
      ...data.tools.map((tool) => [
        tool.platform,
        tool.people,
        tool.median,
        tool.largest,
        ...tool.distribution,
      ]),
    ]);
  return (
    <section className="panel" aria-labelledby="context-heading">
      <header className="row wrap">
        <h2 id="context-heading" className="grow">
          Context budget
        </h2>
        <Segments
          label="View of the context budget"
          data={[
            { value: "chart", label: "Chart" },
            { value: "table", label: "Table" },
          ]}
          value={isTable ? "table" : "chart"}
          onChange={(value) => setIsTable(value === "table")}
        />
        <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={save}>
          CSV
        </Button>
      </header>
      <p className="body meta">
        A tool loads the names and descriptions of all skills that are installed for it. Token counts are
        estimates. A person with several machines counts with the one that loads the most.
        {!data.isComplete && " Only the first 50,000 tools on machines are counted."}
      </p>
      {isTable ? (
        <DataTable
          inPanel
          caption="Estimated tokens by tool"
          columns={toolColumns}
          rows={data.tools}
          keyOf={({ platform }) => platform}
        />
      ) : (
        <Suspense fallback={<div className="chart" />}>
          <Distribution tools={data.tools} ranges={ranges} />
        </Suspense>
      )}
    </section>
  );
}

function rangeOf(from: number, next: number | undefined): string {
  if (next === undefined) return `${numberText(from)} or more`;
  return from === 0 ? `below ${numberText(next)}` : `${numberText(from)} to ${numberText(next)}`;
}

function Distribution({ tools, ranges }: { tools: readonly Tool[]; ranges: readonly string[] }) {
  const rest = tools.slice(shownTools);
  const series = seriesOf([
    ...tools.slice(0, shownTools).map(({ platform }) => toolNames[platform]),
    ...(rest.length > 0 ? ["Other tools"] : []),
  ]);
  const rows = ranges.map((name, range) => ({
    name,
    ...Object.fromEntries(
      series.map((one, at) => {
        const counted = at < shownTools ? tools.slice(at, at + 1) : rest;
        return [one.name, counted.reduce((sum, tool) => sum + (tool.distribution[range] ?? 0), 0)];
      }),
    ),
  }));
  return <StackedBars label="People by estimated tokens and tool" series={series} rows={rows} />;
}

const toolColumns: Column<Tool>[] = [
  { header: "Tool", isRowHeader: true, cell: ({ platform }) => toolNames[platform] },
  { header: "People", align: "right", cell: ({ people }) => numberText(people) },
  { header: "Median", align: "right", cell: ({ median }) => `about ${numberText(median)} tokens` },
  { header: "Maximum", align: "right", cell: ({ largest }) => `about ${numberText(largest)} tokens` },
];

function Largest({ org, data }: { org: string; data: Data }) {
  return (
    <section className="panel" aria-label="Largest skills in context">
      <header>
        <h2 className="grow">Largest skills in context</h2>
        <span className="meta">share of all tokens that tools load</span>
      </header>
      <DataTable
        inPanel
        caption="Largest skills in context"
        columns={[skillColumn(org), ...skillColumns]}
        rows={data.skills}
        keyOf={({ skill }) => skill.id}
      />
    </section>
  );
}

const skillColumns: Column<Data["skills"][number]>[] = [
  { header: "Name and description", align: "right", cell: ({ idle }) => `about ${numberText(idle)} tokens` },
  {
    header: "In tools",
    align: "right",
    isHiddenOnPhones: true,
    cell: ({ setups }) => numberText(setups),
  },
  { header: "Share of all tokens", cell: ({ share }) => <ShareBar part={share} all={100} /> },
];
