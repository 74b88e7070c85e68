/**
 * An endpoint of the protocol: stateless Streamable HTTP, for clients of both of its generations. A request is
 * authenticated and limited here, and answered by the SDK. No session is kept. Responses are JSON, except those of
 * endpoints whose calls take long, which report progress in a stream.
 */
import {
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
} from "@modelcontextprotocol/server";
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { openSlots, type SlotOptions } from "../../contract/concurrency/slots.ts";
import { actorKey, type Actor } from "../access/actor.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { Reply, type RequestInfo } from "../http/route.ts";
import type { Call, CallServices } from "./call.ts";
import { openCancellations } from "./cancellations.ts";

export interface EndpointOptions {
  path: string;
  /** Builds the server object of a request. */
  build(call: Call, messages: readonly unknown[]): McpServer;
  /** Throws for callers who can't use the endpoint at all. */
  authorize?(actor: Actor): void;
  /** Requests in progress, of which one caller has at most half, and requests that wait. */
  concurrency: SlotOptions;
  callMs: number;
  bodyBytes: number;
  /** Calls take long: they report progress, and can be cancelled by another request. */
  areLong?: boolean;
}

/** Time for a caller to send the request and read the response, besides the call; then the connection is closed. */
const transferMs = 60_000;
const mostInBatch = 20;

export function openEndpoint(
  { path, build, authorize, concurrency, callMs, bodyBytes, areLong = false }: EndpointOptions,
  services: CallServices,
): (info: RequestInfo) => Promise<Reply> {
  const slots = openSlots(concurrency);
  const cancellations = openCancellations();
  const servers = new WeakMap<Request, () => McpServer>();
  const serverOf = (request: Request | undefined) => {
    const found = request && servers.get(request);
    if (!found) throw new Error("a request of the MCP server has no call");
    return found();
  };
  const onerror = (error: Error) => services.log.debug({ error }, "a message of an MCP client was refused");
  const modern = createMcpHandler(({ requestInfo }) => serverOf(requestInfo), { legacy: "reject", onerror });

  return async (info) => {
    const end = watchEnd(info, callMs);
    const actor = asAgent(await info.authenticate!());
    authorize?.(actor);
    const caller = actor.kind === "anonymous" ? (actor.origin.ipHash ?? "unknown") : actorKey(actor);
    const release = await slots.take(caller);
    if (!release) throw busy();
    end.signal.addEventListener("abort", release);
    if (end.signal.aborted) release();
    end.signal.throwIfAborted();
    const body = await info.readJson(bodyBytes);
    const messages: unknown[] = Array.isArray(body) ? body : [body];
    const spend: Call["spend"] = (budget) => services.rateLimits.consume(budget, caller);
    if (messages.length > mostInBatch)
      throw invalidRequest(`A batch may have ${mostInBatch} messages: send them one by one.`);
    for (let more = 1; more < messages.length; more++) await spend("general");

    const client = `${caller} ${info.header("mcp-session-id").slice(0, 100)}`;
    const cancelled = new AbortController();
    if (areLong) {
      cancellations.apply(client, messages);
      end.signal.addEventListener("abort", cancellations.register(client, messages, cancelled));
    }
    const signal = areLong ? AbortSignal.any([end.signal, cancelled.signal]) : end.signal;
    const call: Call = { actor, requestId: info.requestId, signal, spend };
    const request = toRequest(info, services.baseUrl() + path, end.signal);
    servers.set(request, () => build(call, messages));
    const refused = messages.find(isSubscription);
    if (refused) return refuseSubscription(refused);
    const isLegacy = await isLegacyRequest(request, body);
    const isStream = areLong && messages.some(wantsProgress);
    const response = await withinTime(
      isLegacy
        ? serveLegacy(serverOf(request), request, { parsedBody: body, isStream, end: end.signal })
        : modern.fetch(request, { parsedBody: body }),
      callMs,
    );
    if (call.challenge) throw call.challenge;
    const session = areLong && isLegacy && messages.some(isInitialize) ? randomUUID() : undefined;
    return toReply(response, session);
  };
}

/** Versions that an agent publishes have a source of their own; its downloads count as those of the API. */
function asAgent(actor: Actor): Actor {
  const source = actor.origin.source === "oidc" ? "oidc" : "mcp";
  return { ...actor, origin: { ...actor.origin, source, client: "api" } };
}

function busy(): ServiceError {
  return new ServiceError("rate_limited", "Too many calls at once. Wait 1 s and try again.", {
    retryAfterSeconds: 1,
  });
}

/** Aborts when the request ends: its response was sent, or the caller has left or never reads. */
function watchEnd(info: RequestInfo, callMs: number): AbortController {
  const end = new AbortController();
  const timer = setTimeout(() => info.stream.destroy(), callMs + transferMs).unref();
  info.onClose(() => {
    clearTimeout(timer);
    end.abort(new ServiceError("unavailable", "The caller has left: call again."));
  });
  return end;
}

/** The headers that the protocol defines. The SDK gets no credentials. */
const protocolHeaders = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

function toRequest(info: RequestInfo, address: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const name of protocolHeaders) if (info.header(name) !== "") headers.set(name, info.header(name));
  return new Request(address, { method: "POST", headers, signal });
}

export function methodOf(message: unknown): string {
  if (typeof message !== "object" || message === null || !("method" in message)) return "";
  return typeof message.method === "string" ? message.method : "";
}

const isInitialize = (message: unknown) => methodOf(message) === "initialize";

const wantsProgress = (message: unknown) =>
  (message as { params?: { _meta?: { progressToken?: unknown } } } | null)?.params?._meta?.progressToken !==
  undefined;

/** Clients that were told of no changing lists may still ask for a stream of changes, which would never have any. */
const isSubscription = (message: unknown) => methodOf(message) === "subscriptions/listen";

function refuseSubscription(message: unknown): Reply {
  const id = (message as { id?: unknown }).id ?? null;
  const error = {
    code: ProtocolErrorCode.MethodNotFound,
    message: "This server sends no notifications: read the lists again after their ttlMs.",
  };
  return new Reply(JSON.stringify({ jsonrpc: "2.0", id, error }), { status: 404, type: "application/json" });
}

interface LegacyOptions {
  parsedBody: unknown;
  isStream: boolean;
  /** Aborted when the response was sent. */
  end: AbortSignal;
}

async function serveLegacy(
  server: McpServer,
  request: Request,
  { parsedBody, isStream, end }: LegacyOptions,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStream });
  await server.connect(transport);
  if (isStream) end.addEventListener("abort", () => void server.close());
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    if (!isStream) await server.close();
  }
}

/** A call that takes too long goes on, but its caller gets an answer. */
async function withinTime<T>(work: Promise<T>, callMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const seconds = callMs / 1000;
      reject(new ServiceError("unavailable", `The call took longer than ${seconds} s: try again later.`));
    }, callMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function toReply(response: Response, session: string | undefined): Promise<Reply> {
  const { status } = response;
  const type = response.headers.get("content-type") ?? "application/json";
  const headers: Record<string, string> = session === undefined ? {} : { "mcp-session-id": session };
  if (type.startsWith("text/event-stream") && response.body) {
    const stream = Readable.fromWeb(response.body);
    return new Reply(stream, {
      status,
      type,
      headers: { ...headers, "cache-control": "no-store", "x-accel-buffering": "no" },
    });
  }
  const body = await response.text();
  return body === "" ? new Reply(undefined, { status, headers }) : new Reply(body, { status, type, headers });
}
