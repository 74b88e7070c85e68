/**
 * One HTTP exchange with Node's HTTP client. Not fetch: loading it takes longer than everything else that a
 * short command does. `http.ts` handles redirects, retries and statuses.
 */
import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import { type Readable, pipeline } from "node:stream";
import { isLoopback } from "./address.ts";

export interface Exchange {
  method: string;
  headers: Record<string, string>;
  body?: string | Readable;
  /** Limit until the response head, and for each pause in the body (60 s at most). */
  timeoutMs: number;
  /** Environment with the usual proxy variables: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`. */
  env: NodeJS.ProcessEnv;
  /** Aborts the exchange. */
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  /** Between 200 and 299. */
  ok: boolean;
  url: string;
  /** A header by its lower-case name; the first one if it is repeated. */
  header: (name: string) => string | undefined;
  /** The body, decompressed. A truncated body is an error. */
  body: AsyncIterable<Buffer>;
  /** Throws if the body is longer than `textBytesMax`. */
  text: () => Promise<string>;
  /** Discards an unread body: the connection can't be reused then. */
  discard: () => void;
}

/** Far above the largest response, a page of 200 skills or a text of 512 KB; a wrong address may send anything. */
const textBytesMax = 64 * 1024 * 1024;
const silenceMs = 60_000;

/** Throws errors of the connection, with the codes of `node:net`, `node:dns` and `node:tls`. */
export async function exchange(url: URL, given: Exchange): Promise<Answer> {
  const { body } = given;
  const { request: open } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent = await proxyAgent(url, given.env);
  // Compression takes longer than the transfer within one machine.
  const encoding = isLoopback(url.hostname) ? "identity" : "gzip";
  const headers: Record<string, string> = { "accept-encoding": encoding, ...given.headers };
  if (typeof body === "string") headers["content-length"] = String(Buffer.byteLength(body));
  const options: RequestOptions = { method: given.method, headers };
  if (agent !== undefined) options.agent = agent;
  if (given.signal !== undefined) options.signal = given.signal;

  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = open(url, options);
    const timer = setTimeout(
      () => request.destroy(new Error("the server did not answer in time")),
      given.timeoutMs,
    );
    request.once("response", (message) => {
      clearTimeout(timer);
      resolve(message);
    });
    // After the response head, the body reports errors.
    request.on("error", (error) => {
      clearTimeout(timer);
      reject(agent === undefined ? error : Object.assign(error, { proxy: proxyOf(agent) }));
    });
    if (body === undefined || typeof body === "string") request.end(body);
    else
      pipeline(body, request, (error) => {
        if (error) request.destroy(error);
      });
  });
  return answerOf(url, response, Math.min(given.timeoutMs, silenceMs));
}

function answerOf(url: URL, response: IncomingMessage, pauseMs: number): Answer {
  const status = response.statusCode!;
  const header = (name: string): string | undefined => [response.headers[name]].flat()[0];
  const isCompressed = header("content-encoding") === "gzip";
  // A silent server must not block a pipeline forever; a slow one is allowed.
  response.setTimeout(pauseMs, () => response.destroy(new Error("the server stopped sending")));
  return {
    status,
    ok: status >= 200 && status <= 299,
    url: url.href,
    header,
    body: {
      [Symbol.asyncIterator]: () =>
        isCompressed ? decompressed(response) : response[Symbol.asyncIterator](),
    },
    async text() {
      const bytes = await bytesOf(response);
      if (!isCompressed || bytes.length === 0) return bytes.toString("utf8");
      // At once: a stream takes longer to set up, and starts threads.
      const { gunzipSync } = await import("node:zlib");
      return gunzipSync(bytes, { maxOutputLength: textBytesMax }).toString("utf8");
    },
    discard() {
      // Errors of an unread body are ignored.
      response.on("error", () => {}).destroy();
    },
  };
}

async function* decompressed(response: IncomingMessage): AsyncGenerator<Buffer> {
  const { createGunzip } = await import("node:zlib");
  // Errors of either end reach the reader.
  yield* pipeline(response, createGunzip(), () => {}) as AsyncIterable<Buffer>;
}

/** By events, since an iterator takes longer to set up. */
function bytesOf(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return reject(response.errored ?? new Error("the connection was closed"));
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > textBytesMax)
        response.destroy(new Error(`the answer is longer than ${textBytesMax} bytes`));
      else chunks.push(chunk);
    });
    response.once("error", reject);
    response.once("end", () => resolve(Buffer.concat(chunks)));
  });
}

/** The address of the proxy that an agent uses, without its credentials. */
function proxyOf(agent: Agent): string | undefined {
  const { proxy } = agent as Agent & { proxy?: URL };
  return proxy?.host;
}

/** Loaded only if a proxy is set. */
async function proxyAgent(url: URL, env: NodeJS.ProcessEnv): Promise<Agent | undefined> {
  const isSet = ["https_proxy", "http_proxy", "all_proxy"].some(
    (name) => (env[name] ?? env[name.toUpperCase()] ?? "") !== "",
  );
  // This machine is never reached through a proxy.
  if (!isSet || isLoopback(url.hostname)) return undefined;
  const { getProxyForUrl } = await import("proxy-from-env");
  const proxy = getProxyForUrl(url.href);
  if (proxy === "") return undefined;
  if (url.protocol === "https:") return new (await import("https-proxy-agent")).HttpsProxyAgent(proxy);
  return new (await import("http-proxy-agent")).HttpProxyAgent(proxy);
}
