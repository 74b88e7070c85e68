import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { JobState } from "../../../../../contract/vocabulary.ts";
import { jobsQuery, type Job, type JobFilter, type Queue } from "../../../api/admin.ts";
import { Pager, usePages } from "../../../parts/lists/pager.tsx";
import { SkeletonRows } from "../../../parts/skeleton-rows.tsx";
import { TabNav } from "../../../parts/tab-nav.tsx";
import { Time } from "../../../parts/time.tsx";
import { AdminProblem } from "../admin-problem.tsx";
import { count } from "../figures.ts";
import { JobActions } from "./job-actions.tsx";
import { orderedStates, stateNames, subjectOf, timeNames, timeOf } from "./states.ts";

interface Props {
  filter: JobFilter;
  queues: Queue[] | undefined;
  onQueue: (queue: string | undefined) => void;
  onOpen: (job: Job) => void;
}

/** Jobs of one state, of one queue or all, a page at a time. */
export function JobList({ filter, queues, onQueue, onOpen }: Props) {
  const { queue, state } = filter;
  const pages = usePages(`${queue} ${state}`);
  const found = useQuery(jobsQuery(filter, pages.cursor));
  const jobs = found.data?.data ?? [];
  return (
    <section className="stack g3" aria-labelledby="jobs-title">
      <div className="row wrap between">
        <h2 id="jobs-title">{queue === undefined ? "Jobs" : `Jobs of ${queue}`}</h2>
        <Select
          aria-label="Queue"
          placeholder="All queues"
          w={170}
          clearable
          clearButtonProps={{ "aria-label": "All queues" }}
          data={queues?.map(({ name }) => name) ?? (queue === undefined ? [] : [queue])}
          value={queue ?? null}
          onChange={(name) => onQueue(name ?? undefined)}
        />
      </div>
      <StateTabs queues={queues} filter={filter} />
      <AdminProblem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows rows={4} height={48} />}
      {found.isSuccess && jobs.length === 0 && (
        <p className="sub">
          No {stateNames[state].toLowerCase()} job{queue === undefined ? "" : ` in ${queue}`}.
        </p>
      )}
      {jobs.length > 0 && (
        <div data-dimmed={found.isPlaceholderData}>
          <JobTable jobs={jobs} state={state} onOpen={onOpen} />
        </div>
      )}
      <Pager
        pages={pages}
        nextCursor={found.data?.nextCursor}
        isPending={found.isPlaceholderData}
        label="jobs"
      />
    </section>
  );
}

function StateTabs({ queues, filter }: { queues: Queue[] | undefined; filter: JobFilter }) {
  const shown = queues?.filter(({ name }) => filter.queue === undefined || name === filter.queue);
  const sumOf = (state: JobState) => shown?.reduce((sum, { counts }) => sum + counts[state], 0);
  return (
    <TabNav label="State of the jobs">
      {orderedStates.map((state) => {
        const sum = sumOf(state);
        return (
          <Link
            key={state}
            to="/admin/jobs"
            search={(old) => ({ ...old, state: state === "failed" ? undefined : state })}
            resetScroll={false}
            activeOptions={{ explicitUndefined: true }}
          >
            {stateNames[state]} {sum !== undefined && <span className="n">{count(sum)}</span>}
          </Link>
        );
      })}
    </TabNav>
  );
}

interface TableProps {
  jobs: Job[];
  state: JobState;
  onOpen: (job: Job) => void;
}

function JobTable({ jobs, state, onOpen }: TableProps) {
  return (
    <div className="panel scroll" data-live-list>
      <table className="tbl">
        <caption className="sr">{stateNames[state]} jobs</caption>
        <thead>
          <tr>
            <th scope="col">Job</th>
            {state !== "completed" && (
              <th scope="col" className="hide-s">
                Last error
              </th>
            )}
            <th scope="col" className="hide-s">
              Attempts
            </th>
            <th scope="col">{timeNames[state]}</th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <JobRow
              key={`${job.queue}/${job.id}`}
              job={job}
              hasError={state !== "completed"}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function JobRow({ job, hasError, onOpen }: { job: Job; hasError: boolean; onOpen: (job: Job) => void }) {
  return (
    <tr>
      <th scope="row">
        <button type="button" className="link mono" onClick={() => onOpen(job)}>
          {job.name}
        </button>
        <span className="meta block">
          {subjectOf(job)} <span className="nowrap">#{job.id}</span>
        </span>
        {job.error !== null && hasError && <span className="meta block only-s error">{job.error}</span>}
      </th>
      {hasError && <td className="hide-s error">{job.error ?? <span className="dim">–</span>}</td>}
      <td className="hide-s nowrap">
        {job.attemptsMade} of {job.attempts}
      </td>
      <td className="nowrap">
        <Time value={timeOf(job)} />
      </td>
      <td className="right">
        <JobActions job={job} />
      </td>
    </tr>
  );
}
