/** `/{org}/mcp/v0.1/servers`: the read side of the public MCP registry's interface. */
import type { z } from "zod";
import { McpRegistryPayload } from "../../../contract/payloads/mcp-servers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { cacheHeaders, notModified } from "../../http/conditional.ts";
import { presentFailure } from "../../http/errors.ts";
import { Reply, route, type RequestInfo, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import {
  ChangeRegistry,
  ListRegistry,
  RegistryParams,
  RegistryServerParams,
  RegistryVersionParams,
} from "./schema.ts";
import { listRegistry, readRegistry, tagOf } from "./service.ts";
import { changeSwitch, readSwitch } from "./switch.ts";

const base = "/:org/mcp/v0.1/servers";
const item = `${base}/:name/versions`;
/** Clients run in pages of any origin. The responses depend on no credentials. */
const shared = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-allow-headers": "Authorization, Content-Type, If-None-Match",
  "access-control-expose-headers": "ETag, Retry-After",
};
/** Credentials are ignored: clients send none, or those of other services. */
const common = { tag: "MCP registry", auth: "deferred", produces: "application/json" } as const;

/** The switch, which is part of the API. */
export function registrySwitchRoutes(app: App): Route[] {
  const own = {
    path: "/api/tenants/:tenant/mcp-registry",
    tag: "MCP servers",
    auth: "required",
    params: TenantParams,
    data: McpRegistryPayload,
  } as const;
  return [
    route({
      ...own,
      method: "get",
      summary: "Read whether anyone can read the organization's MCP servers, and which ones",
      handle: ({ actor, params }) => readSwitch(app, actor, params.tenant),
    }),
    route({
      ...own,
      method: "put",
      summary:
        "Let anyone read the organization's MCP servers in the form of the public registry, or end this",
      body: ChangeRegistry,
      handle: ({ actor, params, body }) => changeSwitch(app, actor, params.tenant, body.enabled),
    }),
  ];
}

export function publicRegistryRoutes(app: App): Route[] {
  return [
    route({
      ...common,
      method: "get",
      path: base,
      summary: "List an organization's MCP servers in the form of the public registry",
      params: RegistryParams,
      query: ListRegistry,
      handle: ({ actor, params, query, request }) =>
        answer(app, actor, request, () => listRegistry(app, actor, params.org, query)),
    }),
    route({
      ...common,
      method: "get",
      path: item,
      summary: "List the versions of an MCP server in the form of the public registry",
      params: RegistryServerParams,
      handle: ({ actor, params: { org, name }, request }) =>
        answer(app, actor, request, async () => ({
          servers: [await readRegistry(app, actor, org, name)],
          metadata: { count: 1 },
        })),
    }),
    route({
      ...common,
      method: "get",
      path: `${item}/:version`,
      summary: "Read a version of an MCP server in the form of the public registry",
      params: RegistryVersionParams,
      handle: ({ actor, params: { org, name, version }, request }) =>
        answer(app, actor, request, () => readRegistry(app, actor, org, name, version)),
    }),
    preflight(base, RegistryParams),
    preflight(item, RegistryServerParams),
    preflight(`${item}/:version`, RegistryVersionParams),
  ];
}

function preflight(path: string, params: z.ZodType): Route {
  return route({
    ...common,
    method: "options",
    path,
    summary: "Allow pages of other origins to read the registry",
    params,
    handle: async () =>
      new Reply(undefined, { status: 204, headers: { ...shared, "access-control-max-age": "86400" } }),
  });
}

/** Pages of other origins can read refusals too. */
async function answer(app: App, actor: Actor, request: RequestInfo, load: () => Promise<object>) {
  try {
    if (actor.origin.ipHash) await app.rateLimits.consume("registry", actor.origin.ipHash);
    const body = JSON.stringify(await load());
    const headers = { ...shared, ...cacheHeaders(tagOf(body), { fixed: false, shared: true }) };
    return notModified(request, headers) ?? new Reply(body, { type: "application/json", headers });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const seconds = error.details?.["retryAfterSeconds"];
    return new Reply(presentFailure(error, request.requestId), {
      status: error.status,
      headers: { ...shared, ...(typeof seconds === "number" ? { "retry-after": String(seconds) } : {}) },
    });
  }
}
