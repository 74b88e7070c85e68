import { z } from "zod";
import { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type { App } from "../app.ts";
import { routesOf, type Route } from "../http/route.ts";
import { userAuditRoutes } from "./audit-routes.ts";
import { loadIdentity } from "./identity.ts";
import { requireUser } from "./load.ts";
import { UpdateProfile } from "./schema.ts";
import { loadAccount, updateProfile } from "./service.ts";

const route = routesOf({ tag: "User", auth: "required" });

export function userRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/profile",
      id: "getProfile",
      summary: "Read who you are and where you belong",
      data: IdentityPayload,
      handle: async ({ actor }) => loadIdentity(app, await loadAccount(app, actor), requireUser(actor)),
    }),
    route({
      method: "get",
      path: "/api/user/session",
      id: "getSession",
      summary: "Read who is signed in, or null for a visitor",
      auth: "optional",
      data: z.object({ user: IdentityPayload.nullable() }).meta({ id: "CurrentSession" }),
      handle: async ({ actor }) => ({
        user: actor.kind === "user" ? await loadIdentity(app, await loadAccount(app, actor), actor) : null,
      }),
    }),
    route({
      method: "patch",
      path: "/api/user/profile",
      id: "updateProfile",
      failures: ["already_exists"],
      summary: "Change your name or user name",
      body: UpdateProfile,
      data: IdentityPayload,
      handle: async ({ actor, body }) =>
        loadIdentity(app, await updateProfile(app, actor, body), requireUser(actor)),
    }),
    ...userAuditRoutes(app),
  ];
}
