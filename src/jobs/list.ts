/**
 * Lists of jobs, of one queue or of all of them. A list changes while it is paged through, so a cursor holds the last
 * job that was taken of each queue, and about where it was: the next page goes on behind that job wherever it is now.
 */
import { z } from "zod";
import type { JobPayload } from "../../contract/payloads/service/jobs.ts";
import type { JobState } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";
import { decodeCursor, encodeCursor } from "../http/request/cursor.ts";
import { Page } from "../http/route.ts";
import { type QueuedJob, type QueueName, queueNames } from "../queue/index.ts";
import { requireQueue } from "./load.ts";
import { namesOf } from "./names.ts";
import { presentJob } from "./present.ts";
import type { JobsQuery } from "./schema.ts";

/** Maximum distance by which a job may move in its list between two pages and is still found. */
const driftJobs = 100;
const readBatchSize = 50;

/** A queue, the place in its list behind the last job that was taken, and that job. */
type Place = [queue: string, at: number, lastId: string];

const Places = z.tuple([z.string()], z.union([z.string(), z.number()]));

export async function listJobs(app: App, query: JobsQuery): Promise<Page<JobPayload>> {
  const { state, limit } = query;
  const names = query.queue === undefined ? queueNames : [requireQueue(query.queue)];
  const places = readCursor(query.cursor, state);
  const lanes = names.map((name) => {
    const place = places.find(([queue]) => queue === name) ?? [name, 0, ""];
    return { name, place, jobs: jobsBehind(app, name, state, place, Math.min(limit + 1, readBatchSize)) };
  });
  const heads = await Promise.all(lanes.map(async ({ jobs }) => (await jobs.next()).value));
  const taken: QueuedJob[] = [];
  for (;;) {
    const at = nextOf(heads, state);
    if (at === -1) return new Page(await presentJobs(app, taken), null);
    const lane = lanes[at]!;
    const head = heads[at]!;
    if (taken.length === limit) break;
    taken.push(head.job);
    lane.place = [lane.name, head.at + 1, head.job.id];
    heads[at] = (await lane.jobs.next()).value;
  }
  const begun = lanes.filter(({ place }) => place[1] > 0).flatMap(({ place }) => place);
  return new Page(await presentJobs(app, taken), encodeCursor([state, ...begun]));
}

async function presentJobs(app: App, jobs: readonly QueuedJob[]): Promise<JobPayload[]> {
  const names = await namesOf(app, jobs);
  return jobs.map((job) => presentJob(job, names(job)));
}

function readCursor(cursor: string | undefined, state: JobState): Place[] {
  const [, ...flat] = decodeCursor(
    cursor,
    Places.refine(([first]) => first === state),
  ) ?? [state];
  const places: Place[] = [];
  for (let i = 0; i + 2 < flat.length; i += 3)
    places.push([String(flat[i]), Math.max(0, Math.trunc(Number(flat[i + 1])) || 0), String(flat[i + 2])]);
  return places;
}

interface Found {
  job: QueuedJob;
  /** Its place in the list. */
  at: number;
}

async function* jobsBehind(
  app: App,
  queue: QueueName,
  state: JobState,
  [, start, lastId]: Place,
  atOnce: number,
): AsyncGenerator<Found, undefined> {
  const { inspector } = app.queue;
  let from = start;
  if (start > 0) {
    const first = Math.max(0, start - driftJobs);
    const around = await inspector.ids(queue, state, first, start - first + driftJobs);
    const found = around.indexOf(lastId);
    if (found !== -1) from = first + found + 1;
  }
  for (;;) {
    const ids = await inspector.ids(queue, state, from, atOnce);
    for (const job of await inspector.jobs(queue, state, ids)) yield { job, at: from + ids.indexOf(job.id) };
    if (ids.length < atOnce) return undefined;
    from += ids.length;
  }
}

/** Index of the list whose first job comes first; -1 if all lists are empty. */
function nextOf(heads: readonly (Found | undefined)[], state: JobState): number {
  let best = -1;
  for (const [index, head] of heads.entries()) {
    if (head === undefined) continue;
    if (best === -1 || rankOf(head.job, state) < rankOf(heads[best]!.job, state)) best = index;
  }
  return best;
}

/** Ended jobs are listed latest first; others start with the next to run, or the longest-running one. */
function rankOf(job: QueuedJob, state: JobState): number {
  if (state === "failed" || state === "completed") return -(job.finishedAt ?? job.createdAt).getTime();
  if (state === "active") return (job.startedAt ?? job.createdAt).getTime();
  return (job.runsAt ?? job.createdAt).getTime();
}
