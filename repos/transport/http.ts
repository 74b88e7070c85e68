/**
 * Requests to a remote over HTTP. Responses are bounded in bytes and time,
 * addresses are public, redirects stay within the origin, and credentials are in one header only. Failures are
 * `RepoError`s that name the host; a response that is not Git's is never shown.
 */
import type * as http from "node:http";
import { RepoError } from "../errors.ts";
import type { Remote } from "../mirror/types.ts";
import { openConnections } from "./connections.ts";
import { asUnreachable, refusalOf, tooSlow } from "./http-errors.ts";
import { parseUrl, remoteUrl } from "./remote-url.ts";
import type { Limits, Wire, WireRequest, WireResponse } from "./wire.ts";

const defaultRedirects = 3;

/** One operation's connections to one remote. Responses have to be read to their end, or the wire closed. */
export function openHttpWire(remote: Remote & { kind: "http" }, limits: Limits): Wire {
  const base = remoteUrl(remote);
  const { host } = base;
  const connections = openConnections({ allowPrivateNetwork: remote.allowPrivateNetwork, maxSockets: 2 });
  /** The target of a redirect within the origin, which later requests of this operation use directly. */
  let moved: { from: string; to: string } | undefined;

  async function request({
    url: asked,
    method = "GET",
    headers = {},
    body,
  }: WireRequest): Promise<WireResponse> {
    const isMoved = moved !== undefined && asked.startsWith(moved.from);
    let target = new URL(isMoved ? moved!.to + asked.slice(moved!.from.length) : asked);
    const sent = {
      ...headers,
      "user-agent": "git/svc",
      ...(remote.authorization === undefined ? {} : { authorization: remote.authorization }),
    };
    for (let hop = 0; ; hop++) {
      if (target.origin !== base.origin)
        throw new RepoError("remote_protocol", `${host} sends us to another origin, where we do not follow`);
      await remote.guard?.check();
      const open = () => connections.request(target, { method, headers: sent });
      const response = await send(open, body, host, limits);
      if (isRedirect(response)) {
        response.resume();
        const next = redirectOf(response, target);
        if (method !== "GET" || next === undefined || hop >= (limits.maxRedirects ?? defaultRedirects))
          throw new RepoError("remote_protocol", `${host} redirects us, where we do not follow`);
        moved = prefixOf(asked, next);
        target = next;
        continue;
      }
      if (response.statusCode !== 200) throw await refusalOf(response, host, limits.asked);
      return wireResponse(response, asked, method, bounded(response, limits.maxBytes, host));
    }
  }

  return { request, close: () => connections.close() };
}

/** Sends one request and resolves to the head of its response. */
function send(
  open: () => http.ClientRequest,
  body: unknown,
  host: string,
  { requestMs, silenceMs, signal }: Limits,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    let sent: http.ClientRequest;
    try {
      sent = open();
    } catch (error) {
      // A header that can't be sent is refused here.
      reject(asUnreachable(error, host));
      return;
    }
    let isAnswered = false;
    const fail = (error: unknown) => {
      const known = asUnreachable(error, host);
      reject(known);
      sent.destroy(known instanceof Error ? known : undefined);
    };
    const late = setTimeout(() => fail(tooSlow(host)), requestMs);
    sent.setTimeout(silenceMs, () => fail(tooSlow(host)));
    const abort = () => {
      const isLate = signal?.reason instanceof DOMException && signal.reason.name === "TimeoutError";
      fail(isLate ? tooSlow(host) : new RepoError("remote_unreachable", "the request was given up"));
    };
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
    sent.once("close", () => {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
    });
    sent.once("response", (response) => {
      isAnswered = true;
      resolve(response);
    });
    // A host that refuses a request may close the connection during the upload: its response takes precedence.
    sent.on("error", (error) => (isAnswered ? undefined : fail(error)));
    feed(sent, body).catch((error: unknown) => (isAnswered ? undefined : fail(error)));
  });
}

function isRedirect({ statusCode = 0 }: http.IncomingMessage): boolean {
  return statusCode >= 301 && statusCode <= 308 && statusCode !== 304 && statusCode !== 306;
}

function wireResponse(
  { statusCode = 0, statusMessage = "", headers }: http.IncomingMessage,
  url: string,
  method: string,
  body: AsyncGenerator<Uint8Array>,
): WireResponse {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { url, method, statusCode, statusMessage, headers: Object.fromEntries(texts), body };
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

/** Waits until the request accepts more data or is closed. */
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
  const next = location === undefined ? undefined : parseUrl(location, from);
  return next === undefined || next.username !== "" || next.password !== "" ? undefined : next;
}

/** As in git, a redirect of `…/info/refs` applies to the other addresses of the repository. */
function prefixOf(asked: string, next: URL): { from: string; to: string } | undefined {
  const tail = /\/info\/refs\?service=git-[a-z-]+$/;
  return tail.test(asked) && tail.test(next.href)
    ? { from: asked.replace(tail, ""), to: next.href.replace(tail, "") }
    : undefined;
}

/** The body, which fails once it exceeds `maxBytes`. */
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
