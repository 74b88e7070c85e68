/** `/{org}/mcp/v0.1/servers`: the read side of the public MCP registry's interface. */
import { McpRegistryPayload } from "../../../contract/payloads/mcp-servers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { Reply, routesOf, type RequestInfo, type Route } from "../../http/route.ts";
import { cacheHeaders, notModified } from "../../http/service/conditional.ts";
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

const route = routesOf({ tag: "MCP registry", auth: "deferred" });

const base = "/:org/mcp/v0.1/servers";
const item = `${base}/:name/versions`;
/** Credentials are ignored: clients send none, or those of other services. Some run in pages of any origin. */
const common = {
  method: "get",
  crossOrigin: "always",
  produces: "application/json",
} as const;

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
      id: "getMcpRegistry",
      summary: "Read whether anyone can read the organization's MCP servers, and which ones",
      handle: ({ actor, params }) => readSwitch(app, actor, params.tenant),
    }),
    route({
      ...own,
      method: "put",
      id: "setMcpRegistry",
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
      path: base,
      summary: "List an organization's MCP servers in the form of the public registry",
      params: RegistryParams,
      query: ListRegistry,
      handle: ({ actor, params, query, request }) =>
        answer(app, actor, request, () => listRegistry(app, actor, params.org, query)),
    }),
    route({
      ...common,
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
      path: `${item}/:version`,
      summary: "Read a version of an MCP server in the form of the public registry",
      params: RegistryVersionParams,
      handle: ({ actor, params: { org, name, version }, request }) =>
        answer(app, actor, request, () => readRegistry(app, actor, org, name, version)),
    }),
  ];
}

async function answer(app: App, actor: Actor, request: RequestInfo, load: () => Promise<object>) {
  if (actor.origin.ipHash) await app.rateLimits.consume("registry", actor.origin);
  const body = JSON.stringify(await load());
  const headers = cacheHeaders(tagOf(body), { fixed: false, shared: true });
  return notModified(request, headers) ?? new Reply(body, { type: "application/json", headers });
}
