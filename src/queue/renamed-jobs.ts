/** Jobs of earlier versions, which an engine may still have under their previous names. */
import type { BackendQueue } from "./backend.ts";
import type { EnqueueOptions } from "./job-options.ts";
import { isJobName, type JobName } from "./jobs.ts";

/** Previous queues, with their repeating jobs. */
const formerSchedules: Readonly<Record<string, readonly string[]>> = {
  upkeep: [
    "upkeep.reconcile",
    "upkeep.advance-epoch",
    "upkeep.purge",
    "upkeep.rotate-keys",
    "upkeep.tidy-repos",
    "upkeep.check-repos",
  ],
  branches: ["branches.poll"],
  sync: ["sync.poll"],
  folders: [],
};
const formerNames: Readonly<Record<string, JobName>> = {
  "upkeep.tidy-repos": "maintenance.compact-repos",
  "folders.govern": "folders.update-access",
};
const movedStates = ["waiting", "delayed", "failed"] as const;

/** Removes the schedules of previous names, and adds their pending and failed jobs again under the current ones. */
export async function adoptRenamedJobs(
  open: (queue: string) => BackendQueue,
  enqueue: (name: JobName, payload: object, options: EnqueueOptions) => Promise<void>,
): Promise<void> {
  for (const [queueName, schedules] of Object.entries(formerSchedules)) {
    const queue = open(queueName);
    for (const name of schedules) await queue.removeJobScheduler(name);
    for (const state of movedStates)
      for (const id of await queue.getRanges([state], 0, -1, true)) {
        const job = await queue.getJob(id);
        // One that a schedule has made can't be removed, and no consumer knows its name.
        if (!job || isJobName(job.name) || schedules.includes(job.name)) continue;
        const name = formerNames[job.name] ?? job.name.replace(/^upkeep\./, "maintenance.");
        const jobId = job.opts.deduplication?.id.slice(job.name.length + 1);
        if (isJobName(name)) await enqueue(name, job.data as object, { jobId });
        await job.remove();
      }
  }
}
