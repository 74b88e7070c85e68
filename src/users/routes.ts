import { IdentityPayload } from "../../contract/payloads.ts";
import type { App } from "../app.ts";
import { route, type Route } from "../http/route.ts";
import { loadIdentity } from "./identity.ts";
import { requireUser } from "./load.ts";
import { AuditLogPayload, AuditLogQuery, UpdateProfile } from "./schema.ts";
import { listOwnEvents, loadAccount, updateProfile } from "./service.ts";

const tag = "User";

export function userRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/profile",
      summary: "Read who you are and where you belong",
      tag,
      auth: "required",
      data: IdentityPayload,
      handle: async ({ actor }) =>
        loadIdentity(app, await loadAccount(app, actor), requireUser(actor).memberships),
    }),
    route({
      method: "patch",
      path: "/api/user/profile",
      summary: "Change your name or user name",
      tag,
      auth: "required",
      body: UpdateProfile,
      data: IdentityPayload,
      handle: async ({ actor, body }) =>
        loadIdentity(app, await updateProfile(app, actor, body), requireUser(actor).memberships),
    }),
    route({
      method: "get",
      path: "/api/user/audit-log",
      summary: "List what you did, newest first",
      tag,
      auth: "required",
      query: AuditLogQuery,
      data: AuditLogPayload,
      handle: ({ actor, query }) => listOwnEvents(app, actor, query),
    }),
  ];
}
