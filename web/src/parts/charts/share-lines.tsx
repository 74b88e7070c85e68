import "@mantine/charts/styles.layer.css";
import { LineChart } from "@mantine/charts";
import { ChartKeys } from "./chart-keys.tsx";
import type { Series } from "./series.ts";

interface Props {
  label: string;
  series: readonly Series[];
  /** The percentages of the series by their names; a row without a value has no point. */
  rows: readonly ({ name: string } & Record<string, number | string>)[];
  /** Text of a row's name at the axis. */
  formatName: (name: string) => string;
  xLabel: string;
}

/** Lines of percentages. The arrow keys move the tooltip from point to point. */
export function ShareLines({ label, series, rows, formatName, xLabel }: Props) {
  return (
    <div className="chart" role="group" aria-label={label}>
      <LineChart
        h={260}
        data={rows.map((row) => ({ ...row }))}
        dataKey="name"
        series={[...series]}
        curveType="linear"
        withDots={rows.length < 32}
        dotProps={{ r: 3 }}
        strokeWidth={2}
        gridAxis="x"
        tickLine="y"
        xAxisLabel={xLabel}
        xAxisProps={{ tickFormatter: formatName, minTickGap: 24 }}
        yAxisProps={{ domain: [0, 100], ticks: [0, 25, 50, 75, 100] }}
        unit=" %"
        lineProps={{ isAnimationActive: false }}
        lineChartProps={{ accessibilityLayer: true, margin: { top: 8, bottom: 30 } }}
      />
      <ChartKeys series={series} />
    </div>
  );
}
