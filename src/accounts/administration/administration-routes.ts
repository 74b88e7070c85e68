import {
  AdminUserPayload,
  ServiceSettingsPayload,
} from "../../../contract/payloads/service/administration.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { confirmRestore } from "../../epoch/epoch.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { AdminReason, AdminUserParams, AdminUserQuery, ChangeServiceSettings } from "../schema.ts";
import { endSessionsOf, listUsers, resetFactorsOf, suspendUser, unsuspendUser } from "./administration.ts";
import { grantAdministrator, removeAdministrator } from "./administrators.ts";
import { changeServiceSettings, readServiceSettings } from "./service-settings.ts";

const route = routesOf({ tag: "Administration", auth: "administrator" });

export function accountAdministrationRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/admin/users",
      id: "listUsers",
      summary: "List all accounts by user name or address",
      query: AdminUserQuery,
      data: AdminUserPayload,
      page: true,
      handle: ({ query }) => listUsers(app, query),
    }),
    ...actionRoutes(app),
    ...settingsRoutes(app),
  ];
}

type Action = (app: App, actor: Actor, id: string, reason: string) => Promise<AdminUserPayload>;

/** Actions on an account, each with a reason. */
function actionRoutes(app: App): Route[] {
  const action = (id: string, name: string, summary: string, act: Action) =>
    route({
      method: "post",
      path: `/api/admin/users/:user/${name}`,
      id,
      failures: ["conflict", "refused"],
      summary,
      params: AdminUserParams,
      body: AdminReason,
      data: AdminUserPayload,
      handle: ({ actor, params, body }) => act(app, actor, params.user, body.reason),
    });
  return [
    action(
      "suspendUser",
      "suspend",
      "Suspend an account; ends its sessions and personal tokens",
      suspendUser,
    ),
    action("unsuspendUser", "unsuspend", "Let a suspended account sign in again", unsuspendUser),
    action("endUserSessions", "end-sessions", "End all browser sessions of an account", endSessionsOf),
    action(
      "resetUserFactors",
      "reset-factors",
      "Remove all second factors of an account; ends its sessions",
      resetFactorsOf,
    ),
    action(
      "grantAdministrator",
      "grant-administrator",
      "Let an account administer the service",
      grantAdministrator,
    ),
    action(
      "removeAdministrator",
      "remove-administrator",
      "Take the right to administer the service from an account; one always keeps it",
      removeAdministrator,
    ),
  ];
}

function settingsRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/admin/settings",
      id: "getSettings",
      summary: "Read the settings of the service",
      data: ServiceSettingsPayload,
      handle: () => readServiceSettings(app),
    }),
    route({
      method: "patch",
      path: "/api/admin/settings",
      id: "updateSettings",
      summary: "Change who can create an account, and whether agents need a sign-in",
      body: ChangeServiceSettings,
      data: ServiceSettingsPayload,
      handle: ({ actor, body }) => changeServiceSettings(app, actor, body),
    }),
    route({
      method: "post",
      path: "/api/admin/confirm-restore",
      id: "confirmRestore",
      failures: ["conflict", "refused"],
      summary:
        "Confirm that the database and the Git root are correct after a restore, so that deletions resume",
      body: AdminReason,
      data: null,
      handle: ({ actor, body }) => confirmRestore(app, actor, body.reason),
    }),
  ];
}
