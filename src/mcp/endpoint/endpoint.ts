/**
 * An endpoint of the protocol: stateless Streamable HTTP, for clients of both of its generations. A request is
 * authenticated and limited here, and answered by the SDK. No session is kept. Responses are JSON, except those of
 * endpoints whose calls take long, which report progress in a stream.
 */
import { Readable } from "node:stream";
import { ProtocolErrorCode, type CallToolResult, type McpServer } from "@modelcontextprotocol/server";
import { openSlots, type SlotOptions, type Slots } from "../../../contract/concurrency/slots.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import { ServiceError } from "../../errors.ts";
import { Reply, type RequestInfo } from "../../http/route.ts";
import { readMessages } from "../failures.ts";
import { takesStream } from "./accept.ts";
import { headersOf, methodOf, openAnswers, opensPagesMark, toRequest } from "./answer.ts";
import { boundBatch, messagesOf } from "./batches.ts";
import type { Call, CallServices } from "./call.ts";
import { openCancellations, type Cancellations } from "./cancellations.ts";
import { openConstantReplies } from "./constant-replies.ts";
import type { ListStreams } from "./list-streams.ts";
import { openPending } from "./pending.ts";
import type { PlainCall } from "./plain-calls.ts";

export interface EndpointOptions {
  path: string;
  /** Builds the server object of a request. */
  build(call: Call, messages: readonly unknown[]): McpServer;
  /** Answers a plain call of a tool. Throws an error of the protocol, which the caller gets. */
  callTool(plain: PlainCall, call: Call): Promise<CallToolResult>;
  /** The facts about the caller from which the result of a message follows, if nothing else decides it. */
  variantOf?(call: Call, message: unknown): string | undefined;
  /** Throws for callers who can't use the endpoint at all. */
  authorize?(actor: Actor): void | Promise<void>;
  /** Requests in progress, and requests that wait. */
  concurrency: SlotOptions;
  callMs: number;
  /**
   * Time for a caller to send the request, besides the call, and to read a response that is not a stream; then the
   * connection is closed.
   */
  transferMs: number;
  bodyBytes: number;
  /** Calls take long: they report progress, and can be cancelled by another request. */
  areLong?: boolean;
  /** Lists change while clients use them. */
  streams?: ListStreams;
}

export interface Endpoint {
  /** Answers a POST request. */
  serve(info: RequestInfo): Promise<Reply>;
  /** Answers a GET request, if the endpoint has streams. */
  listen(info: RequestInfo): Promise<Reply>;
}

export function openEndpoint(options: EndpointOptions, services: CallServices): Endpoint {
  const { variantOf, concurrency, callMs, transferMs, bodyBytes, areLong = false, streams } = options;
  const slots = openSlots(concurrency);
  const { count, perCaller = count / 2, waiting } = concurrency;
  const takePlace = openPending(perCaller + waiting / 2);
  const cancellations = openCancellations();
  const constants = openConstantReplies();
  const answer = openAnswers(options, services);

  const identify = (info: RequestInfo) => identifyAgent(info, options);

  async function serve(info: RequestInfo): Promise<Reply> {
    if (!takePlace(info)) throw busy();
    const end = watchEnd(info, callMs + transferMs);
    const actor = await identify(info);
    const caller = actor.kind === "anonymous" ? (actor.origin.ipHash ?? "unknown") : actorKey(actor);
    const release = await takeSlot(slots, caller, end.signal);
    const body = await readMessages(info, bodyBytes);
    const messages = messagesOf(body, areLong);
    const spend: Call["spend"] = (budget) => services.rateLimits.consume(budget, caller);
    for (let more = 1; more < messages.length; more++) await spend("general");

    const session = info.header("mcp-session-id");
    const client = `${caller} ${session.slice(0, 100)}`;
    const signal = areLong ? cancellable(cancellations, client, messages, end.signal) : end.signal;
    const { requestId } = info;
    const authenticate = () => identify(info);
    const wishes = { opensPages: session.endsWith(opensPagesMark), takesStream: takesStream(info) };
    const call: Call = { actor, authenticate, requestId, signal, spend, ...wishes };
    const variant = Array.isArray(body) ? undefined : variantOf?.(call, body);
    const constant = variant === undefined ? undefined : constants(body, variant, headersOf(info));
    const known = constant?.find();
    if (known) return known;
    const subscription = messages.find(isSubscription);
    if (subscription && (!streams || Array.isArray(body))) return refuseSubscription(subscription);
    if (subscription && streams) {
      // A stream has a limit of its own, in place of those of calls.
      release();
      end.unlimit();
      return subscribe(options, services, { info, call, body, messages });
    }
    const reply = await answer(info, call, body, end.signal);
    constant?.keep(reply);
    if (Array.isArray(body)) boundBatch(reply);
    if (!(reply.body instanceof Readable)) limitReading(info, transferMs);
    return reply;
  }

  return {
    serve,
    listen: async (info) =>
      streams!.listen({ info, actor: await identify(info), authenticate: () => identify(info) }),
  };
}

interface Accepted {
  info: RequestInfo;
  call: Call;
  body: unknown;
  messages: readonly unknown[];
}

function subscribe(
  { path, build, streams }: EndpointOptions,
  { baseUrl }: CallServices,
  { info, call, body, messages }: Accepted,
): Promise<Reply> {
  return streams!.subscribe({
    info,
    actor: call.actor,
    authenticate: () => call.authenticate(),
    request: toRequest(info, baseUrl() + path, call.signal),
    body,
    build: () => build(call, messages),
  });
}

/** Takes a slot until the end of the request, or until the returned function is called. */
async function takeSlot(slots: Slots, caller: string, end: AbortSignal): Promise<() => void> {
  const release = await slots.take(caller);
  if (!release) throw busy();
  end.addEventListener("abort", release);
  if (end.aborted) release();
  end.throwIfAborted();
  return release;
}

async function identifyAgent(info: RequestInfo, { authorize }: EndpointOptions): Promise<Actor> {
  const actor = asAgent(await info.authenticate!());
  await authorize?.(actor);
  return actor;
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
const callerLeft = new ServiceError("unavailable", "The connection was closed: call again.");

/** Aborts when the request ends: its response was sent, or the caller has left or never reads. */
function watchEnd(info: RequestInfo, mostMs: number): { signal: AbortSignal; unlimit: () => void } {
  const end = new AbortController();
  const timer = setTimeout(() => info.disconnect(), mostMs).unref();
  const unlimit = () => clearTimeout(timer);
  info.onClose(() => {
    unlimit();
    end.abort(callerLeft);
  });
  return { signal: end.signal, unlimit };
}

/** Ends with the request, and when the caller cancels one of its messages by another request. */
function cancellable(
  cancellations: Cancellations,
  client: string,
  messages: readonly unknown[],
  end: AbortSignal,
): AbortSignal {
  // One controller for both: `AbortSignal.any` takes longer.
  const ended = new AbortController();
  cancellations.apply(client, messages);
  const forget = cancellations.register(client, messages, ended);
  const leave = () => {
    forget();
    ended.abort(end.reason);
  };
  end.addEventListener("abort", leave);
  if (end.aborted) leave();
  return ended.signal;
}

/** A response that its caller does not read would stay in memory. */
function limitReading(info: RequestInfo, transferMs: number): void {
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
