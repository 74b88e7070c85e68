import {
  ScimGroupPayload,
  ScimLogEntryPayload,
  ScimStatePayload,
  ScimTokenPayload,
  ScimUserPayload,
} from "../../contract/payloads/accounts/scim.ts";
import type { App } from "../app.ts";
import { Enveloped, routesOf, type Route } from "../http/route.ts";
import { TenantParams } from "../orgs/schema.ts";
import { listLog } from "./list-log.ts";
import { listManagedGroups, listManagedUsers } from "./managed.ts";
import { manageTeam, releaseTeam } from "./mapped-teams.ts";
import { disableScim, enableScim, readState, rotateToken } from "./provider.ts";
import {
  ManagedTeamParams,
  ManageTeam,
  ScimGroupsRequest,
  ScimLogRequest,
  ScimUsersRequest,
} from "./schema.ts";

const route = routesOf({ tag: "SCIM", auth: "required" });
const base = "/api/tenants/:tenant/scim";

/** Routes of owners; those of identity providers are in `endpoint-routes.ts`. */
export function scimRoutes(app: App): Route[] {
  return [...stateRoutes(app), ...teamRoutes(app), ...listRoutes(app)];
}

function stateRoutes(app: App): Route[] {
  const common = { path: base, params: TenantParams } as const;
  return [
    route({
      ...common,
      method: "get",
      id: "getScim",
      summary: "Read the state of SCIM",
      data: ScimStatePayload,
      handle: ({ actor, params }) => readState(app, actor, params.tenant),
    }),
    route({
      ...common,
      method: "post",
      id: "enableScim",
      summary: "Enable SCIM; the token for the identity provider is shown once",
      status: 201,
      data: ScimTokenPayload,
      // In an envelope of its own, so that the secret is not kept for repeated calls.
      handle: async ({ actor, params }) => new Enveloped(await enableScim(app, actor, params.tenant)),
    }),
    route({
      ...common,
      method: "post",
      path: `${base}/rotate`,
      id: "rotateScimToken",
      summary: "Create another token; the current one stays valid for 24 hours",
      status: 201,
      data: ScimTokenPayload,
      handle: async ({ actor, params }) => new Enveloped(await rotateToken(app, actor, params.tenant)),
    }),
    route({
      ...common,
      method: "delete",
      id: "disableScim",
      summary: "Disable SCIM; its tokens end, members and teams stay",
      data: null,
      handle: ({ actor, params }) => disableScim(app, actor, params.tenant),
    }),
  ];
}

function teamRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: `${base}/teams`,
      id: "manageScimTeam",
      failures: ["conflict"],
      summary: "Let SCIM manage the members of an existing team",
      params: TenantParams,
      body: ManageTeam,
      data: null,
      handle: ({ actor, params, body }) => manageTeam(app, actor, params.tenant, body.teamId),
    }),
    route({
      method: "delete",
      path: `${base}/teams/:id`,
      id: "releaseScimTeam",
      summary: "End the management of an existing team; its members stay",
      params: ManagedTeamParams,
      data: null,
      handle: ({ actor, params }) => releaseTeam(app, actor, params.tenant, params.id),
    }),
  ];
}

function listRoutes(app: App): Route[] {
  const common = { method: "get", params: TenantParams, page: true } as const;
  return [
    route({
      ...common,
      path: `${base}/users`,
      id: "listScimUsers",
      summary: "List the users that SCIM manages, by user name",
      query: ScimUsersRequest,
      data: ScimUserPayload,
      handle: ({ actor, params, query }) => listManagedUsers(app, actor, params.tenant, query),
    }),
    route({
      ...common,
      path: `${base}/groups`,
      id: "listScimGroups",
      summary: "List the groups that SCIM manages, by name",
      query: ScimGroupsRequest,
      data: ScimGroupPayload,
      handle: ({ actor, params, query }) => listManagedGroups(app, actor, params.tenant, query),
    }),
    route({
      ...common,
      path: `${base}/log`,
      id: "listScimLog",
      summary: "List the requests of the identity provider in the last seven days, newest first",
      query: ScimLogRequest,
      data: ScimLogEntryPayload,
      handle: ({ actor, params, query }) => listLog(app, actor, params.tenant, query),
    }),
  ];
}
