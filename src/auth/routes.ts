import { z } from "zod";
import { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import {
  DeviceCodePayload,
  DeviceTokenPayload,
  PendingDevicePayload,
} from "../../contract/payloads/accounts/devices.ts";
import { FactorNeededPayload } from "../../contract/payloads/accounts/mfa.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { Enveloped, routesOf, type Route } from "../http/route.ts";
import { anonymousRoutes } from "./anonymous/anonymous-routes.ts";
import { decideDevice, findPendingDevice } from "./device/device-approval.ts";
import { pollDeviceToken, requestDeviceCode } from "./device/device.ts";
import { standardAnswer } from "./oauth-error.ts";
import { presentPendingDevice, presentSignIn } from "./present.ts";
import { DeviceCodeRequest, DeviceDecision, DeviceQuery, DeviceTokenRequest, SignIn } from "./schema.ts";
import { endSession } from "./sessions.ts";
import { signIn } from "./sign-in.ts";

const route = routesOf({ tag: "Sign-in", auth: "required" });

export function authRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/auth/sign-in",
      id: "signIn",
      failures: ["invalid_credentials"],
      summary:
        "Sign in with e-mail and password; sets the session cookie, or answers with a ticket for a factor",
      auth: "optional",
      body: SignIn,
      data: z.union([IdentityPayload, FactorNeededPayload]),
      budget: "sign-in",
      handle: async ({ actor, body, request }) => presentSignIn(app, await signIn(app, actor, body, request)),
    }),
    route({
      method: "post",
      path: "/api/auth/sign-out",
      id: "signOut",
      summary: "End the session of the cookie",
      auth: "optional",
      data: null,
      handle: ({ actor }) => signOut(app, actor),
    }),
    route({
      method: "post",
      path: "/api/auth/device/code",
      id: "startDevice",
      summary: "Start the sign-in of a device (RFC 8628, section 3.1); the answer has no envelope",
      auth: "optional",
      body: DeviceCodeRequest,
      form: true,
      cookieless: true,
      oauthFailures: "invalid_request",
      data: DeviceCodePayload,
      produces: "application/json",
      budget: "device",
      handle: ({ body, request }) => standardAnswer(() => requestDeviceCode(app, body, request)),
    }),
    route({
      method: "post",
      path: "/api/auth/device/token",
      id: "pollDevice",
      failures: ["limit_reached"],
      summary: "Poll for a device's token (RFC 8628, section 3.4); the answer has no envelope",
      auth: "optional",
      body: DeviceTokenRequest,
      form: true,
      cookieless: true,
      oauthFailures: "invalid_request",
      data: DeviceTokenPayload,
      produces: "application/json",
      budget: "device",
      handle: ({ actor, body }) => standardAnswer(() => pollDeviceToken(app, body, actor.origin)),
    }),
    route({
      method: "get",
      path: "/api/auth/device",
      id: "getDevice",
      failures: ["not_found"],
      summary: "Read a device's sign-in by its user code before deciding; needs a browser session",
      query: DeviceQuery,
      data: PendingDevicePayload,
      handle: async ({ actor, query }) =>
        presentPendingDevice(await findPendingDevice(app, actor, query.user_code)),
    }),
    route({
      method: "post",
      path: "/api/auth/device/decision",
      id: "decideDevice",
      failures: ["sso_required", "mfa_required", "reauthentication_required", "not_found"],
      summary: "Approve or deny a device by its user code; needs a browser session",
      body: DeviceDecision,
      data: z.object({ approved: z.boolean() }),
      async handle({ actor, body }) {
        await decideDevice(app, actor, body.userCode, body.approve);
        return { approved: body.approve };
      },
    }),
    ...anonymousRoutes(app),
  ];
}

async function signOut(app: App, actor: Actor): Promise<Enveloped> {
  return new Enveloped(undefined, { cookies: [await endSession(app, actor)] });
}
