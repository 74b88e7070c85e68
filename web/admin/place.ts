/** What the page shows, as its address says it: a link to it shows the same to somebody else. */
import { jobStates, metricRanges, type JobState, type MetricRange } from "../../contract/vocabulary.ts";

export interface Place {
  /** Empty for all queues. */
  queue: string;
  state: JobState;
  range: MetricRange;
  /** The job whose detail is open. */
  job: { queue: string; id: string } | undefined;
}

const first: Place = { queue: "", state: "failed", range: "hour", job: undefined };

export function readPlace(search: string): Place {
  const given = new URLSearchParams(search);
  const [queue, ...rest] = (given.get("job") ?? "").split("/");
  const id = rest.join("/");
  return {
    queue: given.get("queue") ?? first.queue,
    state: jobStates.find((state) => state === given.get("state")) ?? first.state,
    range: metricRanges.find((range) => range === given.get("range")) ?? first.range,
    job: queue && id ? { queue, id } : undefined,
  };
}

/** The address of a place; what is as at first is left out. */
export function addressOf({ queue, state, range, job }: Place): string {
  const told = new URLSearchParams();
  if (queue !== first.queue) told.set("queue", queue);
  if (state !== first.state) told.set("state", state);
  if (range !== first.range) told.set("range", range);
  if (job) told.set("job", `${job.queue}/${job.id}`);
  const search = told.toString();
  return `${location.pathname}${search === "" ? "" : `?${search}`}`;
}
