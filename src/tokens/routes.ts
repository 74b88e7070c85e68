import {
  CreatedOrganizationTokenPayload,
  CreatedTokenPayload,
  CurrentTokenPayload,
  OrganizationTokenPayload,
  TokenPayload,
} from "../../contract/payloads/accounts/tokens.ts";
import type { ListedToken } from "../../storage/credentials/tokens.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { Enveloped, Page, routesOf, type Route } from "../http/route.ts";
import { ListQuery, TenantParams } from "../orgs/schema.ts";
import { loadFolderPaths } from "./folder-paths.ts";
import {
  createOrganizationToken,
  listOrganizationTokens,
  readOrganizationToken,
  revokeOrganizationToken,
} from "./organization.ts";
import {
  presentCreatedOrganizationToken,
  presentCreatedToken,
  presentOrganizationToken,
  presentToken,
} from "./present.ts";
import { CreateToken, OrganizationTokenParams, TokenParams } from "./schema.ts";
import {
  createToken,
  listTokens,
  loadCurrentToken,
  readToken,
  revokeCurrentToken,
  revokeToken,
} from "./service.ts";

export function tokenRoutes(app: App): Route[] {
  return [...personalRoutes(app), ...organizationRoutes(app)];
}

/** Personal tokens may be limited to folders of all organizations of the user. */
const pathsOf = (app: App, actor: Actor, tokens: readonly ListedToken[]) => {
  const tenantIds = actor.kind === "user" ? actor.memberships.map(({ tenantId }) => tenantId) : [];
  return loadFolderPaths(app, actor, tenantIds, tokens);
};

async function readCurrentToken(app: App, actor: Actor): Promise<CurrentTokenPayload> {
  const token = await loadCurrentToken(app, actor);
  if (actor.kind !== "organization") return presentToken(token, await pathsOf(app, actor, [token]));
  const [{ tenantId, tenantSlug, tenantName }] = actor.memberships;
  return {
    ...presentToken(token, await loadFolderPaths(app, actor, [tenantId], [token])),
    organization: { tenantId, slug: tenantSlug, name: tenantName },
  };
}

const personal = routesOf({ tag: "Personal tokens", auth: "required" });

function currentRoutes(app: App): Route[] {
  return [
    personal({
      method: "get",
      path: "/api/user/tokens/current",
      id: "getCurrentToken",
      failures: ["refused"],
      summary: "Read the API token that calls: its name, limits and organization",
      data: CurrentTokenPayload,
      handle: ({ actor }) => readCurrentToken(app, actor),
    }),
    personal({
      method: "delete",
      path: "/api/user/tokens/current",
      id: "revokeCurrentToken",
      failures: ["refused"],
      summary: "Revoke the personal API token that calls, restricted or not, at once",
      data: null,
      handle: ({ actor }) => revokeCurrentToken(app, actor),
    }),
  ];
}

function personalRoutes(app: App): Route[] {
  return [
    personal({
      method: "get",
      path: "/api/user/tokens",
      id: "listTokens",
      summary: "List your API tokens, newest first",
      query: ListQuery,
      data: TokenPayload,
      page: true,
      async handle({ actor, query }) {
        const page = await listTokens(app, actor, query);
        const paths = await pathsOf(app, actor, page.items);
        return new Page(
          page.items.map((token) => presentToken(token, paths)),
          page.nextCursor,
        );
      },
    }),
    personal({
      method: "post",
      path: "/api/user/tokens",
      id: "createToken",
      failures: ["not_found", "limit_reached", "refused"],
      summary: "Create an API token; its secret is shown this once",
      body: CreateToken,
      status: 201,
      data: CreatedTokenPayload,
      // In an envelope of its own, so that the secret is not kept for repeated calls.
      async handle({ actor, body }) {
        const created = await createToken(app, actor, body);
        return new Enveloped(presentCreatedToken(created, await pathsOf(app, actor, [created.record])));
      },
    }),
    ...currentRoutes(app),
    personal({
      method: "get",
      path: "/api/user/tokens/:id",
      id: "getToken",
      summary: "Read one of your API tokens, without its secret",
      params: TokenParams,
      data: TokenPayload,
      async handle({ actor, params }) {
        const token = await readToken(app, actor, params.id);
        return presentToken(token, await pathsOf(app, actor, [token]));
      },
    }),
    personal({
      method: "delete",
      path: "/api/user/tokens/:id",
      id: "revokeToken",
      summary: "Revoke an API token at once",
      params: TokenParams,
      data: null,
      handle: ({ actor, params }) => revokeToken(app, actor, params.id),
    }),
  ];
}

function organizationRoutes(app: App): Route[] {
  const route = routesOf({ tag: "Organization tokens", auth: "required" });
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/tokens",
      id: "listOrgTokens",
      summary: "List the API tokens of an organization, newest first",
      params: TenantParams,
      query: ListQuery,
      data: OrganizationTokenPayload,
      page: true,
      async handle({ actor, params, query }) {
        const page = await listOrganizationTokens(app, actor, params.tenant, query);
        return new Page(page.items.map(presentOrganizationToken), page.nextCursor);
      },
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/tokens",
      id: "createOrgToken",
      failures: ["limit_reached", "refused"],
      summary: "Create an API token that acts as the organization; its secret is shown this once",
      params: TenantParams,
      body: CreateToken,
      status: 201,
      data: CreatedOrganizationTokenPayload,
      handle: async ({ actor, params, body }) =>
        new Enveloped(
          presentCreatedOrganizationToken(await createOrganizationToken(app, actor, params.tenant, body)),
        ),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/tokens/:id",
      id: "getOrgToken",
      summary: "Read an API token of an organization, without its secret",
      params: OrganizationTokenParams,
      data: OrganizationTokenPayload,
      handle: async ({ actor, params }) =>
        presentOrganizationToken(await readOrganizationToken(app, actor, params.tenant, params.id)),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant/tokens/:id",
      id: "revokeOrgToken",
      summary: "Revoke an API token of an organization at once",
      params: OrganizationTokenParams,
      data: null,
      handle: ({ actor, params }) => revokeOrganizationToken(app, actor, params.tenant, params.id),
    }),
  ];
}
