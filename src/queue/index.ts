export { QueueUnavailableError } from "./errors.ts";
export type { JobName, JobPayloads, Processors, QueueName } from "./jobs.ts";
export {
  type EnqueueOptions,
  openQueue,
  type Queue,
  type QueueCounts,
  type QueuePlace,
  type Schedule,
} from "./open.ts";
export type { Consumers, ConsumerSettings } from "./consumers.ts";
