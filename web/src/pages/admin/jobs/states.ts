import type { JobState } from "../../../../../contract/vocabulary.ts";
import type { Job } from "../../../api/admin.ts";

/** States in the order of the tabs: what needs a person comes first. */
export const stateNames: Record<JobState, string> = {
  failed: "Failed",
  active: "Running",
  waiting: "Waiting",
  delayed: "Delayed",
  completed: "Completed",
};
export const orderedStates = Object.keys(stateNames) as JobState[];

/** Heading of the time that a list shows. */
export const timeNames: Record<JobState, string> = {
  failed: "Failed",
  active: "Since",
  waiting: "Since",
  delayed: "Runs",
  completed: "Completed",
};

export function timeOf(job: Job): string {
  const times = {
    active: job.startedAt,
    waiting: job.createdAt,
    delayed: job.runsAt,
    failed: job.finishedAt,
    completed: job.finishedAt,
  };
  return times[job.state] ?? job.createdAt;
}

const labels: Record<string, string> = {
  tenantId: "organization",
  userId: "user",
  connectionId: "connection",
  skillId: "skill",
  serverId: "MCP server",
  invitationId: "invitation",
  teamId: "team",
};

/** Subject of a job: names in place of ids where they are known. */
export function subjectOf({ payload, names }: Job): string {
  return Object.entries(payload)
    .map(([field, value]) => `${labels[field] ?? field} ${names[field] ?? String(value)}`)
    .join(", ");
}
