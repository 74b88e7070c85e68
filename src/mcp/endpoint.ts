/**
 * The endpoint of the MCP server: stateless Streamable HTTP, for clients of both generations of the protocol. A request
 * is authenticated and limited here, and answered by the SDK. Responses are JSON: nothing is streamed, and no session
 * is kept.
 */
import {
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
} from "@modelcontextprotocol/server";
import { openSlots } from "../../contract/concurrency/slots.ts";
import { limits } from "../../contract/limits.ts";
import { actorKey, type Actor } from "../access/actor.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { Reply, type RequestInfo } from "../http/route.ts";
import type { Call, CallServices } from "./call.ts";
import { buildServer, type Needs, type PreparedSurface } from "./server.ts";

/** Requests in progress, of which one caller has at most half, and requests that wait. */
const concurrency = { count: 32, waiting: 512, waitMs: 10_000 };
const callMs = 60_000;
/** Time for a caller to send the request and read the response, besides the call; then the connection is closed. */
const transferMs = 60_000;
const mostInBatch = 20;

export function openEndpoint(
  surface: PreparedSurface,
  services: CallServices,
): (info: RequestInfo) => Promise<Reply> {
  const slots = openSlots(concurrency);
  const calls = new WeakMap<Request, { call: Call; needs: Needs }>();
  const build = (request: Request | undefined) => {
    const found = request && calls.get(request);
    if (!found) throw new Error("a request of the MCP server has no call");
    return buildServer(surface, found.call, services, found.needs);
  };
  const onerror = (error: Error) => services.log.debug({ error }, "a message of an MCP client was refused");
  const modern = createMcpHandler(({ requestInfo }) => build(requestInfo), { legacy: "reject", onerror });

  return async (info) => {
    const end = watchEnd(info);
    const actor = asAgent(await info.authenticate!());
    const caller = actor.kind === "anonymous" ? (actor.origin.ipHash ?? "unknown") : actorKey(actor);
    const release = await slots.take(caller);
    if (!release) throw busy();
    end.signal.addEventListener("abort", release);
    if (end.signal.aborted) release();
    end.signal.throwIfAborted();
    const body = await info.readJson(limits.mcpBodyBytes);
    const messages: unknown[] = Array.isArray(body) ? body : [body];
    const spend: Call["spend"] = (budget) => services.rateLimits.consume(budget, caller);
    if (messages.length > mostInBatch)
      throw invalidRequest(`A batch may have ${mostInBatch} messages: send them one by one.`);
    for (let more = 1; more < messages.length; more++) await spend("general");

    const { signal } = end;
    const call: Call = { actor, requestId: info.requestId, signal, spend };
    const request = toRequest(info, services.baseUrl(), signal);
    calls.set(request, { call, needs: needsOf(messages) });
    const refused = messages.find(isSubscription);
    if (refused) return refuseSubscription(refused);
    const response = await withinTime(
      (await isLegacyRequest(request, body))
        ? serveLegacy(build(request), request, body)
        : modern.fetch(request, { parsedBody: body }),
    );
    if (call.challenge) throw call.challenge;
    return toReply(response);
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
function watchEnd(info: RequestInfo): AbortController {
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

function toRequest(info: RequestInfo, baseUrl: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const name of protocolHeaders) if (info.header(name) !== "") headers.set(name, info.header(name));
  return new Request(`${baseUrl}/mcp`, { method: "POST", headers, signal });
}

/** Tools are called often, and need no resources. */
function needsOf(messages: readonly unknown[]): Needs {
  return { resources: messages.some((message) => !/^(tools|prompts|completion)\//.test(methodOf(message))) };
}

function methodOf(message: unknown): string {
  if (typeof message !== "object" || message === null || !("method" in message)) return "";
  return typeof message.method === "string" ? message.method : "";
}

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

async function serveLegacy(server: McpServer, request: Request, parsedBody: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}

/** A call that takes too long goes on, but its caller gets an answer. */
async function withinTime<T>(work: Promise<T>): Promise<T> {
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

async function toReply(response: Response): Promise<Reply> {
  const { status } = response;
  const body = await response.text();
  const type = response.headers.get("content-type") ?? "application/json";
  return body === "" ? new Reply(undefined, { status }) : new Reply(body, { status, type });
}
