/** Subscriptions to changes of lists. */
import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { Reply, type RequestInfo } from "../../http/route.ts";
import type { Call, CallServices } from "../call.ts";
import type { Admitted } from "./admission.ts";
import { methodOf, toRequest } from "./answer.ts";
import type { EndpointOptions } from "./options.ts";

interface Accepted {
  info: RequestInfo;
  call: Call;
  body: unknown;
  messages: readonly unknown[];
  admitted: Admitted;
}

export const isSubscription = (message: unknown) => methodOf(message) === "subscriptions/listen";

/** Answers by a stream. A batch can't have one, and an endpoint without streams refuses all subscriptions. */
export function answerSubscription(
  { path, build, streams }: Pick<EndpointOptions, "path" | "build" | "streams">,
  { baseUrl }: Pick<CallServices, "baseUrl">,
  { info, call, body, messages, admitted }: Accepted,
): Promise<Reply> | Reply {
  if (!streams || Array.isArray(body)) return refuseSubscription(messages.find(isSubscription));
  admitted.unlimit();
  return streams.subscribe({
    info,
    actor: call.actor,
    authenticate: () => call.authenticate(),
    request: toRequest(info, baseUrl() + path, call.signal),
    body,
    build: () => build(call, messages),
  });
}

/** Clients that were told of no changing lists may still ask for a stream of changes, which would never have any. */
function refuseSubscription(message: unknown): Reply {
  const id = (message as { id?: unknown }).id ?? null;
  const error = {
    code: ProtocolErrorCode.MethodNotFound,
    message: "This server sends no notifications: read the lists again after their ttlMs.",
  };
  return new Reply(JSON.stringify({ jsonrpc: "2.0", id, error }), { status: 404, type: "application/json" });
}
