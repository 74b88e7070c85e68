import "@mantine/charts/styles.layer.css";
import { AreaChart } from "@mantine/charts";
import type { Schemas } from "../../../api/client.ts";

const series = [
  { name: "cli", label: "CLI", color: "var(--accent-fill)" },
  { name: "web", label: "Web", color: "var(--violet)" },
  { name: "api", label: "API", color: "var(--warn)" },
];

/** Downloads by day, stacked by source. The same numbers are in the table view. */
export function Chart({ daily }: { daily: Schemas["SkillAnalytics"]["daily"] }) {
  return (
    <div
      className="chart"
      role="img"
      aria-label="Chart of downloads by day and source; the table has the numbers"
    >
      <AreaChart
        h={260}
        data={daily}
        dataKey="date"
        type="stacked"
        series={series}
        withDots={false}
        withLegend
        curveType="linear"
        areaChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
