import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { pauseQueue, resumeQueue, retryFailed, type Queue } from "../../../api/admin.ts";
import { ConfirmDialog } from "../../../parts/confirm-dialog.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { SkeletonRows } from "../../../parts/skeleton-rows.tsx";
import { count, counted, duration } from "../figures.ts";
import { refreshJobs } from "./refresh.ts";

interface Props {
  queues: Queue[] | undefined;
  chosen: string | undefined;
  onChoose: (queue: string | undefined) => void;
}

/** The queues with their counts and rates. A queue's name filters the page. */
export function QueueTable({ queues, chosen, onChoose }: Props) {
  const [message, setMessage] = useState("");
  if (!queues) return <SkeletonRows rows={7} height={36} />;
  return (
    <section aria-label="Queues" className="stack">
      <div className="panel scroll">
        <table className="tbl">
          <caption className="sr">Queues</caption>
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col" className="right">
                Failed
              </th>
              <th scope="col" className="right hide-s">
                Running
              </th>
              <th scope="col" className="right">
                Waiting
              </th>
              <th scope="col" className="right hide-s">
                Delayed
              </th>
              <th scope="col" className="hide-s">
                Per minute
              </th>
              <th scope="col" className="right hide-s">
                Average
              </th>
              <th scope="col">
                <span className="sr">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <QueueRow
                key={queue.name}
                queue={queue}
                isChosen={queue.name === chosen}
                onChoose={onChoose}
                onMessage={setMessage}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p className="meta" role="status">
        {message}
      </p>
    </section>
  );
}

interface RowProps {
  queue: Queue;
  isChosen: boolean;
  onChoose: Props["onChoose"];
  onMessage: (message: string) => void;
}

function QueueRow({ queue, isChosen, onChoose, onMessage }: RowProps) {
  const { name, jobs, paused, concurrency, counts, rates } = queue;
  const failed = rates.failed > 0 ? `, ${rates.failed} failed` : "";
  return (
    <tr data-chosen={isChosen}>
      <th scope="row">
        <button
          type="button"
          className="link"
          aria-pressed={isChosen}
          onClick={() => onChoose(isChosen ? undefined : name)}
        >
          {name}
        </button>
        {paused && <span className="badge warn">paused</span>}
        <span className="meta hide-s" title={jobs.join(", ")}>
          {" "}
          {counted(jobs.length, "kind")}, {concurrency} at once
        </span>
      </th>
      <td className={counts.failed > 0 ? "right danger" : "right"}>{count(counts.failed)}</td>
      <td className="right hide-s">{count(counts.active)}</td>
      <td className="right">{count(counts.waiting)}</td>
      <td className="right hide-s">{count(counts.delayed)}</td>
      <td className="hide-s nowrap">{`${rates.completed} completed${failed}`}</td>
      <td className="right hide-s nowrap">{duration(rates.averageMs)}</td>
      <td className="right">
        <QueueActions queue={queue} onMessage={onMessage} />
      </td>
    </tr>
  );
}

function QueueActions({ queue, onMessage }: Pick<RowProps, "queue" | "onMessage">) {
  const { name, paused, counts } = queue;
  const client = useQueryClient();
  const [asked, setAsked] = useState<"pause" | "retry">();
  const resume = useMutation({
    mutationFn: () => resumeQueue(name),
    onSuccess: () => onMessage(`${name} continues.`),
    onSettled: () => refreshJobs(client),
  });
  return (
    <div className="row wrap end">
      {counts.failed > 0 && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Retry failed in ${name}`}
          onClick={() => setAsked("retry")}
        >
          Retry failed
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${paused ? "Resume" : "Pause"} ${name}`}
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

interface DialogProps extends Pick<RowProps, "queue" | "onMessage"> {
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
        title={`Pause ${name}`}
        action="Pause"
        run={() => pauseQueue(name)}
        onDone={() => done(`${name} is paused.`)}
        onClose={onClose}
      >
        <p>No job of the queue begins until it is resumed, in any process. Running jobs continue.</p>
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      title={`Retry failed jobs of ${name}`}
      action="Retry all"
      run={() => retryFailed(name)}
      onDone={({ retried, left }) =>
        done(`${counted(retried, "job")} will run again${left > 0 ? `, ${count(left)} are left` : ""}.`)
      }
      onClose={onClose}
    >
      <p>Each of the {counted(counts.failed, "failed job")} gets all of its attempts again.</p>
    </ConfirmDialog>
  );
}
