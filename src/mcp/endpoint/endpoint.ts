/**
 * An endpoint of the protocol: stateless Streamable HTTP, for clients of both of its generations. A request is
 * authenticated and limited here, and answered by the SDK. No session is kept. Responses are JSON, except those of
 * endpoints whose calls take long, which report progress in a stream.
 */
import { Readable } from "node:stream";
import type { Reply, RequestInfo } from "../../http/route.ts";
import type { Call, CallServices } from "../call.ts";
import { readMessages } from "../failures.ts";
import { takesStream } from "./accept.ts";
import { limitReading, openAdmission, type Admitted } from "./admission.ts";
import { headersOf, openAnswers, opensPagesMark } from "./answer.ts";
import { boundBatch, messagesOf } from "./batches.ts";
import { identifyAgent } from "./caller.ts";
import { openCancellations } from "./cancellations.ts";
import { openConstantReplies } from "./constant-replies.ts";
import type { EndpointOptions } from "./options.ts";
import { answerSubscription, isSubscription } from "./subscriptions.ts";

export interface Endpoint {
  /** Answers a POST request. */
  serve(info: RequestInfo): Promise<Reply>;
  /** Answers a GET request, if the endpoint has streams. */
  listen(info: RequestInfo): Promise<Reply>;
}

export function openEndpoint(options: EndpointOptions, services: CallServices): Endpoint {
  const { variantOf, transferMs, bodyBytes, areLong = false, streams } = options;
  const identify = (info: RequestInfo) => identifyAgent(info, options);
  const admit = openAdmission(options, identify);
  const cancellations = openCancellations();
  const constants = openConstantReplies();
  const answer = openAnswers(options, services);

  async function serve(info: RequestInfo): Promise<Reply> {
    const admitted = await admit(info);
    const body = await readMessages(info, bodyBytes);
    const messages = messagesOf(body, areLong);
    const call = await openCall(info, admitted, messages);
    const variant = Array.isArray(body) ? undefined : variantOf?.(call, body);
    const constant = variant === undefined ? undefined : constants(body, variant, headersOf(info));
    const known = constant?.find();
    if (known) return known;
    if (messages.some(isSubscription))
      return answerSubscription(options, services, { info, call, body, messages, admitted });
    const reply = await answer(info, call, body, admitted.end);
    constant?.keep(reply);
    if (Array.isArray(body)) boundBatch(reply);
    if (!(reply.body instanceof Readable)) limitReading(info, transferMs);
    return reply;
  }

  /** The call of a request. The messages of a batch count against the caller's budget one by one. */
  async function openCall(
    info: RequestInfo,
    { actor, caller, end }: Admitted,
    messages: readonly unknown[],
  ): Promise<Call> {
    const payer = actor.kind === "anonymous" ? actor.origin : caller;
    const spend: Call["spend"] = (budget) => services.rateLimits.consume(budget, payer);
    for (let more = 1; more < messages.length; more++) await spend("general");
    const session = info.header("mcp-session-id");
    const client = `${caller} ${session.slice(0, 100)}`;
    return {
      actor,
      authenticate: () => identify(info),
      requestId: info.requestId,
      signal: areLong ? cancellations.signalOf(client, messages, end) : end,
      spend,
      opensPages: session.endsWith(opensPagesMark),
      takesStream: takesStream(info),
    };
  }

  return {
    serve,
    listen: async (info) =>
      streams!.listen({ info, actor: await identify(info), authenticate: () => identify(info) }),
  };
}
