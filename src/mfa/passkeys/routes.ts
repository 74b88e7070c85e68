import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { IdentityPayload } from "../../../contract/payloads/accounts/accounts.ts";
import {
  AddedPasskeyPayload,
  PasskeyCreationPayload,
  PasskeyOptionsPayload,
  PasskeyPayload,
} from "../../../contract/payloads/accounts/mfa.ts";
import type { App } from "../../app.ts";
import { presentSignedIn } from "../../auth/present.ts";
import { Enveloped, routesOf, type Route } from "../../http/route.ts";
import { PasskeyOptions, PasskeyParams, RegisterPasskey, RenamePasskey, SignInByPasskey } from "../schema.ts";
import { presentPasskey, readFactorState } from "../state.ts";
import { registerPasskey, registrationOptions, removePasskey, renamePasskey } from "./manage.ts";
import { passkeyOptions } from "./options.ts";
import { signInByPasskey } from "./sign-in.ts";

const route = routesOf({ tag: "Second factors", auth: "required" });

export function passkeyRoutes(app: App): Route[] {
  return [...signInRoutes(app), ...registrationRoutes(app), ...managementRoutes(app)];
}

function signInRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/auth/passkeys/options",
      id: "getPasskeyOptions",
      failures: ["invalid_credentials", "refused"],
      summary:
        "Options to ask the browser for a passkey: to sign in, for a ticket, or to confirm who you are",
      auth: "optional",
      body: PasskeyOptions,
      data: PasskeyOptionsPayload,
      budget: "passkey",
      handle: ({ actor, body, request }) => passkeyOptions(app, actor, body.ticket, request),
    }),
    route({
      method: "post",
      path: "/api/auth/passkeys/sign-in",
      id: "signInByPasskey",
      failures: ["invalid_credentials", "refused"],
      summary: "Sign in with a passkey alone; sets the session cookie",
      auth: "optional",
      body: SignInByPasskey,
      data: IdentityPayload,
      budget: "sign-in",
      handle: async ({ actor, body, request }) =>
        presentSignedIn(app, await signInByPasskey(app, actor, body.passkey, request)),
    }),
  ];
}

function registrationRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/auth/passkeys/register/options",
      id: "startPasskey",
      failures: ["reauthentication_required", "conflict", "limit_reached", "refused"],
      summary: "Options to have the browser make a passkey",
      data: PasskeyCreationPayload,
      budget: "sign-in",
      handle: ({ actor }) => registrationOptions(app, actor),
    }),
    route({
      method: "post",
      path: "/api/auth/passkeys/register",
      id: "addPasskey",
      failures: [
        "invalid_credentials",
        "reauthentication_required",
        "already_exists",
        "conflict",
        "limit_reached",
        "refused",
      ],
      summary: "Add the passkey that the browser has made; the first factor comes with recovery codes",
      body: RegisterPasskey,
      data: AddedPasskeyPayload,
      budget: "sign-in",
      async handle({ actor, body, request }) {
        const added = await registerPasskey(app, actor, body, request.userAgent);
        const { passkey, recoveryCodes, cookie } = added;
        return new Enveloped(
          { passkey: presentPasskey(passkey), recoveryCodes },
          { cookies: cookie ? [cookie] : [] },
        );
      },
    }),
  ];
}

function managementRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/auth/passkeys",
      id: "listPasskeys",
      summary: "List your passkeys",
      data: z
        .array(PasskeyPayload)
        .max(limits.passkeysPerUser)
        .meta({ description: "all of them, unless `limit` is lower: an account has at most 20" }),
      handle: async ({ actor }) => (await readFactorState(app, actor)).passkeys,
    }),
    route({
      method: "patch",
      path: "/api/auth/passkeys/:id",
      id: "renamePasskey",
      summary: "Rename a passkey",
      params: PasskeyParams,
      body: RenamePasskey,
      data: PasskeyPayload,
      handle: async ({ actor, params, body }) =>
        presentPasskey(await renamePasskey(app, actor, params.id, body.name)),
    }),
    route({
      method: "delete",
      path: "/api/auth/passkeys/:id",
      id: "removePasskey",
      failures: ["reauthentication_required", "conflict", "refused"],
      summary: "Remove a passkey; ends all other sessions",
      params: PasskeyParams,
      data: null,
      handle: async ({ actor, params, request }) =>
        new Enveloped(undefined, {
          cookies: [await removePasskey(app, actor, params.id, request.userAgent)],
        }),
    }),
  ];
}
