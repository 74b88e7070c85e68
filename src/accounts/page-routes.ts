/** The pages of accounts, among them those that links in mails lead to. A GET changes nothing. */
import { z } from "zod";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { clientFacts } from "../auth/known-clients.ts";
import { formScript } from "../http/pages/form-script.ts";
import { checkForm, formText, renderErrors } from "../http/pages/forms.ts";
import { actorPage, redirectReply, type PageOptions } from "../http/pages/pages.ts";
import { routesOf, type Reply, type Route } from "../http/route.ts";
import { accessPageRoutes } from "./access-page-routes.ts";
import { confirmEmail, readConfirmation, requireSessionOf } from "./email-address.ts";
import {
  badLinkPage,
  confirmEmailPage,
  emailConfirmedPage,
  forgotPasswordPage,
  linkSentPage,
  passwordSetPage,
  resetPasswordPage,
} from "./pages.ts";
import { forgotPassword, readReset, resetPassword } from "./recovery.ts";
import { ForgotPassword, ResetPassword } from "./schema.ts";
import { signUpPageRoutes } from "./sign-up/sign-up-page-routes.ts";

const route = routesOf({ tag: "Pages", auth: "optional", produces: "text/html" });
const askAgain = { href: "/forgot-password", label: "Ask for another link" };

const LinkQuery = z.object({ token: formText });
const ForgotForm = z.object({ email: formText });
const ResetForm = z.object({ token: formText, password: formText, end_tokens: formText });

export function accountPageRoutes(app: App): Route[] {
  return [
    ...signUpPageRoutes(app),
    ...confirmRoutes(app),
    ...forgotRoutes(app),
    ...resetRoutes(app),
    ...accessPageRoutes(app),
  ];
}

/** Redirects to the sign-in, which returns to the link of a mail. */
function signInFirst(token: string): Reply {
  const here = `/confirm-email?token=${encodeURIComponent(token)}`;
  return redirectReply(`/sign-in?return_to=${encodeURIComponent(here)}`);
}

function confirmRoutes(app: App): Route[] {
  const failed = (actor: Actor, error: string, options: PageOptions) =>
    actorPage(actor, { title: "The address is not confirmed", body: badLinkPage(error) }, options);
  return [
    route({
      method: "get",
      path: "/confirm-email",
      summary: "Ask whether to confirm an e-mail address, from the link of a mail",
      query: LinkQuery,
      handle: ({ actor, query: { token } }) =>
        renderErrors(
          async () => {
            const { user, change } = await readConfirmation(app, token);
            if (actor.kind === "anonymous") return signInFirst(token);
            requireSessionOf(actor, user);
            const view = { token, email: change?.email ?? user.email, changed: change !== undefined };
            return actorPage(actor, { title: "Confirm your e-mail address", body: confirmEmailPage(view) });
          },
          (error, options) => failed(actor, error, options),
        ),
    }),
    route({
      method: "post",
      path: "/confirm-email",
      summary: "Confirm an e-mail address from the form",
      body: LinkQuery,
      form: true,
      handle: ({ actor, body: { token } }) =>
        renderErrors(
          async () => {
            await app.rateLimits.consume("sign-in", actor.origin);
            if (actor.kind === "anonymous") return signInFirst(token);
            const body = emailConfirmedPage(await confirmEmail(app, actor, token));
            return actorPage(actor, { title: "Address confirmed", body });
          },
          (error, options) => failed(actor, error, options),
        ),
    }),
  ];
}

function forgotRoutes(app: App): Route[] {
  const title = "Forgot your password?";
  return [
    route({
      method: "get",
      path: "/forgot-password",
      summary: "Form for a forgotten password",
      handle: async ({ actor }) =>
        actorPage(actor, { title, body: forgotPasswordPage({ email: "" }), script: formScript }),
    }),
    route({
      method: "post",
      path: "/forgot-password",
      summary: "Ask for a link from the form",
      body: ForgotForm,
      form: true,
      handle: ({ actor, body, request }) =>
        renderErrors(
          async () => {
            await app.rateLimits.consume("recovery", actor.origin);
            const { email } = checkForm(ForgotPassword, body);
            await forgotPassword(app, email, clientFacts(app, actor, request));
            return actorPage(actor, { title: "Check your mail", body: linkSentPage() });
          },
          (error, options) =>
            actorPage(
              actor,
              { title, body: forgotPasswordPage({ error, ...body }), script: formScript },
              options,
            ),
        ),
    }),
  ];
}

function resetRoutes(app: App): Route[] {
  const title = "Choose a new password";
  return [
    route({
      method: "get",
      path: "/reset-password",
      summary: "Form for a new password, from the link of a mail",
      query: LinkQuery,
      handle: ({ actor, query: { token } }) =>
        renderErrors(
          async () => {
            const { emailVerifiedAt } = await readReset(app, token);
            const view = { token, endTokens: emailVerifiedAt ? true : "always" } as const;
            return actorPage(actor, { title, body: resetPasswordPage(view), script: formScript });
          },
          (error, options) => actorPage(actor, { title, body: badLinkPage(error, askAgain) }, options),
        ),
    }),
    route({
      method: "post",
      path: "/reset-password",
      summary: "Set a new password from the form",
      body: ResetForm,
      form: true,
      handle: ({ actor, body }) =>
        renderErrors(
          async () => {
            await app.rateLimits.consume("sign-in", actor.origin);
            // An ended link is reported before a password that is too short.
            const { emailVerifiedAt } = await readReset(app, body.token);
            const endTokens = emailVerifiedAt ? body.end_tokens !== "" : "always";
            return renderErrors(
              async () => {
                const { end_tokens: _, ...fields } = body;
                const input = checkForm(ResetPassword, { ...fields, endTokens: endTokens !== false });
                await resetPassword(app, actor.origin, input);
                return actorPage(actor, { title: "Password changed", body: passwordSetPage() });
              },
              (error, options) => {
                const view = { error, token: body.token, endTokens } as const;
                return actorPage(
                  actor,
                  { title, body: resetPasswordPage(view), script: formScript },
                  options,
                );
              },
            );
          },
          (error, options) => actorPage(actor, { title, body: badLinkPage(error, askAgain) }, options),
        ),
    }),
  ];
}
