/**
 * An endpoint of the protocol: stateless Streamable HTTP, for clients of both of its generations. A request is
 * authenticated and limited here, and answered by the SDK. No session is kept. Responses are JSON, except those of
 * endpoints whose calls take long, which report progress in a stream.
 */
import { ProtocolErrorCode, type McpServer } from "@modelcontextprotocol/server";
import { Readable } from "node:stream";
import { openSlots, type SlotOptions } from "../../contract/concurrency/slots.ts";
import { actorKey, type Actor } from "../access/actor.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { Reply, type RequestInfo } from "../http/route.ts";
import { headersOf, methodOf, openAnswers, opensPagesMark } from "./answer.ts";
import type { Call, CallServices } from "./call.ts";
import { openCancellations } from "./cancellations.ts";
import { openConstantReplies } from "./constant-replies.ts";

export interface EndpointOptions {
  path: string;
  /** Builds the server object of a request. */
  build(call: Call, messages: readonly unknown[]): McpServer;
  /** The facts about the caller from which the result of a message follows, if nothing else decides it. */
  variantOf?(call: Call, message: unknown): string | undefined;
  /** Throws for callers who can't use the endpoint at all. */
  authorize?(actor: Actor): void;
  /** Requests in progress, and requests that wait. */
  concurrency: SlotOptions;
  callMs: number;
  bodyBytes: number;
  /** Calls take long: they report progress, and can be cancelled by another request. */
  areLong?: boolean;
}

/**
 * Time for a caller to send the request, besides the call, and to read a response that is not a stream; then the
 * connection is closed.
 */
const transferMs = 60_000;
const mostInBatch = 20;

export function openEndpoint(
  { path, build, variantOf, authorize, concurrency, callMs, bodyBytes, areLong = false }: EndpointOptions,
  services: CallServices,
): (info: RequestInfo) => Promise<Reply> {
  const slots = openSlots(concurrency);
  const cancellations = openCancellations();
  const constants = openConstantReplies();
  const answer = openAnswers({ path, build, callMs, areLong }, services);

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
    const opensPages = info.header("mcp-session-id").endsWith(opensPagesMark);
    const call: Call = { actor, requestId: info.requestId, signal, spend, opensPages };
    const variant = Array.isArray(body) ? undefined : variantOf?.(call, body);
    const constant = variant === undefined ? undefined : constants(body, variant, headersOf(info));
    const known = constant?.find();
    if (known) return known;
    const refused = messages.find(isSubscription);
    if (refused) return refuseSubscription(refused);
    const reply = await answer(info, call, body, end.signal);
    constant?.keep(reply);
    if (!(reply.body instanceof Readable)) limitReading(info);
    return reply;
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

/** Made once: its stack would take longer than the rest of the end of a request. */
const callerLeft = new ServiceError("unavailable", "The caller has left: call again.");

/** Aborts when the request ends: its response was sent, or the caller has left or never reads. */
function watchEnd(info: RequestInfo, callMs: number): AbortController {
  const end = new AbortController();
  const timer = setTimeout(() => info.disconnect(), callMs + transferMs).unref();
  info.onClose(() => {
    clearTimeout(timer);
    end.abort(callerLeft);
  });
  return end;
}

/** A response that its caller does not read would stay in memory. */
function limitReading(info: RequestInfo): void {
  const timer = setTimeout(() => info.disconnect(), transferMs).unref();
  info.onClose(() => clearTimeout(timer));
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
