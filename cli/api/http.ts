/** Requests: time limits, retries, redirects; transport errors are `E_NETWORK`. */
import type { Readable } from "node:stream";
import { CliError } from "../errors.ts";
import { isTransient, networkError } from "./network-error.ts";
import { type Answer, exchange } from "./transport.ts";

export interface HttpOptions {
  /** Address of the service, with an optional path, without a trailing slash. */
  baseUrl: string;
  token: string | undefined;
  /** Signs calls instead of sending a token. */
  sign?: Signer;
  userAgent: string;
  sleep: (ms: number) => Promise<void>;
  /** Shows that the command waits for a response. */
  waiting?: <T>(label: string, work: () => Promise<T>) => Promise<T>;
  /** Shows why the command pauses, before all other operations. */
  pausing?: <T>(label: string, work: () => Promise<T>) => Promise<T>;
  env: NodeJS.ProcessEnv;
  /** Each request is sent once, with this time limit for the response head: its failure has no consequence. */
  onceWithinMs?: number;
}

/** The headers with a call's signature, generated for each attempt. */
export type Signer = (call: {
  method: string;
  /** Path relative to the service's address, with the query. */
  path: string;
  body: string;
  /** SHA-256 of a streamed body. */
  bodySha256: string | undefined;
}) => Record<string, string>;

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A path under the base address, or a URL from the service, which must have the service's origin. */
  url: string;
  headers?: Record<string, string>;
  /** A stream is opened for each attempt. */
  body?: string | (() => Readable);
  /** Hexadecimal SHA-256 of a streamed body, for its signature. */
  bodySha256?: string;
  /** Time limit for the response head, and for each pause that a refusal requires. */
  timeoutMs?: number;
  /** The caller waits and repeats the request itself. */
  isSentOnce?: true;
}

const headTimeoutMs = 60_000;
const attempts = 4;
const redirectsMax = 5;
/** Longest pause that a response may require, and all pauses of a request; the user decides about longer ones. */
const retryAfterMaxMs = 90_000;
const pausesMaxMs = 10 * 60_000;
/** Requests that a service refused for now are sent again this often. */
const refusedAttempts = 50;

/**
 * Sends a request and returns the response with any status. A refusal for now (429 or 503 with `Retry-After`) is
 * waited for, whatever the request, as it had no effect. GETs are also repeated on dropped connections and 5xx of a
 * gateway, with growing pauses and jitter. Nothing is sent to any origin but the service's own: neither by an address
 * that the service names nor by a redirect.
 */
export async function send(options: HttpOptions, request: HttpRequest): Promise<Answer> {
  let pausedMs = 0;
  for (let attempt = 1; ; attempt++) {
    const isOnce = options.onceWithinMs !== undefined;
    const last = attempt === attempts || request.method !== "GET" || isOnce;
    try {
      const response = await sendOnce(options, request);
      const retryAfter = response.header("retry-after");
      const isForNow = isRefusedForNow(response.status, retryAfter) && request.isSentOnce !== true && !isOnce;
      if (isForNow ? attempt >= refusedAttempts : last || !isWorthRetrying(response.status)) return response;
      const waitMs = pauseMs(Math.min(attempt, attempts), retryAfter);
      pausedMs += waitMs;
      if (waitMs > Math.min(retryAfterMaxMs, request.timeoutMs ?? Infinity) || pausedMs > pausesMaxMs)
        return response;
      response.discard();
      await pause(options, waitMs);
    } catch (error) {
      if (last || !isTransient(error)) throw networkError(error, request.url, options.baseUrl);
      await options.sleep(pauseMs(attempt, undefined));
    }
  }
}

/** A pause that a person notices is explained. */
async function pause({ sleep, pausing }: HttpOptions, waitMs: number): Promise<void> {
  if (pausing === undefined || waitMs < 1000) return sleep(waitMs);
  await pausing(`The service is busy: continuing in ${Math.ceil(waitMs / 1000)} s`, () => sleep(waitMs));
}

async function sendOnce(options: HttpOptions, request: HttpRequest): Promise<Answer> {
  const origin = new URL(options.baseUrl).origin;
  let url = new URL(request.url.startsWith("/") ? options.baseUrl + request.url : request.url);
  if (url.origin !== origin)
    throw new CliError(
      "E_NETWORK",
      `${origin} names an address at ${url.origin}, and svc sends requests to the service itself only.`,
    );

  for (let hops = 0; ; hops++) {
    const body = typeof request.body === "function" ? request.body() : request.body;
    const response = await exchange(url, {
      method: request.method,
      timeoutMs: request.timeoutMs ?? options.onceWithinMs ?? headTimeoutMs,
      env: options.env,
      headers: {
        accept: "application/json",
        "user-agent": options.userAgent,
        "x-svc-client": "cli",
        ...request.headers,
        ...credentials(options, request, url),
      },
      body,
    });
    if (response.status < 300 || response.status > 399 || response.status === 304) return response;

    response.discard();
    const location = response.header("location");
    const next =
      location === undefined || !URL.canParse(location, url.href) ? undefined : new URL(location, url);
    if (next === undefined || hops === redirectsMax || request.method !== "GET" || next.origin !== origin)
      throw new CliError("E_NETWORK", redirected(origin, { method: request.method, url, next }), {
        httpStatus: response.status,
      });
    url = next;
  }
}

/** Why a redirect is not followed. The service itself redirects no call of its API. */
function redirected(
  origin: string,
  { method, url, next }: { method: string; url: URL; next: URL | undefined },
): string {
  if (next !== undefined && next.origin !== origin)
    return `${origin} redirects to ${next.origin}: set SVC_API_URL to that address if you trust it.`;
  if (next === undefined || method === "GET")
    return `${origin} answers with redirects that lead nowhere: check the address in SVC_API_URL.`;
  return (
    `${origin} redirects ${method} ${url.pathname} to ${next.pathname}: a proxy in front of the service changes ` +
    "paths, and has to forward them unchanged."
  );
}

function credentials(options: HttpOptions, request: HttpRequest, url: URL): Record<string, string> {
  const { sign, token, baseUrl } = options;
  if (sign === undefined) return token === undefined ? {} : { authorization: `Bearer ${token}` };
  const base = new URL(baseUrl).pathname.replace(/\/$/, "");
  const path = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : url.pathname;
  const body = typeof request.body === "string" ? request.body : "";
  return sign({ method: request.method, path: path + url.search, body, bodySha256: request.bodySha256 });
}

function isRefusedForNow(status: number, retryAfter: string | undefined): boolean {
  return (status === 429 || status === 503) && retryAfter !== undefined;
}

function isWorthRetrying(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

function pauseMs(attempt: number, retryAfter: string | undefined): number {
  if (retryAfter !== undefined) {
    const seconds = Number(retryAfter);
    const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - Date.now();
    if (Number.isFinite(ms)) return Math.max(0, ms);
  }
  return 150 * 2 ** attempt * (0.5 + Math.random());
}
