import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { countText, numberText } from "../../../../../contract/text/count-text.ts";
import { jobQuery, type JobDetail } from "../../../api/admin.ts";
import { ApiError } from "../../../api/client.ts";
import { Problem } from "../../../parts/states/problem.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { ExactTime } from "../../../parts/text/time.tsx";
import { duration } from "../figures.ts";
import { JobActions } from "./job-actions.tsx";
import { stateNames, subjectOf } from "./states.ts";
import { jobTitle, queueTitle } from "./titles.ts";

interface Props {
  queue: string;
  id: string;
  onClose: () => void;
}

/** A job in full: its facts, the last error, its history and the stacks of its failures. */
export function JobDialog({ queue, id, onClose }: Props) {
  const { data: job, error, isPending, refetch } = useQuery(jobQuery(queue, id));
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Modal
      opened
      onClose={onClose}
      title={job && !isGone ? jobTitle(job.name) : "Job"}
      size={720}
      className="job-dialog"
    >
      <div className="stack gap-4">
        {isPending && <SkeletonRows rows={3} />}
        {isGone ? (
          <p className="sub">This job no longer exists.</p>
        ) : (
          <Problem error={error} retry={() => void refetch()} />
        )}
        {job && !isGone && <Details job={job} />}
        <div className="row wrap end">
          {job && !isGone && <JobActions job={job} onRemoved={onClose} />}
          <Button size="compact-sm" variant="default" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Modal>
  );
}

const timeOf = (iso: string | null) => iso !== null && <ExactTime value={iso} />;

function factsOf(job: JobDetail): [term: string, value: ReactNode][] {
  const { startedAt, finishedAt } = job;
  const ran = startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : null;
  const facts: [string, ReactNode][] = [
    ["State", stateNames[job.state]],
    ["Job", `${job.name} #${job.id}`],
    ["Queue", queueTitle(job.queue)],
    ["Subject", subjectOf(job) || null],
    ["Payload", Object.keys(job.payload).length > 0 ? JSON.stringify(job.payload) : null],
    ["Attempts", `${job.attemptsMade} of ${job.attempts}`],
    ["Queued", timeOf(job.createdAt)],
    ["Runs", timeOf(job.runsAt)],
    ["Last started", timeOf(startedAt)],
    ["Ended", timeOf(finishedAt)],
    ["Last attempt took", ran === null ? null : duration(ran)],
    ["Processes lost", job.stalls > 0 ? numberText(job.stalls) : null],
    ["Worker", job.worker],
    ["Created by", job.scheduled ? "a schedule" : null],
  ];
  return facts.filter(([, value]) => value !== null && value !== false);
}

function Details({ job }: { job: JobDetail }) {
  return (
    <>
      <dl className="facts">
        {factsOf(job).map(([term, value]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      {job.error !== null && (
        <section className="stack">
          <h3>Last error</h3>
          <p className="note danger error">{job.error}</p>
        </section>
      )}
      <section className="stack">
        <h3>History</h3>
        {job.log.length === 0 ? (
          <p className="sub">No attempt has failed.</p>
        ) : (
          <ol className="log">
            {job.log.map((line, index) => (
              // Lines may repeat, and are only ever added at the end.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index}>{line}</li>
            ))}
          </ol>
        )}
      </section>
      {job.stacks.length > 0 && (
        <details>
          <summary>{countText(job.stacks.length, "stack")}</summary>
          {job.stacks.map((stack, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <pre key={index} tabIndex={0} aria-label="Stack">
              {stack}
            </pre>
          ))}
        </details>
      )}
    </>
  );
}
