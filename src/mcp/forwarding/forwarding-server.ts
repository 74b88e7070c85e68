/** Builds the protocol's server object for one request to a forwarder. */
import {
  McpServer,
  ProtocolError,
  type CacheHint,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Call, CallServices } from "../call.ts";
import type { PlainCall } from "../endpoint/plain-calls.ts";
import { failureOf, presentToolFailure, protocolFailure } from "../failures.ts";
import { askUser } from "../tools/ask-user.ts";
import { RemoteError, type ForwardedCall, type Forwarder } from "./forwarder.ts";

/** The lists of remote servers may change at any time. */
const cacheHint: CacheHint = { ttlMs: 10_000, cacheScope: "private" };

export function buildForwardingServer(
  forwarder: Forwarder,
  call: Call,
  services: CallServices,
  version: string,
): McpServer {
  const built = new McpServer(
    { name: "svc-central", title: "Hosted connectors", version },
    {
      instructions: forwarder.instructions,
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
      },
      cacheHints: {
        "tools/list": cacheHint,
        "prompts/list": cacheHint,
        "resources/list": cacheHint,
        "resources/templates/list": cacheHint,
      },
    },
  );
  handleRequests(built.server, forwarder, call, services);
  return built;
}

function handleRequests(
  server: McpServer["server"],
  forwarder: Forwarder,
  call: Call,
  services: CallServices,
): void {
  const { actor } = call;
  const forwarded = (context: ServerContext): ForwardedCall => ({
    actor,
    authenticate: () => call.authenticate(),
    signal: AbortSignal.any([call.signal, context.mcpReq.signal]),
    onProgress: call.takesStream ? progressOf(context) : undefined,
  });
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw refusalOf(thrown, call, services);
    }
  };
  server.setRequestHandler("tools/list", () =>
    guarded(async () => ({ tools: await forwarder.listTools(actor) })),
  );
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { envelope } = context.mcpReq;
    try {
      const result = await forwarder.callTool(forwarded(context), params.name, params.arguments);
      return envelope ? result : forEarlier(result);
    } catch (thrown) {
      return failureResult(thrown, call, services, context.mcpReq);
    }
  });
  server.setRequestHandler("prompts/list", () =>
    guarded(async () => ({ prompts: await forwarder.listPrompts(actor) })),
  );
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    guarded(() => forwarder.getPrompt(forwarded(context), params.name, params.arguments)),
  );
  server.setRequestHandler("resources/list", () =>
    guarded(async () => ({ resources: await forwarder.listResources(actor) })),
  );
  server.setRequestHandler("resources/templates/list", () =>
    guarded(async () => ({ resourceTemplates: await forwarder.listTemplates(actor) })),
  );
  server.setRequestHandler("resources/read", ({ params }, context) =>
    guarded(() => forwarder.readResource(forwarded(context), params.uri)),
  );
}

/** A call by a client with `initialize` that waits for its result only. */
export async function callForwarded(
  forwarder: Forwarder,
  { name, given }: PlainCall,
  call: Call,
  services: CallServices,
): Promise<CallToolResult> {
  try {
    return forEarlier(await forwarder.callTool(call, name, given));
  } catch (thrown) {
    // Such clients are asked by an error, so that this is a result.
    return failureResult(thrown, call, services, {}) as CallToolResult;
  }
}

/** The protocol version with `initialize` has objects only as structured content. */
function forEarlier(result: CallToolResult): CallToolResult {
  const { structuredContent: content } = result;
  const isObject = typeof content === "object" && content !== null && !Array.isArray(content);
  return content === undefined || isObject ? result : { ...result, structuredContent: { result: content } };
}

function failureResult(
  thrown: unknown,
  call: Call,
  services: CallServices,
  request: Parameters<typeof askUser>[1],
): CallToolResult | InputRequiredResult {
  if (thrown instanceof RemoteError) throw refusalOf(thrown, call, services);
  const failure = failureOf(thrown, call, services);
  return askUser(failure, request, call) ?? presentToolFailure(failure, call.requestId);
}

/** Notifications of progress, if the caller has asked for them. One that can't be sent is dropped. */
function progressOf({ mcpReq }: ServerContext): ForwardedCall["onProgress"] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return ({ progress, total, message }) => {
    const params = {
      progressToken,
      progress,
      total,
      message: message === undefined ? undefined : message.slice(0, messageLength),
    };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

const messageLength = 500;

function refusalOf(thrown: unknown, call: Call, services: CallServices): ProtocolError {
  if (thrown instanceof RemoteError) return new ProtocolError(thrown.code, thrown.message);
  return protocolFailure(failureOf(thrown, call, services), call.requestId);
}
