import { z } from "zod";
import {
  ConfirmedEmailPayload,
  EmailChangePayload,
  IdentityPayload,
  SessionPayload,
} from "../../contract/payloads/accounts/accounts.ts";
import type { SessionDoc } from "../../storage/credentials/sessions.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { clientFacts } from "../auth/known-clients.ts";
import { presentSignedIn } from "../auth/present.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { Enveloped, routesOf, type Cookie, type Route } from "../http/route.ts";
import { changePassword, endOneSession, endOtherSessions, listSessions } from "./account.ts";
import { deleteAccount } from "./delete-account.ts";
import { confirmEmail, requestEmailChange, resendConfirmation } from "./email-address.ts";
import { linkRoutes } from "./link-routes.ts";
import { forgotPassword, resetPassword } from "./recovery.ts";
import {
  ChangeEmail,
  ChangePassword,
  ConfirmEmail,
  DeleteAccount,
  ForgotPassword,
  ResetPassword,
  SessionParams,
  SessionQuery,
  SignUp,
} from "./schema.ts";
import { signUp } from "./sign-up/sign-up.ts";

const route = routesOf({ tag: "Account", auth: "required" });

export function accountRoutes(app: App): Route[] {
  return [
    signUpRoute(app),
    ...sessionRoutes(app),
    ...passwordRoutes(app),
    ...emailRoutes(app),
    ...linkRoutes(app),
    deletionRoute(app),
  ];
}

function signUpRoute(app: App): Route {
  return route({
    method: "post",
    path: "/api/auth/sign-up",
    id: "signUp",
    failures: ["not_found", "already_exists"],
    summary: "Create an account and sign in; the first one of a service is its administrator",
    tag: "Sign-in",
    auth: "optional",
    body: SignUp,
    status: 201,
    data: IdentityPayload,
    budget: "sign-up",
    handle: async ({ actor, body, request }) => presentSignedIn(app, await signUp(app, actor, body, request)),
  });
}

function sessionRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/sessions",
      id: "listSessions",
      summary: "List your browser sessions, newest first",
      query: SessionQuery,
      data: SessionPayload,
      page: true,
      async handle({ actor, query }) {
        const [before] = decodeCursor(query.cursor, z.tuple([z.string().max(64)])) ?? [];
        const rows = await listSessions(app, actor, { before, limit: query.limit + 1 });
        const page = pageOf(rows, query.limit, (last) => [last._id]);
        return page.map((session) => presentSession(session, actor));
      },
    }),
    route({
      method: "delete",
      path: "/api/user/sessions/:id",
      id: "endSession",
      summary: "End one of your browser sessions at once",
      params: SessionParams,
      data: null,
      handle: async ({ actor, params }) => withCookie(await endOneSession(app, actor, params.id)),
    }),
    route({
      method: "delete",
      path: "/api/user/sessions",
      id: "endOtherSessions",
      summary: "End all your browser sessions but the one that calls",
      data: null,
      handle: ({ actor }) => endOtherSessions(app, actor),
    }),
  ];
}

function passwordRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/user/password",
      id: "changePassword",
      failures: ["invalid_credentials", "reauthentication_required", "conflict", "refused"],
      summary: "Change your password; ends all other sessions and keeps API tokens",
      body: ChangePassword,
      data: null,
      budget: "sign-in",
      handle: async ({ actor, body, request }) =>
        withCookie(await changePassword(app, actor, body, request.userAgent)),
    }),
    route({
      method: "post",
      path: "/api/auth/password/forgot",
      id: "forgotPassword",
      summary: "Send a link for a new password, if there is such an account; the answer is the same if not",
      auth: "optional",
      body: ForgotPassword,
      data: null,
      budget: "recovery",
      handle: ({ actor, body, request }) => forgotPassword(app, body.email, clientFacts(app, actor, request)),
    }),
    route({
      method: "post",
      path: "/api/auth/password/reset",
      id: "resetPassword",
      failures: ["refused"],
      summary: "Set a new password by the link of a mail, once; ends all sessions, and API tokens on request",
      auth: "optional",
      body: ResetPassword,
      data: null,
      budget: "sign-in",
      handle: ({ actor, body }) => resetPassword(app, actor.origin, body),
    }),
  ];
}

function emailRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/user/email",
      id: "changeEmail",
      failures: ["invalid_credentials", "reauthentication_required", "conflict", "refused"],
      summary: "Ask for another e-mail address; it changes when its owner follows the link sent there",
      body: ChangeEmail,
      data: EmailChangePayload,
      budget: "sign-in",
      handle: ({ actor, body }) => requestEmailChange(app, actor, body),
    }),
    route({
      method: "post",
      path: "/api/user/email/confirm",
      id: "confirmEmail",
      failures: ["already_exists", "refused"],
      summary: "Confirm an e-mail address by the link of a mail, once, in a session of its account",
      auth: "optional",
      body: ConfirmEmail,
      data: ConfirmedEmailPayload,
      budget: "sign-in",
      handle: ({ actor, body }) => confirmEmail(app, actor, body.token),
    }),
    route({
      method: "post",
      path: "/api/user/email/resend",
      id: "resendEmail",
      failures: ["conflict", "refused"],
      summary: "Send the link that confirms your current e-mail address again",
      data: null,
      budget: "sign-in",
      handle: ({ actor }) => resendConfirmation(app, actor),
    }),
  ];
}

function deletionRoute(app: App): Route {
  return route({
    method: "delete",
    path: "/api/user/account",
    id: "deleteAccount",
    failures: ["invalid_credentials", "reauthentication_required", "conflict", "last_owner", "refused"],
    summary: "Delete your account permanently; not while you are the only owner of an organization",
    body: DeleteAccount,
    data: null,
    budget: "sign-in",
    handle: async ({ actor, body }) => withCookie(await deleteAccount(app, actor, body.password)),
  });
}

function presentSession(session: SessionDoc, actor: Actor): SessionPayload {
  return {
    id: session._id,
    current: actor.kind === "user" && actor.via.kind === "session" && actor.via.sessionId === session._id,
    client: session.client ?? null,
    createdAt: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}

const withCookie = (cookie: Cookie | undefined) =>
  new Enveloped(undefined, { cookies: cookie ? [cookie] : [] });
