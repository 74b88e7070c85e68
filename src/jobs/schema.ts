/** Input of the administrators' interface. */
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { jobStates, metricRanges } from "../../contract/vocabulary.ts";
import { listQuery } from "../http/request/cursor.ts";

const queueName = z.string().max(50);

export const QueueParams = z.object({ queue: queueName });

/** The queue's database takes no NUL. */
const jobId = z
  .string()
  .max(200)
  .refine((text) => !text.includes("\0"), "must not contain NUL");

export const JobParams = z.object({ queue: queueName, id: jobId });

export const JobsQuery = z.object({
  queue: queueName.optional().meta({ description: "of one queue; else of all of them" }),
  state: z.enum(jobStates).default("failed"),
  limit: listQuery.limit,
  // It holds a place in the list of every queue.
  cursor: z.string().max(limits.jobCursor).optional().meta({ description: "nextCursor of the page before" }),
});
export type JobsQuery = z.output<typeof JobsQuery>;

export const MetricsQuery = z.object({
  range: z.enum(metricRanges).default("hour"),
  queue: queueName.optional(),
});
export type MetricsQuery = z.output<typeof MetricsQuery>;
