import { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import {
  FactorStatePayload,
  MfaRequirementPayload,
  ReauthenticatedPayload,
  RecoveryCodesPayload,
  TotpSetupPayload,
} from "../../contract/payloads/accounts/mfa.ts";
import type { App } from "../app.ts";
import { presentSignedIn } from "../auth/present.ts";
import { Enveloped, routesOf, type Route } from "../http/route.ts";
import { TenantParams } from "../orgs/schema.ts";
import { passkeyRoutes } from "./passkeys/routes.ts";
import { changeRequirement, readRequirement } from "./requirement.ts";
import { ConfirmTotp, MfaRequirement, Reauthenticate, VerifyFactor } from "./schema.ts";
import { completeByFactor, reauthenticate } from "./sign-in.ts";
import { readFactorState } from "./state.ts";
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes } from "./totp-factor.ts";

const route = routesOf({ tag: "Second factors", auth: "required" });

export function mfaRoutes(app: App): Route[] {
  return [...verificationRoutes(app), ...factorRoutes(app), ...passkeyRoutes(app), ...requirementRoutes(app)];
}

function verificationRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/auth/mfa/verify",
      id: "verifyFactor",
      failures: ["invalid_credentials"],
      summary: "Complete a sign-in by its ticket and a second factor; sets the session cookie",
      auth: "optional",
      body: VerifyFactor,
      data: IdentityPayload,
      budget: "sign-in",
      handle: async ({ actor, body, request }) =>
        presentSignedIn(app, await completeByFactor(app, actor, body, request)),
    }),
    route({
      method: "post",
      path: "/api/auth/reauthenticate",
      id: "reauthenticate",
      failures: ["invalid_credentials", "refused"],
      summary: "Confirm who you are, for ten minutes of changes to sensitive settings",
      body: Reauthenticate,
      data: ReauthenticatedPayload,
      budget: "sign-in",
      async handle({ actor, body }) {
        return { verifiedUntil: (await reauthenticate(app, actor, body)).toISOString() };
      },
    }),
  ];
}

function factorRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/auth/mfa",
      id: "getFactors",
      summary: "Read your second factors and the organizations that require one",
      data: FactorStatePayload,
      handle: ({ actor }) => readFactorState(app, actor),
    }),
    route({
      method: "delete",
      path: "/api/auth/mfa",
      id: "removeTotp",
      failures: ["reauthentication_required", "not_found", "conflict", "refused"],
      summary: "Remove the authenticator app; ends all other sessions",
      data: null,
      handle: async ({ actor, request }) =>
        new Enveloped(undefined, { cookies: [await removeTotp(app, actor, request.userAgent)] }),
    }),
    route({
      method: "post",
      path: "/api/auth/mfa/totp",
      id: "startTotp",
      failures: ["reauthentication_required", "already_exists", "conflict"],
      summary: "Make the secret of a new authenticator app, with its QR code",
      data: TotpSetupPayload,
      budget: "sign-in",
      handle: ({ actor }) => beginTotp(app, actor),
    }),
    route({
      method: "post",
      path: "/api/auth/mfa/totp/confirm",
      id: "confirmTotp",
      failures: ["invalid_credentials", "reauthentication_required", "conflict", "refused"],
      summary: "Confirm the new authenticator app by a code; the first factor comes with recovery codes",
      body: ConfirmTotp,
      data: RecoveryCodesPayload,
      budget: "sign-in",
      async handle({ actor, body, request }) {
        const { recoveryCodes, cookie } = await confirmTotp(app, actor, body.code, request.userAgent);
        return new Enveloped({ recoveryCodes }, { cookies: cookie ? [cookie] : [] });
      },
    }),
    route({
      method: "post",
      path: "/api/auth/mfa/recovery-codes",
      id: "renewRecoveryCodes",
      failures: ["reauthentication_required", "conflict", "refused"],
      summary: "Replace your recovery codes",
      data: RecoveryCodesPayload,
      budget: "sign-in",
      async handle({ actor }) {
        return { recoveryCodes: await renewRecoveryCodes(app, actor) };
      },
    }),
  ];
}

function requirementRoutes(app: App): Route[] {
  const common = { path: "/api/tenants/:tenant/mfa-requirement", tag: "Organizations" };
  return [
    route({
      ...common,
      method: "get",
      id: "getMfaRequirement",
      summary: "Read whether members need a second factor, and how many lack one",
      params: TenantParams,
      data: MfaRequirementPayload,
      handle: ({ actor, params }) => readRequirement(app, actor, params.tenant),
    }),
    route({
      ...common,
      method: "put",
      id: "setMfaRequirement",
      failures: ["refused"],
      summary: "Require a second factor of all members, after days of grace, or require none",
      params: TenantParams,
      body: MfaRequirement,
      data: MfaRequirementPayload,
      handle: ({ actor, params, body }) => changeRequirement(app, actor, params.tenant, body),
    }),
  ];
}
