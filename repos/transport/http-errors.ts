/** Failures of a remote over HTTP. They name the host, never the content of its response or our request. */
import type * as http from "node:http";
import { RepoError } from "../errors.ts";
import type { Limits } from "./wire.ts";

/** Bytes read of an error response: enough to identify its cause. */
const readErrorBytes = 4096;
const longestWaitMs = 60 * 60_000;

/** A host that can be reached, perhaps, but was silent for too long. */
export class SilentHostError extends RepoError {
  constructor(host: string) {
    super("remote_unreachable", `${host} was silent for too long`);
  }
}

/** A connection that the host or the network has closed. */
export class LostConnectionError extends RepoError {
  constructor(host: string, code: string | undefined) {
    super("remote_unreachable", `${host} can't be reached: ${code ?? "connection lost"}`);
  }
}

const lostCodes = [undefined, "ECONNRESET", "EPIPE"];

export const tooSlow = (host: string) => new SilentHostError(host);

/** A proxy that does not do its part. The message has its address, without credentials. */
export class ProxyError extends RepoError {
  constructor({ protocol, host }: URL, problem: string) {
    super("remote_unreachable", `the proxy ${protocol}//${host} ${problem}`);
  }
}

/** A failure of the connection to a proxy. */
export function proxyFailure(proxy: URL, error: NodeJS.ErrnoException): RepoError {
  if (error instanceof RepoError) return error;
  if (isUnresolved(error)) return new ProxyError(proxy, `could not be resolved (${error.code})`);
  return new ProxyError(proxy, `can't be reached: ${error.code ?? "connection lost"}`);
}

const blamed = new WeakMap<Error, URL>();

/** Has `asUnreachable` name the proxy: an error of a request that was sent to it as a whole. */
export const blameProxy = (error: Error, proxy: URL) => void blamed.set(error, proxy);

const isUnresolved = ({ syscall }: NodeJS.ErrnoException) => syscall === "getaddrinfo";

/** Codes of Node.js for certificates that are expired, of another name, or not signed by a trusted authority. */
const ofCertificate =
  /^(CERT_|ERR_TLS_CERT|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/;

/** A failure of the connection as a `RepoError`. */
export function asUnreachable(error: unknown, host: string): unknown {
  if (error instanceof RepoError) return error;
  if (!(error instanceof Error)) return error;
  const proxy = blamed.get(error);
  if (proxy) return proxyFailure(proxy, error);
  const { code } = error as NodeJS.ErrnoException;
  if (isUnresolved(error)) return new RepoError("remote_unreachable", `could not resolve ${host} (${code})`);
  if (ofCertificate.test(code ?? ""))
    return new RepoError("remote_unreachable", `${host} has a certificate that is not trusted (${code})`);
  // Its message would quote the header.
  if (code === "ERR_INVALID_CHAR")
    return new RepoError("invalid_remote", "the credentials have characters that no header can have");
  if (lostCodes.includes(code)) return new LostConnectionError(host, code);
  // The cause is named by its code alone: a message may carry what we sent.
  return new RepoError("remote_unreachable", `${host} can't be reached: ${code}`);
}

/** The error for a response with a status other than 200. */
export async function refusalOf(
  response: http.IncomingMessage,
  host: string,
  asked: Limits["asked"] = "repository",
): Promise<RepoError> {
  const status = response.statusCode ?? 0;
  const text = await firstBytesOf(response);
  const retryAfterMs = waitOf(response);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const limited =
    status === 429 ||
    (status === 403 &&
      (retryAfterMs !== undefined ||
        response.headers["x-ratelimit-remaining"] === "0" ||
        /\b(rate limit|abuse detection)/i.test(text)));
  if (limited) return new RepoError("rate_limited", `${host} asks us to come back later (${status})`, wait);
  // Only proxies have this status.
  if (status === 407) return new RepoError("remote_unreachable", `the proxy refused the request with 407`);
  if (asked === "document" && status < 500) return documentRefusal(status, host);
  if (status === 401 || status === 403)
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

function documentRefusal(status: number, host: string): RepoError {
  if (status === 401 || status === 403)
    return new RepoError("auth_failed", `${host} refuses the request with status ${status}`);
  if (status === 404 || status === 410)
    return new RepoError("remote_missing", `${host} has nothing at this address (status ${status})`);
  return new RepoError("remote_protocol", `${host} returns status ${status} instead of a document`);
}

async function firstBytesOf(response: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= readErrorBytes) break;
    }
  } catch {
    // The status identifies the failure.
  }
  response.destroy();
  return Buffer.concat(pieces).toString("utf8");
}

/** Milliseconds of `Retry-After` in either form, or until GitHub's time of reset; at most an hour. */
function waitOf({ headers }: http.IncomingMessage): number | undefined {
  const after = headers["retry-after"];
  const reset = Number(headers["x-ratelimit-remaining"] === "0" ? headers["x-ratelimit-reset"] : NaN);
  let wait = NaN;
  if (after !== undefined) wait = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  else if (!Number.isNaN(reset)) wait = reset * 1000 - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestWaitMs);
}
