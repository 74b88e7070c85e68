import "@mantine/charts/styles.layer.css";
import { BarChart } from "@mantine/charts";
import { shortDayText } from "../text/dates.ts";
import { ChartKeys } from "./chart-keys.tsx";
import type { Series } from "./series.ts";

interface Props {
  label: string;
  series: readonly Series[];
  /** A bar for each, with the values of the series by their names. */
  rows: readonly ({ name: string } & Record<string, number | string>)[];
  /** The names are dates. */
  hasDates?: boolean;
}

/** Bars that are stacked by series. The arrow keys move the tooltip from bar to bar. */
export function StackedBars({ label, series, rows, hasDates = false }: Props) {
  const maxTotal = rows.reduce(
    (found, row) =>
      Math.max(
        found,
        series.reduce((sum, { name }) => sum + Number(row[name] ?? 0), 0),
      ),
    0,
  );
  return (
    <div className="chart" role="group" aria-label={label}>
      <BarChart
        h={260}
        data={rows.map((row) => ({ ...row }))}
        dataKey="name"
        type="stacked"
        series={[...series]}
        gridAxis="x"
        tickLine="y"
        xAxisProps={{ ...(hasDates && { tickFormatter: shortDayText }), minTickGap: 24 }}
        yAxisProps={{ allowDecimals: false, domain: [0, Math.max(maxTotal, 4)] }}
        valueFormatter={(value) => value.toLocaleString("en")}
        barProps={{ isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: true }}
      />
      <ChartKeys series={series} />
    </div>
  );
}
