import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { promoteJob, removeJob, retryJob, type Job } from "../../../api/admin.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { refreshJobs } from "./refresh.ts";

interface Props {
  job: Job;
  /** Called when the job is removed. */
  onRemoved?: () => void;
}

/** The actions that the state of a job allows. A schedule would create its next job again after each removal. */
export function JobActions({ job, onRemoved }: Props) {
  const { queue, id, name, state, scheduled } = job;
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const refresh = () => refreshJobs(client);
  const retry = useMutation({ mutationFn: () => retryJob(queue, id), onSettled: refresh });
  const promote = useMutation({ mutationFn: () => promoteJob(queue, id), onSettled: refresh });
  const canRemove = state !== "active" && !(state === "delayed" && scheduled);
  const label = `${name} #${id}`;
  const button = { size: "compact-sm", variant: "default" } as const;
  return (
    <div className="row wrap end">
      {state === "failed" && (
        <Button
          {...button}
          aria-label={`Retry ${label}`}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry
        </Button>
      )}
      {state === "delayed" && (
        <Button
          {...button}
          aria-label={`Run now ${label}`}
          loading={promote.isPending}
          onClick={() => promote.mutate()}
        >
          Run now
        </Button>
      )}
      {canRemove && (
        <Button {...button} aria-label={`Remove ${label}`} onClick={() => setAsked(true)}>
          Remove
        </Button>
      )}
      <Problem error={retry.error ?? promote.error} />
      {isAsked && (
        <ConfirmDialog
          title={`Remove job #${id} of ${queue}`}
          action="Remove"
          isDangerous
          run={() => removeJob(queue, id).finally(() => void refresh())}
          onDone={() => {
            setAsked(false);
            onRemoved?.();
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            <b className="mono">{name}</b> is removed with its history. The work that it was to do is not
            done.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
