import "./share-bar.css";

/** A share in percent, with a bar. */
export function ShareBar({ part, all }: { part: number; all: number }) {
  const percent = all === 0 ? 0 : (part / all) * 100;
  return (
    <span className="row">
      <span className="share-bar" aria-hidden="true">
        <i style={{ width: `${percent}%` }} />
      </span>
      {Math.round(percent)}&nbsp;%
    </span>
  );
}
