/** Every metric of the service. `docs/guides/observe.md` lists them; a test compares both with the page. */
import type { CountName, OperationKind } from "../../contract/observation.ts";

export interface Definition {
  name: string;
  help: string;
  labels: readonly string[];
}

export interface HistogramDefinition extends Definition {
  /** Upper bounds in seconds. */
  buckets: readonly number[];
}

const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const commandBuckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];
const jobBuckets = [0.05, 0.25, 1, 5, 30, 120, 600, 3600];

/** Durations of operations. */
export const durations: Record<OperationKind, HistogramDefinition> = {
  database: {
    name: "svc_database_command_duration_seconds",
    help: "Time of a command to MongoDB",
    labels: ["collection", "command"],
    buckets: commandBuckets,
  },
  objectStore: {
    name: "svc_object_store_request_duration_seconds",
    help: "Time of a request to the object store, repetitions included",
    labels: ["operation"],
    buckets: requestBuckets,
  },
  publish: {
    name: "svc_publish_stage_duration_seconds",
    help: "Time of a stage of a publish or import",
    labels: ["stage"],
    buckets: requestBuckets,
  },
  git: {
    name: "svc_git_process_duration_seconds",
    help: "Time of a git process",
    labels: ["command"],
    buckets: jobBuckets,
  },
  mail: {
    name: "svc_mail_duration_seconds",
    help: "Time to hand a mail over",
    labels: ["transport"],
    buckets: requestBuckets,
  },
  job: {
    name: "svc_job_duration_seconds",
    help: "Time of an attempt at a job",
    labels: ["job"],
    buckets: jobBuckets,
  },
  sync: {
    name: "svc_sync_round_duration_seconds",
    help: "Time of a round of a sync",
    labels: [],
    buckets: jobBuckets,
  },
};

/** Failures of these operations, with their labels. */
export const failures: Record<OperationKind, Definition> = {
  database: {
    name: "svc_database_errors_total",
    help: "Failed commands to MongoDB",
    labels: ["collection", "command"],
  },
  objectStore: {
    name: "svc_object_store_errors_total",
    help: "Failed requests to the object store",
    labels: ["operation"],
  },
  publish: {
    name: "svc_publish_errors_total",
    help: "Failed stages of publishes, refusals included",
    labels: ["stage"],
  },
  git: {
    name: "svc_git_errors_total",
    help: "git processes with an exit code other than 0",
    labels: ["command"],
  },
  mail: { name: "svc_mail_errors_total", help: "Mails that could not be handed over", labels: ["transport"] },
  job: { name: "svc_job_errors_total", help: "Failed attempts at jobs", labels: ["job"] },
  sync: { name: "svc_sync_round_errors_total", help: "Failed rounds of syncs", labels: [] },
};

export const counts: Record<CountName, Definition> = {
  cacheRequests: {
    name: "svc_cache_requests_total",
    help: "Look-ups in a cache",
    labels: ["cache", "result"],
  },
  cacheReadBytes: { name: "svc_cache_read_bytes_total", help: "Bytes read from a cache", labels: ["cache"] },
  cacheWrittenBytes: {
    name: "svc_cache_written_bytes_total",
    help: "Bytes written to a cache",
    labels: ["cache"],
  },
  packs: { name: "svc_packs_written_total", help: "Packs written", labels: ["reason"] },
  packBytes: { name: "svc_pack_written_bytes_total", help: "Bytes of packs written", labels: ["reason"] },
  objectStoreBytes: {
    name: "svc_object_store_bytes_total",
    help: "Bytes of objects sent and received",
    labels: ["direction"],
  },
  signIns: { name: "svc_sign_ins_total", help: "Sign-ins of people", labels: ["method", "outcome"] },
  downloads: { name: "svc_downloads_total", help: "Downloads of versions", labels: ["client"] },
  jobRuns: { name: "svc_job_runs_total", help: "Attempts at jobs", labels: ["job", "outcome"] },
  syncs: { name: "svc_syncs_total", help: "Syncs that ended", labels: ["outcome"] },
  scans: { name: "svc_scans_total", help: "Scans of versions", labels: ["verdict"] },
  webhookAttempts: {
    name: "svc_webhook_attempts_total",
    help: "Attempts to send messages of webhooks",
    labels: ["outcome"],
  },
};

export const requestCount: Definition = {
  name: "svc_http_requests_total",
  help: "Requests answered",
  labels: ["method", "route", "status"],
};
export const requestBytes: Definition = {
  name: "svc_http_request_bytes_total",
  help: "Bytes of request bodies",
  labels: ["method", "route"],
};
export const responseBytes: Definition = {
  name: "svc_http_response_bytes_total",
  help: "Bytes of responses, headers included",
  labels: ["method", "route"],
};
export const requestDuration: HistogramDefinition = {
  name: "svc_http_request_duration_seconds",
  help: "Time to answer a request",
  labels: ["method", "route"],
  buckets: requestBuckets,
};

/** State that is read when the page is requested. All processes report the same of what they share. */
export const gauges = {
  build: {
    name: "svc_build_info",
    help: "Release of the process; always 1",
    labels: ["version", "commit", "role"],
  },
  jobs: { name: "svc_queue_jobs", help: "Jobs by state", labels: ["queue", "state"] },
  oldest: {
    name: "svc_queue_oldest_waiting_seconds",
    help: "Time for which the oldest job waits",
    labels: ["queue"],
  },
  connections: { name: "svc_sync_connections", help: "Connections of organizations", labels: ["status"] },
  problems: { name: "svc_sync_problems", help: "Connections with a problem", labels: ["code"] },
  lag: {
    name: "svc_sync_lag_seconds",
    help: "Age of the oldest request for a sync that is not done",
    labels: ["status"],
  },
  diskFree: { name: "svc_disk_free_bytes", help: "Free bytes of the disk of a folder", labels: ["disk"] },
  diskSize: { name: "svc_disk_size_bytes", help: "Size of the disk of a folder", labels: ["disk"] },
  expiry: { name: "svc_expiry_timestamp_seconds", help: "Time of the next expiry", labels: ["kind"] },
  backup: {
    name: "svc_backup_last_success_timestamp_seconds",
    help: "Time of the last backup without faults",
    labels: [],
  },
  forwarding: {
    name: "svc_audit_forwarding_failing_seconds",
    help: "Time for which the receiver of an audit log fails, of the longest",
    labels: [],
  },
  nearLimit: {
    name: "svc_organizations_near_storage_limit",
    help: "Organizations that use 80 % of their storage, or all",
    labels: ["level"],
  },
  backupFailed: { name: "svc_backup_failed", help: "1 if the last backup failed or has faults", labels: [] },
} satisfies Record<string, Definition>;
export type GaugeName = keyof typeof gauges;
