/** Single HTTP requests with bodies in memory, bounded in time and bytes, through the proxy of the environment. */
import type * as http from "node:http";
import { RepoError } from "../errors.ts";
import { openConnections } from "../transport/connections.ts";
import { asUnreachable, tooSlow } from "../transport/http-errors.ts";

export interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  body: readonly Buffer[];
  /** Limit of the response. */
  maxBytes: number;
}

export interface HttpResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export interface HttpClient {
  /** Throws `RepoError`: `remote_unreachable` also for a response that was cut off. */
  send(url: URL, request: HttpRequest): Promise<HttpResponse>;
  /** Closes all connections. */
  close(): void;
}

/** Time without a byte in either direction. */
const silenceMs = 20_000;
/** Slowest upload or download that is waited for. */
const leastBytesPerMs = 50;
const maxSockets = 64;

/** The operator names the server, which may be on a private address. */
export function openHttpClient(): HttpClient {
  const connections = openConnections({ allowPrivateNetwork: true, maxSockets });
  return {
    send: (url, request) => sendOnce(connections.request(url, optionsOf(request)), url, request),
    close: () => connections.close(),
  };
}

const sizeOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, piece) => sum + piece.length, 0);

function optionsOf({ method, headers, body }: HttpRequest) {
  const length = sizeOf(body);
  const hasBody = method === "PUT" || method === "POST" || length > 0;
  return { method, headers: hasBody ? { ...headers, "content-length": String(length) } : headers };
}

function sendOnce(
  request: http.ClientRequest,
  url: URL,
  { body, maxBytes }: HttpRequest,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const allowedMs = 2 * silenceMs + (sizeOf(body) + maxBytes) / leastBytesPerMs;
    const late = setTimeout(() => fail(tooSlow(url.host)), allowedMs);
    const fail = (error: unknown) => {
      clearTimeout(late);
      reject(asUnreachable(error, url.host));
      request.destroy();
    };
    request.setNoDelay(true);
    request.setTimeout(silenceMs, () => fail(tooSlow(url.host)));
    request.on("error", fail);
    request.once("response", (response) => {
      response.on("error", fail);
      response.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > maxBytes)
          return fail(new RepoError("remote_protocol", `${url.host} sent more bytes than requested`));
        pieces.push(piece);
      });
      response.once("close", () => {
        if (!response.complete) fail(new Error("the response was cut off"));
      });
      response.once("end", () => {
        if (!response.complete) return;
        clearTimeout(late);
        const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole });
      });
    });
    for (const piece of body) request.write(piece);
    request.end();
  });
}
