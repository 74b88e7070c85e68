/** The administrators' interface of the service, as this page calls it. */
import type { FailureBody } from "../../contract/errors.ts";
import type { AuditLogPayload } from "../../contract/payloads/audit.ts";
import type {
  AdminConnectionPayload,
  HealthPayload,
  JobDetailPayload,
  JobMetricsPayload,
  JobPayload,
  QueuePayload,
  RetriedPayload,
} from "../../contract/payloads/jobs.ts";
import type { JobState, MetricRange } from "../../contract/vocabulary.ts";

const answerMs = 15_000;

/** A call that was not answered with success. `status` is 0 where no answer came. */
export class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "CallError";
    this.status = status;
  }
}

/** The text of an error, as the page shows it. */
export const messageOf = (error: unknown) =>
  error instanceof CallError ? error.message : "Something is wrong with this page: load it again.";

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

interface Envelope<T> {
  data: T;
  nextCursor?: string | null;
}

async function call<T>(method: string, path: string): Promise<Envelope<T>> {
  let response: Response;
  try {
    response = await fetch(`/api/admin${path}`, { method, signal: AbortSignal.timeout(answerMs) });
  } catch {
    throw new CallError(0, "The service does not answer.");
  }
  const body = (await response.json().catch(() => undefined)) as Envelope<T> | FailureBody | undefined;
  if (response.ok && body !== undefined && "success" in body && !("code" in body)) return body;
  // The whole interface responds with 404 once the session is no longer an administrator's.
  const failure = body as FailureBody | undefined;
  throw new CallError(response.status, failure?.error ?? `The service answered ${response.status}.`);
}

const segment = encodeURIComponent;

function search(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

async function pageOf<T>(path: string): Promise<Page<T>> {
  const { data, nextCursor } = await call<T[]>("GET", path);
  return { items: data, nextCursor: nextCursor ?? null };
}

export const api = {
  queues: async () => (await call<QueuePayload[]>("GET", "/queues")).data,
  jobs: (query: { queue: string; state: JobState; limit: number; cursor?: string | undefined }) =>
    pageOf<JobPayload>(`/jobs?${search(query)}`),
  job: async (queue: string, id: string) =>
    (await call<JobDetailPayload>("GET", `/jobs/${segment(queue)}/${segment(id)}`)).data,
  metrics: async (range: MetricRange, queue: string) =>
    (await call<JobMetricsPayload>("GET", `/metrics?${search({ range, queue })}`)).data,
  health: async () => (await call<HealthPayload>("GET", "/health")).data,
  connections: (query: { limit: number; cursor?: string | undefined }) =>
    pageOf<AdminConnectionPayload>(`/connections?${search(query)}`),
  acts: async (limit: number) => (await call<AuditLogPayload>("GET", `/audit-log?${search({ limit })}`)).data,
  retry: (queue: string, id: string) => call("POST", `/jobs/${segment(queue)}/${segment(id)}/retry`),
  promote: (queue: string, id: string) => call("POST", `/jobs/${segment(queue)}/${segment(id)}/promote`),
  remove: (queue: string, id: string) => call("DELETE", `/jobs/${segment(queue)}/${segment(id)}`),
  pause: (queue: string) => call("POST", `/queues/${segment(queue)}/pause`),
  resume: (queue: string) => call("POST", `/queues/${segment(queue)}/resume`),
  retryFailed: async (queue: string) =>
    (await call<RetriedPayload>("POST", `/queues/${segment(queue)}/retry-failed`)).data,
};
