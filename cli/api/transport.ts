/**
 * One HTTP exchange over Node's own client. Not fetch: loading that takes longer than everything else a short command
 * does. Redirects, retries and what a status means are `http.ts`'s.
 */
import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import { type Readable, pipeline } from "node:stream";
import { pipeline as pipelineDone } from "node:stream/promises";

export interface Exchange {
  method: string;
  headers: Record<string, string>;
  body?: string | Readable;
  /** Until the answer's head is there, and for each pause in its body, which may be 60 s at most. */
  timeoutMs: number;
  /** Where proxies are named, as every tool reads them: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`. */
  env: NodeJS.ProcessEnv;
  /** Ends the exchange, whatever it has come to. */
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  /** Between 200 and 299. */
  ok: boolean;
  url: string;
  /** A header by its lower-case name; of several equal ones the first. */
  header: (name: string) => string | undefined;
  /** The body, decompressed. Its end before all of it came is an error. */
  body: AsyncIterable<Buffer>;
  /** Throws when the body is longer than `textBytesMax`. */
  text: () => Promise<string>;
  /** Whoever does not read the body says so: the connection is of no use to others then. */
  discard: () => void;
}

/** Far over the largest answer, a page of 200 skills or a text of 512 KB; a wrong address may send anything. */
const textBytesMax = 64 * 1024 * 1024;
const silenceMs = 60_000;

/** Throws what the connection met; the codes are those of `node:net`, `node:dns` and `node:tls`. */
export async function exchange(url: URL, given: Exchange): Promise<Answer> {
  const { body } = given;
  const { request: open } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent = await proxyAgent(url, given.env);
  const headers: Record<string, string> = { "accept-encoding": "gzip", ...given.headers };
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
    // After the answer's head, errors are the body's to report.
    request.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    if (body === undefined || typeof body === "string") request.end(body);
    else pipelineDone(body, request).catch((error: unknown) => request.destroy(error as Error));
  });
  return answerOf(url, response, Math.min(given.timeoutMs, silenceMs));
}

async function answerOf(url: URL, response: IncomingMessage, pauseMs: number): Promise<Answer> {
  const status = response.statusCode!;
  const header = (name: string): string | undefined => [response.headers[name]].flat()[0];
  let body: Readable = response;
  if (header("content-encoding") === "gzip") {
    const { createGunzip } = await import("node:zlib");
    // Errors of either end reach whoever reads.
    body = pipeline(response, createGunzip(), () => {});
  }
  // A server that falls silent must not hold a pipeline for ever; a slow one may take its time.
  response.setTimeout(pauseMs, () => body.destroy(new Error("the server stopped sending")));
  return {
    status,
    ok: status >= 200 && status <= 299,
    url: url.href,
    header,
    body,
    async text() {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > textBytesMax) throw new Error(`the answer is longer than ${textBytesMax} bytes`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString("utf8");
    },
    discard() {
      // An error of a body that nobody reads is nobody's.
      body.on("error", () => {}).destroy();
    },
  };
}

/** Loaded only where a proxy is set. */
async function proxyAgent(url: URL, env: NodeJS.ProcessEnv): Promise<Agent | undefined> {
  const isSet = ["https_proxy", "http_proxy", "all_proxy"].some(
    (name) => (env[name] ?? env[name.toUpperCase()] ?? "") !== "",
  );
  // This machine is never reached by way of another one.
  if (!isSet || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)) return undefined;
  const { getProxyForUrl } = await import("proxy-from-env");
  const proxy = getProxyForUrl(url.href);
  if (proxy === "") return undefined;
  if (url.protocol === "https:") return new (await import("https-proxy-agent")).HttpsProxyAgent(proxy);
  return new (await import("http-proxy-agent")).HttpProxyAgent(proxy);
}
