import { Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { numberText } from "../../../../../contract/text/count-text.ts";
import type { JobState } from "../../../../../contract/vocabulary.ts";
import { jobsQuery, type Job, type JobFilter, type Queue } from "../../../api/admin.ts";
import { actionsColumn, DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { ListSection } from "../../../parts/lists/list-section.tsx";
import { TabNav } from "../../../parts/page/tab-nav.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { AdminProblem } from "../admin-problem.tsx";
import { JobActions } from "./job-actions.tsx";
import { orderedStates, stateNames, subjectOf, timeNames, timeOf } from "./states.ts";
import { jobTitle, queueTitle } from "./titles.ts";

interface Props {
  filter: JobFilter;
  queues: Queue[] | undefined;
  onQueue: (queue: string | undefined) => void;
  onOpen: (job: Job) => void;
}

/** Jobs of one state, of one queue or all. */
export function JobList({ filter, queues, onQueue, onOpen }: Props) {
  const { queue, state } = filter;
  const found = useInfiniteQuery(jobsQuery(filter));
  return (
    <ListSection
      title={queue === undefined ? "Jobs" : `Jobs of ${queueTitle(queue)}`}
      aside={
        <Select
          aria-label="Queue"
          placeholder="All queues"
          w={170}
          clearable
          clearButtonProps={{ "aria-label": "All queues" }}
          data={(queues?.map(({ name }) => name) ?? (queue === undefined ? [] : [queue])).map((name) => ({
            value: name,
            label: queueTitle(name),
          }))}
          value={queue ?? null}
          onChange={(name) => onQueue(name ?? undefined)}
        />
      }
      filter={<StateTabs queues={queues} filter={filter} />}
      found={found}
      rows={4}
      empty={`No ${stateNames[state].toLowerCase()} job${queue === undefined ? "" : ` in ${queueTitle(queue)}`}.`}
      Failure={AdminProblem}
    >
      {(jobs) => (
        <DataTable
          caption={`${stateNames[state]} jobs`}
          columns={columnsOf(state, onOpen)}
          rows={jobs}
          keyOf={(job) => `${job.queue}/${job.id}`}
        />
      )}
    </ListSection>
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
            {stateNames[state]} {sum !== undefined && <span className="counter">{numberText(sum)}</span>}
          </Link>
        );
      })}
    </TabNav>
  );
}

function columnsOf(state: JobState, onOpen: Props["onOpen"]): Column<Job>[] {
  const hasError = state !== "completed";
  const error: Column<Job> = {
    header: "Last error",
    isHiddenOnPhones: true,
    className: "error",
    cell: (job) => job.error ?? <span className="dim">–</span>,
  };
  return [
    {
      header: "Job",
      isRowHeader: true,
      cell: (job) => (
        <>
          <button type="button" className="link-button" onClick={() => onOpen(job)}>
            {jobTitle(job.name)}
          </button>
          <span className="meta block">
            {subjectOf(job)}{" "}
            <span className="nowrap" title={job.name}>
              #{job.id}
            </span>
          </span>
          {job.error !== null && hasError && (
            <span className="meta block only-on-phones error">{job.error}</span>
          )}
        </>
      ),
    },
    ...(hasError ? [error] : []),
    {
      header: "Attempts",
      isHiddenOnPhones: true,
      className: "nowrap",
      cell: ({ attemptsMade, attempts }) => `${attemptsMade} of ${attempts}`,
    },
    { header: timeNames[state], className: "nowrap", cell: (job) => <Time value={timeOf(job)} /> },
    actionsColumn((job) => <JobActions job={job} />),
  ];
}
