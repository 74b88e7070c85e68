/** Requests to a bucket: signed, sent again while the server is overloaded, and with errors that name no secret. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { noteCount, measured } from "../../contract/observation.ts";
import { RepoError } from "../errors.ts";
import { openCredentials, type Credentials } from "./credentials.ts";
import { openHttpClient, type HttpResponse } from "./http-client.ts";
import type { ObjectStoreOptions } from "./types.ts";
import { errorCodeOf } from "./xml.ts";

export interface StoreRequest {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Undefined for the bucket itself. */
  key?: string;
  /** Parameters; undefined ones are left out. */
  query?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  body?: readonly Buffer[];
  maxBytes?: number;
  /** Statuses that are not errors, besides 2xx. */
  accepts?: readonly number[];
  /** The only attempt: for requests that must not be repeated. */
  isOnce?: boolean;
}

export interface SignedRequests {
  send(request: StoreRequest): Promise<HttpResponse>;
  close(): void;
}

/** A response that is an error. The code is S3's, such as `AccessDenied`. */
export class ObjectStoreError extends RepoError {
  readonly status: number;
  readonly reason: string;
  /** Time of the server, in milliseconds since 1970. */
  readonly serverTime: number | undefined;
  /** Region of the bucket, if the server names it. */
  readonly region: string | undefined;

  constructor(request: StoreRequest, host: string, response: HttpResponse) {
    const reason = reasonOf(response);
    const isFull = response.status === 507 || /^(QuotaExceeded|InsufficientStorage|StorageFull)/.test(reason);
    super(
      isFull ? "storage_full" : "storage_unavailable",
      `the object store ${host} refused ${request.method} with ${response.status} ${reason}`,
    );
    this.status = response.status;
    this.reason = reason;
    const time = Date.parse(response.headers.date ?? "");
    this.serverTime = Number.isNaN(time) ? undefined : time;
    const region = response.headers["x-amz-bucket-region"];
    this.region = typeof region === "string" && /^[a-z0-9-]{1,40}$/.test(region) ? region : undefined;
  }
}

function reasonOf({ status, body }: HttpResponse): string {
  return (
    errorCodeOf(body.toString("utf8")) ?? (status === 404 ? "NotFound" : status === 403 ? "Forbidden" : "")
  );
}

const maxAttempts = 7;
const firstPauseMs = 50;
const maxPauseMs = 5000;
/** Time after which a failed request is not sent again. */
const patienceMs = 45_000;
/** Overloaded, failing for a moment, or in conflict with another request to the same key. */
const transientStatuses = new Set([408, 409, 429, 500, 502, 503, 504]);
const refusedCredentials =
  /^(ExpiredToken|ExpiredTokenException|InvalidToken|InvalidAccessKeyId|TokenRefreshRequired)$/;
/** Limit of responses that are errors. */
const errorBytes = 64 * 1024;
const defaultMaxBytes = 8 * 1024 * 1024;

export function openSignedRequests({ location, credentials: source }: ObjectStoreOptions): SignedRequests {
  const { endpoint, bucket, prefix, region, isPathStyle } = location;
  const http = openHttpClient();
  const credentials = openCredentials(source, http);
  /** Keys derived from the secret, by day. */
  let signingKeys = new Map<string, ArrayBuffer>();

  function urlOf({ key, query = {} }: StoreRequest): URL {
    const url = new URL(endpoint);
    if (!isPathStyle) url.hostname = `${bucket}.${url.hostname}`;
    const path = key === undefined ? "" : `${prefix}${key}`;
    url.pathname = isPathStyle ? `/${bucket}${path === "" ? "" : `/${path}`}` : `/${path}`;
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  async function sign(url: URL, request: StoreRequest, keys: Credentials): Promise<Record<string, string>> {
    const hash = createHash("sha256");
    for (const piece of request.body ?? []) hash.update(piece);
    if (signingKeys.size > 20) signingKeys = new Map();
    const signer = new AwsV4Signer({
      method: request.method,
      url: url.href,
      headers: { ...request.headers, "x-amz-content-sha256": hash.digest("hex") },
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey,
      sessionToken: keys.sessionToken,
      service: "s3",
      region,
      cache: signingKeys,
    });
    return Object.fromEntries((await signer.sign()).headers);
  }

  async function sendOnce(url: URL, request: StoreRequest, keys: Credentials): Promise<HttpResponse> {
    const { method, body = [], maxBytes = defaultMaxBytes } = request;
    const headers = await sign(url, request, keys);
    return http.send(url, { method, headers, body, maxBytes: Math.max(maxBytes, errorBytes) });
  }

  async function send(request: StoreRequest): Promise<HttpResponse> {
    const url = urlOf(request);
    const end = performance.now() + patienceMs;
    let hasRenewed = false;
    for (let attempt = 1; ; attempt++) {
      const isLast = request.isOnce === true || attempt >= maxAttempts;
      let pauseMs = Math.random() * Math.min(maxPauseMs, firstPauseMs * 2 ** attempt);
      try {
        const keys = await credentials.get();
        const response = await sendOnce(url, request, keys);
        const { status } = response;
        if ((status >= 200 && status < 300) || request.accepts?.includes(status)) return response;
        const failure = new ObjectStoreError(request, url.host, response);
        // A response to HEAD has no text that would name the reason.
        const mayBeExpired =
          refusedCredentials.test(failure.reason) ||
          (request.method === "HEAD" && (status === 400 || status === 403));
        if (mayBeExpired && !hasRenewed) {
          credentials.renew(keys);
          hasRenewed = true;
          pauseMs = 0;
        } else if (!transientStatuses.has(status)) throw failure;
        pauseMs = Math.max(
          pauseMs,
          Math.min(maxPauseMs, 1000 * Number(response.headers["retry-after"] ?? 0) || 0),
        );
        if (isLast || performance.now() + pauseMs > end) throw failure;
      } catch (error) {
        if (error instanceof ObjectStoreError || !(error instanceof RepoError)) throw error;
        if (error.code === "storage_unavailable" || error.code === "invalid_remote") throw error;
        if (isLast || performance.now() + pauseMs > end)
          throw new RepoError("storage_unavailable", `the object store: ${error.message}`, {
            cause: error,
          });
      }
      await sleep(pauseMs);
    }
  }

  return {
    async send(request) {
      const response = await measured("objectStore", { operation: operationOf(request) }, () =>
        send(request),
      );
      const sent = request.body?.reduce((sum, { length }) => sum + length, 0) ?? 0;
      if (sent > 0) noteCount("objectStoreBytes", { direction: "sent" }, sent);
      if (response.body.length > 0)
        noteCount("objectStoreBytes", { direction: "received" }, response.body.length);
      return response;
    },
    close: () => http.close(),
  };
}

const operations = { GET: "get", HEAD: "head", PUT: "put", POST: "multipart", DELETE: "delete" } as const;

function operationOf({ method, key, query, headers }: StoreRequest): string {
  if (method === "GET" && key === undefined) return "list";
  if (method === "GET" && headers?.["range"] !== undefined) return "get_range";
  return query?.["uploadId"] === undefined ? operations[method] : "multipart";
}
