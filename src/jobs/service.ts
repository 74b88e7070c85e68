/**
 * Actions of administrators on queues and jobs. Each action is written to the audit log before it is executed, so that
 * none is missing there; an action that the job's state refuses is logged too.
 */
import type { QueuePayload, RetriedPayload } from "../../contract/payloads/service/jobs.ts";
import type { EventName } from "../../contract/vocabulary.ts";
import { type Actor, actorId } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, type EventSubject } from "../audit/events.ts";
import { serviceLog } from "../audit/fan-out.ts";
import { writeEvents } from "../audit/write-events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { queueConcurrency, queueNames, type Refusal } from "../queue/index.ts";
import { loadJob, requireQueue } from "./load.ts";
import { ratesOf } from "./metrics.ts";

/** Time limit of a call that retries all failed jobs of a queue; further calls retry the rest. */
const retryTimeMs = 8000;
const retryBatchSize = 20;

export async function listQueues(app: App): Promise<QueuePayload[]> {
  const { inspector } = app.queue;
  const [counts, rates, paused] = await Promise.all([
    app.queue.counts(),
    ratesOf(app),
    Promise.all(queueNames.map((name) => inspector.isPaused(name))),
  ]);
  return queueNames.map((name, index) => ({
    name,
    jobs: inspector.jobsOf(name),
    paused: paused[index]!,
    concurrency: name === "sync" ? app.config.syncConcurrency : queueConcurrency[name],
    counts: counts[name],
    rates: rates(name),
  }));
}

export const retryJob = (app: App, actor: Actor, queue: string, id: string) =>
  actOnJob(app, actor, "retry", queue, id);

export const promoteJob = (app: App, actor: Actor, queue: string, id: string) =>
  actOnJob(app, actor, "promote", queue, id);

export const removeJob = (app: App, actor: Actor, queue: string, id: string) =>
  actOnJob(app, actor, "remove", queue, id);

async function actOnJob(
  app: App,
  actor: Actor,
  act: "retry" | "promote" | "remove",
  queue: string,
  id: string,
): Promise<void> {
  const name = requireQueue(queue);
  const job = await loadJob(app, name, id);
  const metadata = { queue: name, job: job.name, payload: job.payload };
  await note(app, actor, actNames[act], { resourceType: "job", resourceId: id, metadata });
  const refusal = await app.queue.inspector[act](name, id);
  if (refusal) throw refused(refusal, id);
}

/** Puts the failed jobs of a queue back, the latest first, until none is left or the call has taken long enough. */
export async function retryFailed(app: App, actor: Actor, queue: string): Promise<RetriedPayload> {
  const name = requireQueue(queue);
  const { inspector } = app.queue;
  await note(app, actor, "queue.failed_retried", subjectOf(name));
  const deadline = Date.now() + retryTimeMs;
  let retried = 0;
  // Jobs that can't be retried stay at the head of the list.
  let passed = 0;
  for (;;) {
    const ids = await inspector.ids(name, "failed", passed, retryBatchSize);
    const refusals = await Promise.all(ids.map((id) => inspector.retry(name, id)));
    const done = refusals.filter((refusal) => refusal === undefined).length;
    retried += done;
    passed += refusals.filter((refusal) => refusal !== undefined && refusal !== "missing").length;
    if (ids.length < retryBatchSize || Date.now() > deadline) break;
  }
  const counts = await app.queue.counts();
  return { retried, left: counts[name].failed };
}

export async function pauseQueue(app: App, actor: Actor, queue: string): Promise<void> {
  const name = requireQueue(queue);
  await note(app, actor, "queue.paused", subjectOf(name));
  await app.queue.inspector.pause(name);
}

export async function resumeQueue(app: App, actor: Actor, queue: string): Promise<void> {
  const name = requireQueue(queue);
  await note(app, actor, "queue.resumed", subjectOf(name));
  await app.queue.inspector.resume(name);
}

const subjectOf = (queue: string) => ({
  resourceType: "queue" as const,
  resourceId: queue,
  metadata: { queue },
});

const actNames = { retry: "job.retried", promote: "job.promoted", remove: "job.removed" } as const;

async function note(
  app: App,
  actor: Actor,
  act: EventName,
  subject: Omit<EventSubject, "tenantId">,
): Promise<void> {
  const by = { administrator: actorId(actor), ipHash: actor.origin.ipHash };
  app.log.warn({ ...by, act, of: subject.resourceId, ...subject.metadata }, "an administrator acts");
  await writeEvents(app, [makeEvent(app, actor, act, { ...serviceLog, ...subject })]);
}

function refused(refusal: Refusal, id: string): ServiceError {
  if (refusal === "missing") return notFound("job", id);
  const messages = {
    active: `Job "${id}" is running: wait for its end.`,
    not_failed: `Job "${id}" has not failed permanently, so there is nothing to retry.`,
    not_delayed: `Job "${id}" does not wait for a time, so there is nothing to bring forward.`,
    scheduled: `Job "${id}" is the next one of a schedule, which would make it again.`,
  } satisfies Record<Exclude<Refusal, "missing">, string>;
  return new ServiceError("conflict", messages[refusal], { kind: "job", ref: id });
}
