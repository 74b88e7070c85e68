export type { Consumers, ConsumerSettings, JobRun } from "./consumers.ts";
export { QueueUnavailableError } from "./errors.ts";
export type { QueuedJob, QueuedJobDetail, Refusal } from "./inspect.ts";
export { type Processors, queueConcurrency, type QueueName, queueNames, queueOf } from "./jobs.ts";
export type { EnqueueOptions } from "./job-options.ts";
export { openQueue, type Queue, type QueueLocation } from "./open.ts";
