/** The service's workers, for its administrators. For other callers these paths do not exist. */
import { z } from "zod";
import {
  AdminConnectionPayload,
  HealthPayload,
  JobDetailPayload,
  JobMetricsPayload,
  JobPayload,
  QueuePayload,
  RetriedPayload,
} from "../../contract/payloads/service/jobs.ts";
import type { App } from "../app.ts";
import { listQuery } from "../http/request/cursor.ts";
import { routesOf, type Route } from "../http/route.ts";
import { streamReply } from "../http/service/event-streams.ts";
import type { Health } from "../http/service/health.ts";
import { queueNames } from "../queue/index.ts";
import { listAllConnections } from "./connections.ts";
import { openQueueEvents } from "./events.ts";
import { readHealth } from "./health.ts";
import { listJobs } from "./list.ts";
import { loadJob } from "./load.ts";
import { readJobMetrics } from "./metrics.ts";
import { namesOf } from "./names.ts";
import { presentJobDetail } from "./present.ts";
import { JobParams, JobsQuery, MetricsQuery, QueueParams } from "./schema.ts";
import { serviceLogRoutes } from "./service-log-routes.ts";
import {
  listQueues,
  pauseQueue,
  promoteJob,
  removeJob,
  resumeQueue,
  retryFailed,
  retryJob,
} from "./service.ts";

const route = routesOf({ tag: "Administration", auth: "administrator" });

export function jobRoutes(app: App, version: string, health?: Health): Route[] {
  return [
    ...readingRoutes(app, version, health),
    ...serviceLogRoutes(app),
    ...queueRoutes(app),
    ...changingRoutes(app),
  ];
}

function readingRoutes(app: App, version: string, health: Health | undefined): Route[] {
  const events = openQueueEvents(app, health?.draining);
  return [
    route({
      method: "get",
      path: "/api/admin/queues",
      id: "listQueues",
      pageBy: ["name"],
      summary: "List the queues with their counts and rates",
      data: z
        .array(QueuePayload)
        .max(queueNames.length)
        .meta({ description: "one for each queue of this release" }),
      handle: async () => listQueues(app),
    }),
    route({
      method: "get",
      path: "/api/admin/metrics",
      id: "getJobMetrics",
      summary: "Read how jobs fared over time",
      query: MetricsQuery,
      data: JobMetricsPayload,
      handle: async ({ query }) => readJobMetrics(app, query),
    }),
    route({
      method: "get",
      path: "/api/admin/health",
      id: "getHealth",
      summary: "Read how engines, disks and git are",
      data: HealthPayload,
      handle: async () => readHealth(app, version),
    }),
    route({
      method: "get",
      path: "/api/admin/connections",
      id: "listConnections",
      summary: "List every organization's connection to a repository",
      query: z.object(listQuery),
      data: AdminConnectionPayload,
      page: true,
      handle: async ({ query }) => listAllConnections(app, query),
    }),
    route({
      method: "get",
      path: "/api/admin/events",
      id: "streamJobs",
      summary: "Listen to the queues as they change (server-sent events)",
      produces: "text/event-stream",
      async handle({ actor, request }) {
        return streamReply(request.isHead ? undefined : events.open(request, actor));
      },
    }),
    route({
      method: "get",
      path: "/api/admin/jobs",
      id: "listJobs",
      summary: "List jobs of one state, of one queue or all",
      query: JobsQuery,
      data: JobPayload,
      page: true,
      handle: async ({ query }) => listJobs(app, query),
    }),
    route({
      method: "get",
      path: "/api/admin/jobs/:queue/:id",
      id: "getJob",
      summary: "Read a job with its errors and its history",
      params: JobParams,
      data: JobDetailPayload,
      async handle({ params }) {
        const job = await loadJob(app, params.queue, params.id);
        return presentJobDetail(job, (await namesOf(app, [job]))(job));
      },
    }),
  ];
}

function queueRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/admin/queues/:queue/pause",
      id: "pauseQueue",
      summary: "Let no more job of a queue begin",
      params: QueueParams,
      data: null,
      handle: async ({ actor, params }) => pauseQueue(app, actor, params.queue),
    }),
    route({
      method: "post",
      path: "/api/admin/queues/:queue/resume",
      id: "resumeQueue",
      summary: "Let a paused queue go on",
      params: QueueParams,
      data: null,
      handle: async ({ actor, params }) => resumeQueue(app, actor, params.queue),
    }),
    route({
      method: "post",
      path: "/api/admin/queues/:queue/retry-failed",
      id: "retryFailedJobs",
      summary: "Put every failed job of a queue back",
      params: QueueParams,
      data: RetriedPayload,
      handle: async ({ actor, params }) => retryFailed(app, actor, params.queue),
    }),
  ];
}

function changingRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/admin/jobs/:queue/:id/retry",
      id: "retryJob",
      failures: ["conflict"],
      summary: "Put a failed job back, with all its attempts before it",
      params: JobParams,
      data: null,
      handle: async ({ actor, params }) => retryJob(app, actor, params.queue, params.id),
    }),
    route({
      method: "post",
      path: "/api/admin/jobs/:queue/:id/promote",
      id: "promoteJob",
      failures: ["conflict"],
      summary: "Let a delayed job run now",
      params: JobParams,
      data: null,
      handle: async ({ actor, params }) => promoteJob(app, actor, params.queue, params.id),
    }),
    route({
      method: "delete",
      path: "/api/admin/jobs/:queue/:id",
      id: "removeJob",
      failures: ["conflict"],
      summary: "Remove a job that does not run",
      params: JobParams,
      data: null,
      handle: async ({ actor, params }) => removeJob(app, actor, params.queue, params.id),
    }),
  ];
}
