/** The state of the page, which its address contains: a link to the page shows the same to another person. */
import { jobStates, metricRanges, type JobState, type MetricRange } from "../../contract/vocabulary.ts";

export interface ViewState {
  /** Empty for all queues. */
  queue: string;
  state: JobState;
  range: MetricRange;
  /** The job whose detail is open. */
  job: { queue: string; id: string } | undefined;
}

const defaults: ViewState = { queue: "", state: "failed", range: "hour", job: undefined };

export function readViewState(search: string): ViewState {
  const given = new URLSearchParams(search);
  const [queue, ...rest] = (given.get("job") ?? "").split("/");
  const id = rest.join("/");
  return {
    queue: given.get("queue") ?? defaults.queue,
    state: jobStates.find((state) => state === given.get("state")) ?? defaults.state,
    range: metricRanges.find((range) => range === given.get("range")) ?? defaults.range,
    job: queue && id ? { queue, id } : undefined,
  };
}

/** The address of a state, without values that are the default. */
export function addressOf({ queue, state, range, job }: ViewState): string {
  const query = new URLSearchParams();
  if (queue !== defaults.queue) query.set("queue", queue);
  if (state !== defaults.state) query.set("state", state);
  if (range !== defaults.range) query.set("range", range);
  if (job) query.set("job", `${job.queue}/${job.id}`);
  const search = query.toString();
  return `${location.pathname}${search === "" ? "" : `?${search}`}`;
}
