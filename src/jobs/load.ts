import type { App } from "../app.ts";
import { notFound } from "../errors.ts";
import { type QueuedJobDetail, type QueueName, queueNames } from "../queue/index.ts";

/** The queue of a name. Throws `not_found`. */
export function requireQueue(name: string): QueueName {
  const known = queueNames.find((queue) => queue === name);
  if (known === undefined) throw notFound("queue", name);
  return known;
}

export async function loadJob(app: App, queue: string, id: string): Promise<QueuedJobDetail> {
  const job = await app.queue.inspector.find(requireQueue(queue), id);
  if (!job) throw notFound("job", id);
  return job;
}
