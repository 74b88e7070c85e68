/** Values that a chart shows in one color. */
export interface Series {
  /** Field of the rows. */
  name: string;
  label: string;
  color: string;
  strokeDasharray?: string;
}

const colors = ["--accent-fill", "--ok", "--violet", "--warn", "--danger", "--ink-3"];
const dashes = [undefined, "6 3", "2 3", "10 3 2 3", "1 4", "12 4"];

/** At most six series, such as versions or tools; their colors carry no meaning. */
export const seriesOf = (labels: readonly string[]): Series[] =>
  labels.map((label, at) => ({
    name: `s${at}`,
    label,
    color: `var(${colors[at % colors.length]!})`,
    strokeDasharray: dashes[at % dashes.length],
  }));
