const width = 288;
const height = 40;

interface Props {
  values: readonly number[];
  /** States what it shows; without one, it is a decoration of figures next to it. */
  label?: string;
}

/** A small chart of a series without axes. */
export function Sparkline({ values, label }: Props) {
  const top = Math.max(1, ...values);
  const points = values.map((value, index) => {
    const x = values.length > 1 ? (index / (values.length - 1)) * width : 0;
    return `${x.toFixed(1)},${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`;
  });
  if (points.length < 2) return null;
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role={label === undefined ? undefined : "img"}
      aria-hidden={label === undefined}
      aria-label={label}
    >
      <polygon className="area" points={`0,${height} ${points.join(" ")} ${width},${height}`} />
      <polyline className="line" points={points.join(" ")} />
    </svg>
  );
}
