/** Messages between a worker process and its job processes. All are plain data, without users' secrets. */
import type { Config } from "../src/config.ts";
import type { Observation } from "../src/metrics/relay.ts";
import { isOutage } from "../src/queue/errors.ts";
import type { EnqueueOptions } from "../src/queue/index.ts";
import type { JobName } from "../src/queue/jobs.ts";
import type { ChildJobName, ChildPayloads } from "./child-jobs.ts";

export type ToChild =
  | {
      kind: "run";
      name: ChildJobName;
      payload: ChildPayloads[ChildJobName];
      /** Services to connect to; used at the first run. */
      services: { config: Config; mongodbUrl: string };
      /** The trace that the job continues. */
      traceparent: string | undefined;
    }
  /** The answer to a request to queue a job. */
  | { kind: "queued"; id: number; error?: string }
  | { kind: "close" };

export type FromChild =
  | { kind: "done"; result: unknown }
  | { kind: "failed"; error: SentError }
  | { kind: "observed"; observations: Observation[] }
  | {
      kind: "enqueue";
      id: number;
      name: JobName;
      payload: object;
      options: EnqueueOptions | undefined;
    };

/** An error as it is sent between processes, with the properties that decide on retries. */
export interface SentError {
  name: string;
  message: string;
  stack: string | undefined;
  code: string | undefined;
  retryable: boolean | undefined;
  retryAfterMs: number | undefined;
  /** The database was unavailable. */
  isOutage: true | undefined;
}

export function sendable(error: unknown): SentError {
  if (!(error instanceof Error))
    return {
      name: "Error",
      message: String(error),
      stack: undefined,
      code: undefined,
      retryable: undefined,
      retryAfterMs: undefined,
      isOutage: undefined,
    };
  const { code, retryable, retryAfterMs } = error as { code?: unknown; retryable?: unknown } & {
    retryAfterMs?: unknown;
  };
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code: typeof code === "string" ? code : undefined,
    retryable: typeof retryable === "boolean" ? retryable : undefined,
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : undefined,
    isOutage: isOutage(error) || undefined,
  };
}

export function receive({ message, ...rest }: SentError): Error {
  const known = Object.entries(rest).filter(([, value]) => value !== undefined);
  return Object.assign(new Error(message), Object.fromEntries(known));
}
