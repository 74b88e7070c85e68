import "./jobs.css";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import {
  jobStates,
  metricRanges,
  type JobState,
  type MetricRange,
} from "../../../../../contract/vocabulary.ts";
import { AdminPage } from "../admin-page.tsx";
import { AdminProblem } from "../admin-problem.tsx";
import { LiveStatus, useLiveQueues } from "../use-live-queues.tsx";
import { JobDialog } from "./job-dialog.tsx";
import { JobList } from "./job-list.tsx";
import { Metrics } from "./metrics.tsx";
import { QueueTable } from "./queue-table.tsx";

/** The view of the page, which its address has: a link shows the same to another person. Defaults are left out. */
export interface JobView {
  queue?: string;
  state?: JobState;
  range?: MetricRange;
  /** Queue and id of the job whose details are open, as in `mail/12`. */
  job?: string;
}

const textOf = (value: unknown) =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value) : undefined;

export const Route = createFileRoute("/admin/jobs")({
  validateSearch: (raw: Record<string, unknown>): JobView => ({
    queue: textOf(raw["queue"]),
    state: jobStates.find((state) => state === raw["state"] && state !== "failed"),
    range: metricRanges.find((range) => range === raw["range"] && range !== "hour"),
    job: textOf(raw["job"]),
  }),
  component: JobsPage,
});

function JobsPage() {
  const view = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const live = useLiveQueues();
  const change = (part: JobView) =>
    void navigate({ search: (old) => ({ ...old, ...part }), resetScroll: false });
  const { queue, state = "failed", range = "hour", job } = view;
  const [jobQueue, ...rest] = job?.split("/") ?? [];
  return (
    <AdminPage
      title="Jobs"
      about="Work that outlives a request, by queue. A failed job stays until you retry or remove it."
      status={<LiveStatus state={live.state} />}
    >
      {live.queues === undefined && <AdminProblem error={live.error} retry={() => location.reload()} />}
      <QueueTable queues={live.queues} chosen={queue} onChoose={(name) => change({ queue: name })} />
      <JobList
        filter={{ queue, state }}
        queues={live.queues}
        onQueue={(name) => change({ queue: name })}
        onOpen={(one) => change({ job: `${one.queue}/${one.id}` })}
      />
      <Metrics queue={queue} range={range} onRange={(next) => change({ range: next })} />
      {jobQueue && rest.length > 0 && (
        <JobDialog queue={jobQueue} id={rest.join("/")} onClose={() => change({ job: undefined })} />
      )}
    </AdminPage>
  );
}
