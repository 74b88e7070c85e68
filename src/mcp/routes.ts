/** The route of the MCP server. */
import { z } from "zod";
import { invalidRequest } from "../errors.ts";
import { toServiceError } from "../http/errors.ts";
import { route, type Route } from "../http/route.ts";
import type { CallServices } from "./call.ts";
import { openEndpoint } from "./endpoint.ts";
import { presentRefusal } from "./failures.ts";
import { checkHost } from "./hosts.ts";
import { prepareSurface } from "./server.ts";
import type { Surface } from "./surface.ts";

/** Names under which a secret may come in an address, where logs and histories keep it. */
const secretParameter = /token|key|secret|auth|bearer/i;

export function mcpRoutes(surface: Surface, services: CallServices, version: string): Route[] {
  const serve = openEndpoint(prepareSurface(surface, version), services);
  return [
    route({
      method: "post",
      path: "/mcp",
      summary: "Model Context Protocol",
      tag: "MCP",
      auth: "deferred",
      ignoresCookies: true,
      audience: "/mcp",
      stream: true,
      query: z.record(z.string(), z.unknown()),
      produces: "application/json",
      async handle({ request, query }) {
        try {
          checkHost(request, services.baseUrl());
          checkQuery(query);
          return await serve(request);
        } catch (thrown) {
          request.stream.resume();
          const error = toServiceError(thrown, request.requestId, services);
          return presentRefusal(error, request.requestId, services.baseUrl());
        }
      },
    }),
  ];
}

function checkQuery(query: Readonly<Record<string, unknown>>): void {
  const name = Object.keys(query).find((one) => secretParameter.test(one));
  if (name === undefined) return;
  throw invalidRequest(
    `Don't put a token into the address ("${name.slice(0, 50)}"), where logs keep it: revoke it, and send ` +
      "another one as Authorization: Bearer.",
  );
}
