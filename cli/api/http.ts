/** Requests: time limits, retries, redirects; transport errors are `E_NETWORK`. */
import type { Readable } from "node:stream";
import { CliError } from "../errors.ts";
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
  env: NodeJS.ProcessEnv;
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
  body?: string | Readable;
  /** Hexadecimal SHA-256 of a streamed body, for its signature. */
  bodySha256?: string;
  /** Time limit for the response head. */
  timeoutMs?: number;
}

const headTimeoutMs = 60_000;
const attempts = 4;
const redirectsMax = 5;
/** Longest pause before a retry; the user decides about longer ones. */
const retryAfterMaxMs = 10_000;

/**
 * Sends a request and returns the response with any status. GETs are repeated on dropped connections, 429 and 5xx
 * of a gateway, with growing pauses and jitter; everything else is sent once. Nothing is sent to any origin but the
 * service's own: neither by an address that the service names nor by a redirect.
 */
export async function send(options: HttpOptions, request: HttpRequest): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const last = attempt === attempts || request.method !== "GET";
    try {
      const response = await sendOnce(options, request);
      if (last || !isWorthRetrying(response.status)) return response;
      const waitMs = pauseMs(attempt, response.header("retry-after"));
      if (waitMs > retryAfterMaxMs) return response;
      response.discard();
      await options.sleep(waitMs);
    } catch (error) {
      if (last || !isTransient(error)) throw networkError(error, request.url, options.baseUrl);
      await options.sleep(pauseMs(attempt, undefined));
    }
  }
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
    const response = await exchange(url, {
      method: request.method,
      timeoutMs: request.timeoutMs ?? headTimeoutMs,
      env: options.env,
      headers: {
        accept: "application/json",
        "user-agent": options.userAgent,
        "x-svc-client": "cli",
        ...request.headers,
        ...credentials(options, request, url),
      },
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    if (response.status < 300 || response.status > 399 || response.status === 304) return response;

    response.discard();
    const location = response.header("location");
    const next =
      location === undefined || !URL.canParse(location, url.href) ? undefined : new URL(location, url);
    if (next === undefined || hops === redirectsMax || request.method !== "GET" || next.origin !== origin)
      throw new CliError(
        "E_NETWORK",
        next === undefined || next.origin === origin
          ? `${origin} answers with redirects that lead nowhere: check the address in SVC_API_URL.`
          : `${origin} redirects to ${next.origin}: set SVC_API_URL to that address if you trust it.`,
        { httpStatus: response.status },
      );
    url = next;
  }
}

function credentials(options: HttpOptions, request: HttpRequest, url: URL): Record<string, string> {
  const { sign, token, baseUrl } = options;
  if (sign === undefined) return token === undefined ? {} : { authorization: `Bearer ${token}` };
  const base = new URL(baseUrl).pathname.replace(/\/$/, "");
  const path = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : url.pathname;
  const body = typeof request.body === "string" ? request.body : "";
  return sign({ method: request.method, path: path + url.search, body, bodySha256: request.bodySha256 });
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

/** The system's error code, possibly of a `cause`, or of the first of several addresses that were tried. */
function causeCode(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
    if (cause instanceof AggregateError && cause.errors[0] instanceof Error)
      return (cause.errors[0] as NodeJS.ErrnoException).code;
  }
  return undefined;
}

function isTransient(error: unknown): boolean {
  const code = causeCode(error);
  return (
    code !== undefined && ["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"].includes(code)
  );
}

/** The error for a transport failure; a `CliError` is returned unchanged. */
export function networkError(error: unknown, url: string, baseUrl: string): CliError {
  if (error instanceof CliError) return error;
  const host = URL.canParse(url) ? new URL(url).origin : new URL(baseUrl).origin;
  const code = causeCode(error) ?? "";
  return new CliError("E_NETWORK", `Cannot reach ${host}: ${reasonFor(code, error)}.`, undefined, {
    cause: error,
  });
}

function reasonFor(code: string, error: unknown): string {
  if (code === "ECONNREFUSED") return "nothing answers there";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name cannot be resolved; are you online";
  if (code === "ETIMEDOUT") return "it did not answer in time";
  if (code === "ECONNRESET" || code === "EPIPE" || code === "ERR_STREAM_PREMATURE_CLOSE")
    return "the connection broke off";
  if (code.startsWith("ERR_TLS") || /CERT|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return `its certificate is not accepted (${code})`;
  return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
}
