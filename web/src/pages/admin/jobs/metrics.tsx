import { useQuery } from "@tanstack/react-query";
import { metricRanges, type MetricRange } from "../../../../../contract/vocabulary.ts";
import { metricsQuery } from "../../../api/admin.ts";
import { Segments } from "../../../parts/page/segments.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { AdminProblem } from "../admin-problem.tsx";
import { Plot } from "./plot.tsx";

const rangeNames: Record<MetricRange, string> = { hour: "Last hour", day: "Last day", week: "Last week" };

interface Props {
  queue: string | undefined;
  range: MetricRange;
  onRange: (range: MetricRange | undefined) => void;
}

/** Results of jobs over time. */
export function Metrics({ queue, range, onRange }: Props) {
  const metrics = useQuery(metricsQuery(range, queue));
  return (
    <section className="panel" aria-labelledby="metrics-title">
      <header className="wrap">
        <h2 id="metrics-title" className="grow">
          Over time
        </h2>
        <Segments
          label="Time span"
          data={metricRanges.map((value) => ({ value, label: rangeNames[value] }))}
          value={range}
          onChange={(value) => onRange(value === "hour" ? undefined : value)}
        />
      </header>
      <div className="body" data-dimmed={metrics.isPlaceholderData}>
        <Loaded found={metrics} rows={3} Failure={AdminProblem}>
          {(data) => <Plot metrics={data} subject={queue ?? "All queues"} />}
        </Loaded>
      </div>
    </section>
  );
}
