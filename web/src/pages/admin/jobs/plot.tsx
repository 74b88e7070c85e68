import { numberText } from "../../../../../contract/text/count-text.ts";
import type { JobMetrics } from "../../../api/admin.ts";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { clockText, dayAndClockText } from "../../../parts/text/dates.ts";
import { duration } from "../figures.ts";

const clock = (at: string, withDay: boolean) => (withDay ? dayAndClockText : clockText)(at);

type Step = JobMetrics["steps"][number];
type Kind = "completed" | "failed" | "retried";

const heights = { completed: 96, failed: 44 };
const stepWidth = 10;
const kindNames: Record<Kind, string> = {
  completed: "completed",
  failed: "failed permanently",
  retried: "failed, tried again",
};

/**
 * Jobs over time: completed above, failed below, each with its own scale, so that color is not the only distinction.
 * The same figures are in a table.
 */
export function Plot({ metrics, subject }: { metrics: JobMetrics; subject: string }) {
  const { steps, stepSeconds, range } = metrics;
  const withDay = range !== "hour";
  const each = stepSeconds === 60 ? "minute" : duration(stepSeconds * 1000).replace(" 0 s", "");
  const total = (kind: Kind) => numberText(steps.reduce((sum, step) => sum + step[kind], 0));
  return (
    <figure className="plot stack gap-3">
      <figcaption className="meta">
        {`${subject}: ${total("completed")} completed, ${total("failed")} failed permanently, `}
        {`${total("retried")} attempts failed and were tried again. Each bar is one ${each}.`}
      </figcaption>
      <Panel
        title="Completed"
        steps={steps}
        height={heights.completed}
        withDay={withDay}
        kinds={["completed"]}
      />
      <Panel
        title="Failed"
        steps={steps}
        height={heights.failed}
        withDay={withDay}
        kinds={["failed", "retried"]}
      />
      <p className="axis meta" aria-hidden="true">
        {[0, Math.floor(steps.length / 2), steps.length - 1].map((index) => (
          <span key={index}>{steps[index] ? clock(steps[index].at, withDay) : ""}</span>
        ))}
      </p>
      <p className="row wrap meta">
        {(["completed", "failed", "retried"] as const).map((kind) => (
          <span key={kind} className="row">
            <span className={`swatch ${kind}`} aria-hidden="true" />
            {kindNames[kind]}
          </span>
        ))}
      </p>
      <Figures steps={steps} withDay={withDay} />
    </figure>
  );
}

interface PanelProps {
  title: string;
  steps: Step[];
  height: number;
  withDay: boolean;
  /** Stacked in this order, from below. */
  kinds: Kind[];
}

function Panel({ title, steps, height, withDay, kinds }: PanelProps) {
  const width = steps.length * stepWidth;
  const most = Math.max(1, ...steps.map((step) => kinds.reduce((sum, kind) => sum + step[kind], 0)));
  return (
    <div>
      <p className="row between meta">
        <span>{title}</span>
        <span>up to {numberText(most)}</span>
      </p>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} over time`}
        style={{ height }}
      >
        <line x1={0} x2={width} y1={height / 2} y2={height / 2} className="grid" />
        <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} className="base" />
        {steps.map((step, index) => (
          <Bars key={step.at} step={step} x={index * stepWidth + 1} {...{ kinds, most, height, withDay }} />
        ))}
      </svg>
    </div>
  );
}

interface BarsProps extends Pick<PanelProps, "kinds" | "height" | "withDay"> {
  step: Step;
  x: number;
  most: number;
}

function Bars({ step, x, kinds, most, height, withDay }: BarsProps) {
  const bars = kinds.map((kind, index) => {
    const below = kinds.slice(0, index).reduce((sum, one) => sum + step[one], 0);
    const size = step[kind] === 0 ? 0 : Math.max(1, (step[kind] / most) * height);
    return { kind, size, y: height - (below / most) * height - size };
  });
  return bars
    .filter(({ size }) => size > 0)
    .map(({ kind, size, y }) => (
      <rect key={kind} x={x} y={y} width={stepWidth - 2} height={size} className={kind}>
        <title>{`${clock(step.at, withDay)}: ${numberText(step[kind])} ${kindNames[kind]}`}</title>
      </rect>
    ));
}

function Figures({ steps, withDay }: { steps: Step[]; withDay: boolean }) {
  const busy = steps.filter((step) => step.completed + step.failed + step.retried > 0).toReversed();
  return (
    <details>
      <summary>Figures</summary>
      {busy.length === 0 ? (
        <p className="sub">No job ran in this time.</p>
      ) : (
        <DataTable
          inPanel
          caption="Jobs over time"
          scrollLabel="Figures of the chart"
          columns={columnsOf(withDay)}
          rows={busy}
          keyOf={({ at }) => at}
        />
      )}
    </details>
  );
}

const columnsOf = (withDay: boolean): Column<Step>[] => [
  { header: "From", isRowHeader: true, cell: ({ at }) => clock(at, withDay) },
  { header: "Completed", cell: ({ completed }) => numberText(completed) },
  { header: "Failed", cell: ({ failed }) => numberText(failed) },
  { header: "Tried again", cell: ({ retried }) => numberText(retried) },
  { header: "Average", cell: ({ averageMs }) => duration(averageMs) },
  { header: "Longest", cell: ({ maxMs }) => duration(maxMs) },
];
