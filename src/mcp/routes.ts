/** The routes of the protocol. */
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { invalidRequest } from "../errors.ts";
import { toServiceError } from "../http/errors.ts";
import { route, type Reply, type RequestInfo, type Route } from "../http/route.ts";
import type { CallServices } from "./call.ts";
import { methodOf } from "./endpoint/answer.ts";
import { openEndpoint } from "./endpoint/endpoint.ts";
import { checkHost } from "./endpoint/hosts.ts";
import { openListStreams } from "./endpoint/list-streams.ts";
import type { EndpointOptions } from "./endpoint/options.ts";
import { presentRefusal, signInFirst } from "./failures.ts";
import type { Forwarder } from "./forwarding/forwarder.ts";
import { buildForwardingServer, callForwarded } from "./forwarding/forwarding-server.ts";
import { buildServer, callOwn, offeredTo, prepareSurface, type Needs } from "./server.ts";
import type { Surface } from "./tools/surface.ts";

/** Names under which a secret may come in an address, where logs and histories keep it. */
const secretParameter = /token|key|secret|auth|bearer/i;

interface RoutesOptions {
  version: string;
  draining: AbortSignal | undefined;
  /** Time for a caller to send a request, and to read a response. */
  transferMs?: number;
}

/** The MCP server of the service, and the endpoint of hosted connectors. */
export function mcpRoutes(
  surface: Surface,
  forwarder: Forwarder,
  services: CallServices,
  { version, draining, transferMs = 60_000 }: RoutesOptions,
): Route[] {
  const prepared = prepareSurface(surface, version);
  return [
    ...mcpEndpoint(
      "Model Context Protocol",
      {
        path: "/mcp",
        build: (call, messages) => buildServer(prepared, call, services, needsOf(messages)),
        callTool: (plain, call) => callOwn(prepared, plain, call, services),
        async authorize(actor) {
          if (actor.kind === "anonymous" && !(await services.allowsAnonymous())) throw signInFirst();
        },
        variantOf: ({ actor }, message) =>
          methodOf(message) === "tools/list" ? offeredTo(prepared, actor) : undefined,
        concurrency: { count: 32, waiting: 512, waitMs: 10_000 },
        callMs: 60_000,
        transferMs,
        bodyBytes: limits.mcpBodyBytes,
      },
      services,
    ),
    ...mcpEndpoint(
      "Model Context Protocol: tools of the servers that the user has connected",
      {
        path: forwarder.path,
        build: (call) => buildForwardingServer(forwarder, call, services, version),
        callTool: (plain, call) => callForwarded(forwarder, plain, call, services),
        authorize: (actor) => forwarder.authorize(actor),
        // A result of 10 MB stays in memory until it is read, so one caller may have few.
        concurrency: { count: 512, perCaller: limits.connectorRequestsPerUser, waiting: 512, waitMs: 10_000 },
        callMs: limits.connectorCallMs + limits.connectorListMs,
        transferMs,
        bodyBytes: limits.connectorBodyBytes,
        areLong: true,
        streams: openListStreams(forwarder, draining),
      },
      services,
    ),
  ];
}

/** Tools are called often, and need no resources. */
function needsOf(messages: readonly unknown[]): Needs {
  return { resources: messages.some((message) => !/^(tools|prompts|completion)\//.test(methodOf(message))) };
}

function mcpEndpoint(summary: string, options: EndpointOptions, services: CallServices): Route[] {
  const { serve, listen } = openEndpoint(options, services);
  const { path } = options;
  const common = {
    path,
    tag: "MCP",
    auth: "deferred",
    ignoresCookies: true,
    audience: path,
    query: z.record(z.string(), z.unknown()),
  } as const;
  const guarded = async (
    request: RequestInfo,
    query: Readonly<Record<string, unknown>>,
    answer: () => Promise<Reply>,
  ): Promise<Reply> => {
    try {
      checkHost(request, services.baseUrl());
      checkQuery(query);
      return await answer();
    } catch (thrown) {
      request.stream.resume();
      const error = toServiceError(thrown, request.requestId, services);
      const hasCredential = request.header("authorization") !== "";
      return presentRefusal(error, request.requestId, { baseUrl: services.baseUrl(), path, hasCredential });
    }
  };
  const calls = route({
    ...common,
    method: "post",
    summary,
    stream: true,
    produces: "application/json",
    handle: ({ request, query }) => guarded(request, query, () => serve(request)),
  });
  if (!options.streams) return [calls];
  const changes = route({
    ...common,
    method: "get",
    summary: `${summary}: changes of the lists (server-sent events)`,
    produces: "text/event-stream",
    handle: ({ request, query }) => guarded(request, query, () => listen(request)),
  });
  return [calls, changes];
}

function checkQuery(query: Readonly<Record<string, unknown>>): void {
  const name = Object.keys(query).find((one) => secretParameter.test(one));
  if (name === undefined) return;
  throw invalidRequest(
    `Don't put a token into the address ("${name.slice(0, 50)}"), where logs keep it: revoke it, and send ` +
      "another one as Authorization: Bearer.",
  );
}
