import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { RolePayload } from "../../../contract/payloads/organizations/organizations.ts";
import { builtInRoles } from "../../../contract/vocabulary.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { presentBuiltInRoles, presentRole } from "../present.ts";
import { CreateRole, RoleParams, TenantParams, UpdateRole } from "../schema.ts";
import { loadTenant } from "../service.ts";
import { createRole, deleteRole, listRoles, readRole, updateRole } from "./roles.ts";

const route = routesOf({ tag: "Roles", auth: "required" });

export function roleRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/roles",
      id: "listRoles",
      summary: "List the built-in roles and the organization's own",
      params: TenantParams,
      data: z
        .array(RolePayload)
        .max(builtInRoles.length + limits.rolesPerOrganization)
        .meta({
          description: "all of them, unless `limit` is lower: an organization has at most 100 of its own",
        }),
      async handle({ actor, params }) {
        const custom = await listRoles(app, actor, params.tenant);
        return [...presentBuiltInRoles(), ...custom.map(presentRole)];
      },
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/roles",
      id: "createRole",
      failures: ["already_exists", "limit_reached"],
      summary: "Create a custom role",
      params: TenantParams,
      body: CreateRole,
      status: 201,
      data: RolePayload,
      handle: async ({ actor, params, body }) =>
        presentRole(await createRole(app, actor, params.tenant, body)),
      authorizeRepeat: ({ actor, params }) => loadTenant(app, actor, params.tenant, "member:read"),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/roles/:id",
      id: "getRole",
      summary: "Read a built-in role or one of the organization's own",
      params: RoleParams,
      data: RolePayload,
      async handle({ actor, params: { tenant, id } }) {
        const builtIn = presentBuiltInRoles().find((role) => role.id === id);
        const custom = await readRole(app, actor, tenant, builtIn ? undefined : id);
        return builtIn ?? presentRole(custom!);
      },
    }),
    route({
      method: "patch",
      path: "/api/tenants/:tenant/roles/:id",
      id: "updateRole",
      failures: ["already_exists", "conflict"],
      summary: "Change a custom role; it counts for its holders from their next call on",
      params: RoleParams,
      body: UpdateRole,
      data: RolePayload,
      handle: async ({ actor, params, body }) =>
        presentRole(await updateRole(app, actor, params.tenant, params.id, body)),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant/roles/:id",
      id: "deleteRole",
      failures: ["refused"],
      summary: "Delete a custom role that is not in use",
      params: RoleParams,
      data: null,
      handle: ({ actor, params }) => deleteRole(app, actor, params.tenant, params.id),
    }),
  ];
}
