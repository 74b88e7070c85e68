import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { countText, numberText } from "../../../../../contract/text/count-text.ts";
import { pauseQueue, resumeQueue, retryFailed, type Queue } from "../../../api/admin.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { actionsColumn, DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { duration } from "../figures.ts";
import { refreshJobs } from "./refresh.ts";
import { jobTitle, queueTitle } from "./titles.ts";

interface Props {
  queues: Queue[] | undefined;
  chosen: string | undefined;
  onChoose: (queue: string | undefined) => void;
}

/** The queues with their counts and rates. A queue's name filters the page. */
export function QueueTable({ queues, chosen, onChoose }: Props) {
  const [message, setMessage] = useState("");
  if (!queues) return <SkeletonRows rows={7} height={53} />;
  return (
    <section aria-label="Queues" className="stack">
      <DataTable
        caption="Queues"
        columns={columnsOf(chosen, onChoose, setMessage)}
        rows={queues}
        keyOf={({ name }) => name}
        isChosen={({ name }) => name === chosen}
      />
      <p className="meta" role="status">
        {message}
      </p>
    </section>
  );
}

interface ActionsProps {
  queue: Queue;
  onMessage: (message: string) => void;
}

const columnsOf = (
  chosen: string | undefined,
  onChoose: Props["onChoose"],
  onMessage: ActionsProps["onMessage"],
): Column<Queue>[] => [
  {
    header: "Queue",
    isRowHeader: true,
    cell: ({ name, jobs, paused, concurrency }) => (
      <>
        <button
          type="button"
          className="link-button"
          title={name}
          aria-pressed={name === chosen}
          onClick={() => onChoose(name === chosen ? undefined : name)}
        >
          {queueTitle(name)}
        </button>
        {paused && <span className="badge warn">paused</span>}
        <span className="meta hidden-on-phones" title={jobs.map(jobTitle).join(", ")}>
          {" "}
          {countText(jobs.length, "kind")}, {concurrency} at once
        </span>
      </>
    ),
  },
  {
    header: "Failed",
    align: "right",
    cell: ({ counts: { failed } }) => (
      <span className={failed > 0 ? "danger" : ""}>{numberText(failed)}</span>
    ),
  },
  {
    header: "Running",
    align: "right",
    isHiddenOnPhones: true,
    cell: ({ counts }) => numberText(counts.active),
  },
  { header: "Waiting", align: "right", cell: ({ counts }) => numberText(counts.waiting) },
  {
    header: "Delayed",
    align: "right",
    isHiddenOnPhones: true,
    cell: ({ counts }) => numberText(counts.delayed),
  },
  {
    header: "Per minute",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ rates: { completed, failed } }) =>
      `${completed} completed${failed > 0 ? `, ${failed} failed` : ""}`,
  },
  {
    header: "Average",
    align: "right",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ rates }) => duration(rates.averageMs),
  },
  actionsColumn((queue) => <QueueActions queue={queue} onMessage={onMessage} />),
];

function QueueActions({ queue, onMessage }: ActionsProps) {
  const { name, paused, counts } = queue;
  const client = useQueryClient();
  const [asked, setAsked] = useState<"pause" | "retry">();
  const resume = useMutation({
    mutationFn: () => resumeQueue(name),
    onSuccess: () => onMessage(`${queueTitle(name)} continues.`),
    onSettled: () => refreshJobs(client),
  });
  return (
    <div className="row wrap end">
      {counts.failed > 0 && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Retry failed in ${queueTitle(name)}`}
          onClick={() => setAsked("retry")}
        >
          Retry failed
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${paused ? "Resume" : "Pause"} ${queueTitle(name)}`}
        loading={resume.isPending}
        onClick={() => (paused ? resume.mutate() : setAsked("pause"))}
      >
        {paused ? "Resume" : "Pause"}
      </Button>
      <Problem error={resume.error} />
      {asked && (
        <QueueDialog queue={queue} action={asked} onMessage={onMessage} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

interface DialogProps extends ActionsProps {
  action: "pause" | "retry";
  onClose: () => void;
}

function QueueDialog({ queue: { name, counts }, action, onMessage, onClose }: DialogProps) {
  const client = useQueryClient();
  const done = (message: string) => {
    void refreshJobs(client);
    onMessage(message);
    onClose();
  };
  if (action === "pause")
    return (
      <ConfirmDialog
        title={`Pause ${queueTitle(name)}`}
        action="Pause"
        run={() => pauseQueue(name)}
        onDone={() => done(`${queueTitle(name)} is paused.`)}
        onClose={onClose}
      >
        <p>No job of the queue begins until it is resumed, in any process. Running jobs continue.</p>
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      title={`Retry failed jobs of ${queueTitle(name)}`}
      action="Retry all"
      run={() => retryFailed(name)}
      onDone={({ retried, left }) =>
        done(
          `${countText(retried, "job")} will run again${left > 0 ? `, ${numberText(left)} are left` : ""}.`,
        )
      }
      onClose={onClose}
    >
      <p>Each of the {countText(counts.failed, "failed job")} gets all of its attempts again.</p>
    </ConfirmDialog>
  );
}
