export type { Consumers, ConsumerSettings } from "./consumers.ts";
export { QueueUnavailableError } from "./errors.ts";
export type { Processors } from "./jobs.ts";
export { openQueue, type Queue, type QueuePlace } from "./open.ts";
