/**
 * GitHub's REST interface through Octokit, within limits: no redirect to another origin, a limit on time and bytes, and
 * each failure is one of the closed list. No message contains text of the host.
 */
import { Octokit } from "@octokit/rest";
import { RepoError } from "../errors.ts";
import type { HostGuard } from "../guard.ts";
import { openGuardedFetch } from "../transport/guarded-fetch.ts";

const timeoutMs = 20_000;
const maxBytes = 8 * 1024 * 1024;
const maxRedirects = 3;
/** Wait that GitHub recommends if the response to a secondary limit names no time. */
const secondaryLimitMs = 60_000;
const longestWaitMs = 3_600_000;

export type GitHubClient = Octokit;

export interface GitHubAddress {
  /** `https://api.github.com`; of an Enterprise server `…/api/v3`. */
  apiUrl: string;
  /** Checked before each request, redirects included. */
  guard?: HostGuard;
}

/** Connections of all clients. The operator has set the address, so it may be a private one. */
const requests = openGuardedFetch({
  allowPrivateNetwork: true,
  firstByteMs: timeoutMs,
  silenceMs: timeoutMs,
  maxBytes,
});

/** A token that nobody has received expires by itself. */
const idempotentPosts = /\/access_tokens$/;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A client that sends this token; without one it sends what its caller puts into the header. */
export function openGitHubClient({ apiUrl, guard }: GitHubAddress, token?: string): GitHubClient {
  return new Octokit({
    baseUrl: apiUrl,
    userAgent: "svc",
    log: silent,
    request: {
      fetch: (input: string | URL | Request, init?: RequestInit) => boundedFetch(input, init, guard),
    },
    auth: token,
  });
}

/** Runs a call and gives its data, which must be JSON. Throws `RepoError` with `what` in its sentence. */
export async function askGitHub<T extends object>(
  what: string,
  call: () => Promise<{ data: T; headers: object }>,
): Promise<{ data: T; headers: Record<string, unknown> }> {
  let answer: { data: T; headers: object };
  try {
    answer = await call();
  } catch (error) {
    throw failureOf(error, what);
  }
  if (typeof answer.data !== "object" || answer.data === null)
    throw new RepoError("remote_protocol", `${what}: unexpected response from GitHub.`);
  return { data: answer.data, headers: { ...answer.headers } };
}

/** The status that a failed call was answered with; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return answerOf(error)?.status;
}

interface Answered {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Octokit gives errors of the network a status as well, but no response. */
function answerOf(error: unknown): Answered | undefined {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return undefined;
  const response = "response" in error ? error.response : undefined;
  if (typeof response !== "object" || response === null) {
    return error.status === 304 ? { status: 304, headers: {}, text: "" } : undefined;
  }
  const headers = "headers" in response && typeof response.headers === "object" ? response.headers : {};
  return { status: error.status, headers: { ...headers }, text: error.message };
}

function failureOf(error: unknown, what: string): unknown {
  if (error instanceof RepoError) return error;
  if (!(error instanceof Error)) return error;
  const refused = error.cause instanceof RepoError ? error.cause : undefined;
  if (refused?.code === "remote_unreachable")
    return new RepoError(refused.code, `${what}: ${refused.message}.`, { cause: refused });
  if (refused) return refused;
  const answer = answerOf(error);
  // A failure of the connection is an error without a response; its cause contains no token.
  if (!answer) {
    if (!("status" in error)) return error;
    return new RepoError("remote_unreachable", `${what}: GitHub can't be reached.`, { cause: error.cause });
  }
  const { status } = answer;
  const retryAfterMs = waitOf(answer);
  if (retryAfterMs !== undefined)
    return new RepoError("rate_limited", `${what}: GitHub asks to wait.`, { retryAfterMs });
  if (status === 401) return new RepoError("auth_failed", `${what}: GitHub does not take the credentials.`);
  if (status === 403)
    return new RepoError("auth_failed", `${what}: the credentials do not allow it at GitHub.`);
  if (status === 404 || status === 410 || status === 451)
    return new RepoError("remote_missing", `${what}: GitHub shows no such thing to these credentials.`);
  if (status >= 500) return new RepoError("remote_failed", `${what}: GitHub failed (${status}).`);
  return new RepoError("remote_protocol", `${what}: GitHub answered ${status}.`);
}

/** Milliseconds to wait for a primary or secondary rate limit; undefined for other responses. */
function waitOf({ status, headers, text }: Answered): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = Number(headers["retry-after"]);
  if (Number.isFinite(after) && after > 0) return Math.min(after * 1000, longestWaitMs);
  if (headers["x-ratelimit-remaining"] === "0") {
    const reset = Number(headers["x-ratelimit-reset"]) * 1000 - Date.now();
    return Number.isFinite(reset) ? Math.min(Math.max(reset, 1000), longestWaitMs) : secondaryLimitMs;
  }
  return status === 429 || /rate limit|abuse detection/i.test(text) ? secondaryLimitMs : undefined;
}

/** `fetch` within limits. A renamed repository is a redirect within the interface, which is followed. */
async function boundedFetch(
  input: string | URL | Request,
  init: RequestInit = {},
  guard?: HostGuard,
): Promise<Response> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(guard ? [guard.signal] : [])]);
  let url = new URL(input instanceof Request ? input.url : input);
  for (let hops = 0; ; hops++) {
    await guard?.check();
    const isIdempotent = idempotentPosts.test(url.pathname) || undefined;
    const response = await requests.fetch(url, { ...init, signal, isIdempotent });
    const location = response.headers.get("location");
    const isRedirect = [301, 302, 307, 308].includes(response.status) && location !== null;
    if (!isRedirect) return readWhole(response, url);
    await response.body?.cancel();
    const next = new URL(location, url);
    const isRead = (init.method ?? "GET").toUpperCase() === "GET";
    if (next.origin !== url.origin || !isRead || hops >= maxRedirects)
      throw new RepoError("remote_protocol", "GitHub's interface leads elsewhere.");
    url = next;
  }
}

async function readWhole(response: Response, url: URL): Promise<Response> {
  const text = await response.text();
  const { status, statusText, headers } = response;
  const whole = new Response(text === "" ? null : text, { status, statusText, headers });
  Object.defineProperty(whole, "url", { value: url.href });
  return whole;
}
