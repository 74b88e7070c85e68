/**
 * `fetch` for addresses that users name: https only, public addresses only, checked when the connection is opened, and
 * bounded in time and bytes. It follows no redirect, so that each hop is a call of its own, with the same checks.
 */
import type * as http from "node:http";
import { RepoError } from "../errors.ts";
import { assertPublicHost } from "./address.ts";
import { BytesResponse } from "./bytes-response.ts";
import { mayBeUnencrypted, openConnections } from "./connections.ts";
import { asUnreachable, LostConnectionError, tooSlow } from "./http-errors.ts";
import { countJsonParts } from "./json-parts.ts";
import { parseUrl } from "./remote-url.ts";

export interface FetchLimits {
  /** Allows http, and addresses of this machine and of private networks. */
  allowPrivateNetwork: boolean;
  /** Time until the head of the response, with all attempts. */
  firstByteMs: number;
  /** Pause within the body of a response that is not a stream of events. */
  silenceMs: number;
  /** Bytes of one response. */
  maxBytes: number;
  /** Ends the body of a longer response there, instead of refusing it. */
  truncates?: true;
  /** Bytes of a stream of events, if not as many. */
  maxStreamBytes?: number;
  /** Brackets, commas and colons of a JSON body, or of one event. */
  maxJsonParts?: number;
}

export interface FetchInit extends RequestInit {
  /** Whether sending the request twice does no harm, as RFC 9110 (9.2.2) says of GET, HEAD, PUT and DELETE. */
  isIdempotent?: boolean;
}

export interface GuardedFetch {
  /**
   * Throws `RepoError` with the codes of `http.ts`; its message names the host and no text of the response. An
   * idempotent request is sent again if its connection was an idle one that the host had just closed.
   */
  fetch(url: string | URL, init?: FetchInit): Promise<Response>;
  /** Ends all connections. */
  close(): void;
}

/** Time after which the system asks an idle peer whether it is still there. */
const probeMs = 30_000;
/** Attempts of one request, each of which needs an idle connection that was closed. */
const maxAttempts = 5;
const idempotentMethods = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);

export function openGuardedFetch(limits: FetchLimits): GuardedFetch {
  const { allowPrivateNetwork } = limits;
  const connections = openConnections({ allowPrivateNetwork, maxSockets: 64 });
  return {
    async fetch(asked, init = {}) {
      const url = checkUrl(asked, limits);
      const { method, headers: given, body } = await requestOf(url, init);
      const headers = {
        ...Object.fromEntries(given),
        ...(body === undefined ? {} : { "content-length": String(body.length) }),
      };
      const signal = init.signal ?? undefined;
      const isIdempotent = init.isIdempotent ?? idempotentMethods.has(method);
      const end = performance.now() + limits.firstByteMs;
      for (let attempt = 1; ; attempt++) {
        const request = connections.request(url, { method, headers });
        request.setNoDelay(true);
        let response: http.IncomingMessage;
        try {
          const left = Math.max(1, end - performance.now());
          response = await headOf(request, body, url.host, left, signal);
        } catch (error) {
          const isStale = request.reusedSocket && error instanceof LostConnectionError;
          if (!isStale || !isIdempotent || attempt === maxAttempts) throw error;
          continue;
        }
        return toResponse(response, request, url.host, limits, signal);
      }
    },
    close: () => connections.close(),
  };
}

/** Parts of a request. A `Request`, which reads any kind of body, takes longer than the rest of a call. */
async function requestOf(
  url: URL,
  init: RequestInit,
): Promise<{ method: string; headers: Headers; body: Buffer | undefined }> {
  const headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
  const isText = typeof init.body === "string" && headers.has("content-type");
  if (isText || init.body === undefined || init.body === null) {
    const body = isText ? Buffer.from(init.body as string) : undefined;
    return { method: (init.method ?? "GET").toUpperCase(), headers, body };
  }
  const { signal: _signal, ...rest } = init;
  const sent = new Request(url, { ...rest, redirect: "manual" });
  return { method: sent.method, headers: sent.headers, body: Buffer.from(await sent.arrayBuffer()) };
}

function checkUrl(asked: string | URL, { allowPrivateNetwork }: FetchLimits): URL {
  const url = parseUrl(String(asked));
  const invalid = (why: string) => new RepoError("invalid_remote", `the address of the server ${why}`);
  if (!url) throw invalid("is not a valid URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw invalid("does not start with https://");
  if (url.username !== "" || url.password !== "") throw invalid("has a user name or password in it");
  if (!allowPrivateNetwork) {
    if (url.protocol === "http:" && !mayBeUnencrypted(url)) throw invalid("is not encrypted: use https://");
    assertPublicHost(url.hostname);
  }
  return url;
}

function headOf(
  request: http.ClientRequest,
  body: Buffer | undefined,
  host: string,
  firstByteMs: number,
  signal: AbortSignal | undefined,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(signal?.aborted ? signal.reason : asUnreachable(error, host));
      request.destroy();
    };
    const late = setTimeout(() => fail(tooSlow(host)), firstByteMs);
    const abort = () => fail(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const settled = () => {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
    };
    request.once("response", (response) => {
      settled();
      resolve(response);
    });
    request.on("error", (error) => {
      settled();
      fail(error);
    });
    // A dead peer of an idle stream is noticed.
    request.once("socket", (socket) => socket.setKeepAlive(true, probeMs));
    if (signal?.aborted) abort();
    else request.end(body);
  });
}

const withoutBody = new Set([204, 205, 304]);

async function toResponse(
  message: http.IncomingMessage,
  request: http.ClientRequest,
  host: string,
  limits: FetchLimits,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) {
    request.destroy();
    throw new RepoError("remote_protocol", `${host} answers with status ${status}`);
  }
  const headers = new Headers();
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    const name = message.rawHeaders[at]!;
    // The body is passed on as it is, in one piece.
    if (!/^(content-length|transfer-encoding|connection|keep-alive|set-cookie)$/i.test(name))
      headers.append(name, message.rawHeaders[at + 1]!);
  }
  if (withoutBody.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  if (!limits.truncates && /^text\/event-stream\b/i.test(headers.get("content-type") ?? "")) {
    const body = boundedBody(message, host, limits, signal);
    return new Response(streamOf(body, message), { status, headers });
  }
  message.setTimeout(limits.silenceMs, () => message.destroy(tooSlow(host)));
  return new BytesResponse(await bytesOf(message, host, limits, signal), { status, headers });
}

/** The whole body. A stream, and a generator of its pieces, would take longer than the rest of the response. */
function bytesOf(
  message: http.IncomingMessage,
  host: string,
  { maxBytes, maxJsonParts = Infinity, truncates }: FetchLimits,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const count = countJsonParts(host, maxJsonParts, false);
  return new Promise((resolve, reject) => {
    const abort = () => message.destroy();
    const fail = (error: unknown) => {
      signal?.removeEventListener("abort", abort);
      reject(signal?.aborted ? signal.reason : asUnreachable(error, host));
      message.destroy();
    };
    const pieces: Buffer[] = [];
    const succeed = () => {
      signal?.removeEventListener("abort", abort);
      resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    };
    let bytes = 0;
    if (Number(message.headers["content-length"] ?? 0) > maxBytes && !truncates)
      return fail(tooLarge(host, maxBytes));
    message.on("error", fail);
    message.once("close", () => fail(new Error("the response was cut off")));
    message.on("data", (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > maxBytes) {
        if (!truncates) return fail(tooLarge(host, maxBytes));
        succeed();
        return void message.destroy();
      }
      try {
        count(piece);
      } catch (error) {
        fail(error);
      }
    });
    message.once("end", succeed);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
  });
}

const tooLarge = (host: string, maxBytes: number) =>
  new RepoError("remote_too_large", `${host} sends more than the ${maxBytes} bytes that are allowed`);

/** The body, which fails once it exceeds the limit. */
async function* boundedBody(
  message: http.IncomingMessage,
  host: string,
  { maxBytes: maxBody, maxStreamBytes: maxBytes = maxBody, maxJsonParts = Infinity }: FetchLimits,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const count = countJsonParts(host, maxJsonParts, true);
  const abort = () => message.destroy();
  signal?.addEventListener("abort", abort, { once: true });
  let bytes = 0;
  try {
    signal?.throwIfAborted();
    if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(host, maxBytes);
    for await (const piece of message as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge(host, maxBytes);
      count(piece);
      yield piece;
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : asUnreachable(error, host);
  } finally {
    signal?.removeEventListener("abort", abort);
    message.destroy();
  }
}

function streamOf(body: AsyncGenerator<Buffer>, message: http.IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await body.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        controller.error(error);
      }
    },
    cancel() {
      // The generator may be waiting for the next piece.
      message.destroy();
    },
  });
}
