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

export const tooSlow = (host: string) => new SilentHostError(host);

/** A failure of the connection as a `RepoError`. */
export function asUnreachable(error: unknown, host: string): unknown {
  if (error instanceof RepoError) return error;
  if (!(error instanceof Error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  // Its message would quote the header.
  if (code === "ERR_INVALID_CHAR")
    return new RepoError("invalid_remote", "the credentials have characters that no header can have");
  // The cause is named by its code alone: a message may carry what we sent.
  return new RepoError("remote_unreachable", `${host} can't be reached: ${code ?? "connection lost"}`);
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
  if (asked === "document" && status < 500) return documentRefusal(status, host);
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

function documentRefusal(status: number, host: string): RepoError {
  if (status === 401 || status === 403 || status === 407)
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
