import type { Series } from "./series.ts";

/** The colors of a chart, with their names. */
export function ChartKeys({ series }: { series: readonly Series[] }) {
  return (
    <ul className="row wrap keys">
      {series.map(({ name, label, color }) => (
        <li key={name} className="row meta">
          <i style={{ background: color }} /> {label}
        </li>
      ))}
    </ul>
  );
}
