/**
 * The only place where the service asks a remote over HTTP: bounded in bytes and time, to public addresses, along no
 * redirect that leaves the origin, and with credentials in one header and nowhere else. Failures are `RepoError`s that
 * name the host; what a host answers instead of Git is never shown.
 */
import * as http from "node:http";
import * as https from "node:https";
import { RepoError } from "../errors.ts";
import type { Remote } from "../mirror/types.ts";
import { assertPublicHost, publicLookup } from "./address.ts";

export interface Limits {
  /** Most bytes of an answer. */
  maxBytes: number;
  silenceMs: number;
  requestMs: number;
  signal?: AbortSignal | undefined;
}

/** A request as isomorphic-git makes it, and its answer. */
export interface WireRequest {
  url: string;
  method?: string | undefined;
  headers?: Record<string, string> | undefined;
  body?: unknown;
}

export interface WireResponse {
  url: string;
  method: string;
  statusCode: number;
  statusMessage: string;
  headers: Record<string, string>;
  body: AsyncIterableIterator<Uint8Array>;
}

export interface Wire {
  request(request: WireRequest): Promise<WireResponse>;
  close(): Promise<void> | void;
}

const redirectsAtMost = 3;
/** Bytes read of an error response: enough to identify its cause. */
const readErrorBytes = 4096;
const longestWaitMs = 60 * 60_000;

/** The remote's address, after validation. */
export function remoteUrl(remote: Remote & { kind: "http" }): URL {
  const url = parsed(remote.url);
  const invalid = (why: string) => new RepoError("invalid_remote", `the address of the repository ${why}`);
  if (url === undefined) throw invalid("is no URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalid("does not start with https:// or http://");
  if (url.username !== "" || url.password !== "")
    throw invalid("has a user name or password in it: give them separately");
  if (url.search !== "" || url.hash !== "") throw invalid("has a query or fragment");
  if (!remote.allowPrivateNetwork) {
    if (url.protocol === "http:") throw invalid("is not encrypted: use https://");
    assertPublicHost(url.hostname);
  }
  return url;
}

/** One operation's connections to one remote. Responses have to be read to their end, or the wire closed. */
export function openHttpWire(remote: Remote & { kind: "http" }, limits: Limits): Wire {
  const base = remoteUrl(remote);
  const host = base.host;
  const library = base.protocol === "https:" ? https : http;
  const agent = new library.Agent({
    keepAlive: true,
    maxSockets: 2,
    ...(remote.allowPrivateNetwork ? {} : { lookup: publicLookup }),
  });
  /** Where a redirect of the same origin has led: later requests of this operation go there at once. */
  let moved: { from: string; to: string } | undefined;

  function send(
    url: URL,
    method: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      let sent: http.ClientRequest;
      try {
        sent = library.request(url, {
          agent,
          method,
          headers: {
            ...headers,
            "user-agent": "git/svc",
            ...(remote.authorization === undefined ? {} : { authorization: remote.authorization }),
          },
        });
      } catch (error) {
        // A header that can't be sent is refused here and now.
        reject(asUnreachable(error, host));
        return;
      }
      let answered = false;
      const fail = (error: unknown) => {
        const known = asUnreachable(error, host);
        reject(known);
        sent.destroy(known instanceof Error ? known : undefined);
      };
      const late = setTimeout(() => fail(tooSlow(host)), limits.requestMs);
      sent.setTimeout(limits.silenceMs, () => fail(tooSlow(host)));
      const abort = () => fail(new RepoError("remote_unreachable", "the request was given up"));
      if (limits.signal?.aborted === true) abort();
      limits.signal?.addEventListener("abort", abort, { once: true });
      sent.once("close", () => {
        clearTimeout(late);
        limits.signal?.removeEventListener("abort", abort);
      });
      sent.once("response", (response) => {
        answered = true;
        resolve(response);
      });
      // A host that refuses may close while we still send; its answer, if it came, counts more.
      sent.on("error", (error) => (answered ? undefined : fail(error)));
      feed(sent, body).catch((error: unknown) => (answered ? undefined : fail(error)));
    });
  }

  async function request({
    url: asked,
    method = "GET",
    headers = {},
    body,
  }: WireRequest): Promise<WireResponse> {
    let target = new URL(
      moved !== undefined && asked.startsWith(moved.from) ? moved.to + asked.slice(moved.from.length) : asked,
    );
    for (let hop = 0; ; hop++) {
      if (target.origin !== base.origin)
        throw new RepoError("remote_protocol", `${host} sends us to another origin, where we do not follow`);
      await remote.guard?.check();
      const response = await send(target, method, headers, body);
      const status = response.statusCode ?? 0;
      if (status >= 301 && status <= 308 && status !== 304 && status !== 306) {
        response.resume();
        const next = redirectOf(response, target);
        if (method !== "GET" || next === undefined || hop >= redirectsAtMost)
          throw new RepoError("remote_protocol", `${host} redirects us, where we do not follow`);
        moved = prefixOf(asked, next);
        target = next;
        continue;
      }
      if (status !== 200) throw await refusalOf(response, host);
      return {
        url: asked,
        method,
        statusCode: status,
        statusMessage: response.statusMessage ?? "",
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: bounded(response, limits.maxBytes, host),
      };
    }
  }

  return { request, close: () => agent.destroy() };
}

async function feed(request: http.ClientRequest, body: unknown): Promise<void> {
  if (body === undefined) {
    request.end();
    return;
  }
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    if (request.destroyed) return;
    if (!request.write(piece)) await settled(request);
  }
  request.end();
}

/** Waits until the request takes more, or never will. */
function settled(request: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      request.off("drain", settle).off("close", settle);
      resolve();
    };
    request.on("drain", settle).on("close", settle);
  });
}

function redirectOf(response: http.IncomingMessage, from: URL): URL | undefined {
  const { location } = response.headers;
  const next = location === undefined ? undefined : parsed(location, from);
  return next === undefined || next.username !== "" || next.password !== "" ? undefined : next;
}

function parsed(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
}

/** As git does: what a redirect of `…/info/refs` means for the other addresses of the repository. */
function prefixOf(asked: string, next: URL): { from: string; to: string } | undefined {
  const tail = /\/info\/refs\?service=git-[a-z-]+$/;
  return tail.test(asked) && tail.test(next.href)
    ? { from: asked.replace(tail, ""), to: next.href.replace(tail, "") }
    : undefined;
}

async function* bounded(
  response: http.IncomingMessage,
  maxBytes: number,
  host: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  const tooLarge = () =>
    new RepoError("remote_too_large", `${host} sends more than the ${maxBytes} bytes that are allowed`);
  try {
    if (Number(response.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge();
      yield piece;
    }
  } catch (error) {
    throw asUnreachable(error, host);
  } finally {
    response.destroy();
  }
}

const tooSlow = (host: string) => new RepoError("remote_unreachable", `${host} was silent for too long`);

function asUnreachable(error: unknown, host: string): unknown {
  if (error instanceof RepoError) return error;
  if (!(error instanceof Error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  // Its message would quote the header.
  if (code === "ERR_INVALID_CHAR")
    return new RepoError("invalid_remote", "the credentials have characters that no header can have");
  // The cause is named by its code alone: a message may carry what we sent.
  return new RepoError("remote_unreachable", `${host} can't be reached: ${code ?? "connection lost"}`);
}

/** The failure that an answer other than 200 is. */
async function refusalOf(response: http.IncomingMessage, host: string): Promise<RepoError> {
  const status = response.statusCode ?? 0;
  const text = await beginningOf(response);
  const retryAfterMs = waitOf(response);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const limited =
    status === 429 ||
    (status === 403 &&
      (retryAfterMs !== undefined ||
        response.headers["x-ratelimit-remaining"] === "0" ||
        /\b(rate limit|abuse detection)/i.test(text)));
  if (limited) return new RepoError("rate_limited", `${host} asks us to come back later (${status})`, wait);
  if (status === 401 || status === 403 || status === 407)
    return new RepoError("auth_failed", `${host} does not take the credentials (${status})`);
  if (status === 404 || status === 410)
    return new RepoError(
      "remote_missing",
      `${host} has no such repository, or none that these credentials may see`,
    );
  if (status === 413) return new RepoError("remote_too_large", `${host} does not take so large a push (413)`);
  if (status >= 500) return new RepoError("remote_failed", `${host} failed (${status})`, wait);
  return new RepoError("remote_protocol", `${host} answers with status ${status}, which Git does not know`);
}

async function beginningOf(response: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= readErrorBytes) break;
    }
  } catch {
    // The status says enough.
  }
  response.destroy();
  return Buffer.concat(pieces).toString("utf8");
}

/** `Retry-After` in either form, else GitHub's time of reset; at most an hour. */
function waitOf({ headers }: http.IncomingMessage): number | undefined {
  const after = headers["retry-after"];
  const reset = Number(headers["x-ratelimit-remaining"] === "0" ? headers["x-ratelimit-reset"] : NaN);
  let wait = NaN;
  if (after !== undefined) wait = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  else if (!Number.isNaN(reset)) wait = reset * 1000 - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestWaitMs);
}
