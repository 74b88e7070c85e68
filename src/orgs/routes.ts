import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { StorageUsagePayload, TenantPayload } from "../../contract/payloads/organizations/organizations.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { routesOf, type Route } from "../http/route.ts";
import { loadMemberships } from "../users/load.ts";
import { autoJoinRoutes } from "./auto-join/routes.ts";
import { avatarRoutes } from "./avatar/avatar-routes.ts";
import { deleteTenant, restoreTenant } from "./deletion.ts";
import { invitationRoutes } from "./invitations/routes.ts";
import { memberRoutes } from "./members/member-routes.ts";
import { presentTenant } from "./present.ts";
import { roleRoutes } from "./roles/role-routes.ts";
import { CreateTenant, TenantParams, UpdateTenant } from "./schema.ts";
import { createTenant, listTenants, loadTenant, updateTenant } from "./service.ts";
import { readStorage } from "./storage/usage.ts";
import { teamRoutes } from "./teams/team-routes.ts";

const route = routesOf({ tag: "Organizations", auth: "required" });

export function tenantRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants",
      id: "listOrgs",
      summary: "List the organizations you belong to",
      data: z
        .array(TenantPayload)
        .max(limits.organizationsPerUser)
        .meta({ description: "all of them, unless `limit` is lower: one person belongs to at most as many" }),
      async handle({ actor }) {
        const tenants = await listTenants(app, actor);
        return tenants.map((tenant) => presentTenant(app, tenant, actor));
      },
    }),
    route({
      method: "post",
      path: "/api/tenants",
      id: "createOrg",
      failures: ["reauthentication_required", "already_exists", "limit_reached", "refused"],
      summary: "Create an organization; you become its owner",
      body: CreateTenant,
      status: 201,
      data: TenantPayload,
      handle: async ({ actor, body }) => presentTenant(app, await createTenant(app, actor, body), actor),
      authorizeRepeat: ({ actor }, { id }: TenantPayload) => loadTenant(app, actor, id, "member"),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant",
      id: "getOrg",
      summary: "Read an organization",
      params: TenantParams,
      data: TenantPayload,
      handle: async ({ actor, params }) =>
        presentTenant(app, await loadTenant(app, actor, params.tenant, "member"), actor),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/storage",
      id: "getStorage",
      summary: "Read how much storage an organization uses, and its limit",
      params: TenantParams,
      data: StorageUsagePayload,
      handle: ({ actor, params }) => readStorage(app, actor, params.tenant),
    }),
    route({
      method: "patch",
      path: "/api/tenants/:tenant",
      id: "updateOrg",
      failures: ["already_exists", "limit_reached"],
      summary: "Change an organization's name, slug or description",
      params: TenantParams,
      body: UpdateTenant,
      data: TenantPayload,
      handle: async ({ actor, params, body }) =>
        presentTenant(app, await updateTenant(app, actor, params.tenant, body), actor),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant",
      id: "deleteOrg",
      failures: ["conflict"],
      summary: "Delete an organization; its owners can restore it for 7 days, then everything is erased",
      params: TenantParams,
      data: null,
      handle: ({ actor, params }) => deleteTenant(app, actor, params.tenant),
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/restore",
      id: "restoreOrg",
      failures: ["conflict"],
      summary: "Restore a deleted organization before it is erased",
      params: TenantParams,
      data: TenantPayload,
      async handle({ actor, params }) {
        const tenant = await restoreTenant(app, actor, params.tenant);
        return presentTenant(app, tenant, await reload(app, actor));
      },
    }),
    ...avatarRoutes(app),
    ...memberRoutes(app),
    ...invitationRoutes(app),
    ...teamRoutes(app),
    ...roleRoutes(app),
    ...autoJoinRoutes(app),
  ];
}

/** The caller with what they may do after a change of it. */
async function reload(app: App, actor: Actor): Promise<Actor> {
  if (actor.kind !== "user") return actor;
  return { ...actor, memberships: await loadMemberships(app, actor.userId) };
}
