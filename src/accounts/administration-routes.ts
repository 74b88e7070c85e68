import { AdminUserPayload } from "../../contract/payloads/administration.ts";
import type { App } from "../app.ts";
import { route, type Route } from "../http/route.ts";
import { endSessionsOf, listUsers, suspendUser, unsuspendUser } from "./administration.ts";
import { AdminUserParams, AdminUserQuery, SuspendUser } from "./schema.ts";

const common = { tag: "Administration", auth: "administrator" } as const;

export function accountAdministrationRoutes(app: App): Route[] {
  return [
    route({
      ...common,
      method: "get",
      path: "/api/admin/users",
      summary: "List all accounts by user name or address",
      query: AdminUserQuery,
      data: AdminUserPayload,
      page: true,
      handle: ({ query }) => listUsers(app, query),
    }),
    route({
      ...common,
      method: "post",
      path: "/api/admin/users/:user/suspend",
      summary: "Suspend an account; ends its sessions and personal tokens",
      params: AdminUserParams,
      body: SuspendUser,
      data: AdminUserPayload,
      handle: ({ actor, params, body }) => suspendUser(app, actor, params.user, body.reason),
    }),
    route({
      ...common,
      method: "post",
      path: "/api/admin/users/:user/unsuspend",
      summary: "Let a suspended account sign in again",
      params: AdminUserParams,
      data: AdminUserPayload,
      handle: ({ actor, params }) => unsuspendUser(app, actor, params.user),
    }),
    route({
      ...common,
      method: "post",
      path: "/api/admin/users/:user/end-sessions",
      summary: "End all browser sessions of an account",
      params: AdminUserParams,
      data: AdminUserPayload,
      handle: ({ actor, params }) => endSessionsOf(app, actor, params.user),
    }),
  ];
}
