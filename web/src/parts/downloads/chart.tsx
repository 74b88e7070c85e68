import "@mantine/charts/styles.layer.css";
import { BarChart } from "@mantine/charts";
import { shortDayText } from "../dates.ts";
import { sources, totalOf, type Day } from "./sources.ts";

/** Downloads by day, stacked by source. The arrow keys move the tooltip from day to day. */
export function Chart({ days }: { days: readonly Day[] }) {
  const most = days.reduce((found, day) => Math.max(found, totalOf(day)), 0);
  return (
    <div className="downloads-chart" role="group" aria-label="Downloads by day and source">
      <BarChart
        h={260}
        data={days.map((day) => ({ ...day }))}
        dataKey="date"
        type="stacked"
        series={[...sources]}
        gridAxis="x"
        tickLine="y"
        xAxisProps={{ tickFormatter: shortDayText, minTickGap: 24 }}
        yAxisProps={{ allowDecimals: false, domain: [0, Math.max(most, 4)] }}
        valueFormatter={(value) => value.toLocaleString("en")}
        barProps={{ isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: true }}
      />
      <ul className="row keys">
        {sources.map(({ name, label, color }) => (
          <li key={name} className="row meta">
            <i style={{ background: color }} /> {label}
          </li>
        ))}
      </ul>
    </div>
  );
}
