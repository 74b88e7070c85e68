/** The pages that links in mails lead to, and the one that asks for such a mail. A GET changes nothing. */
import type { App } from "../app.ts";
import { pageReply, type PageContent } from "../http/pages.ts";
import { route, type Reply, type Route } from "../http/route.ts";
import type { Actor } from "../access/actor.ts";
import {
  badLinkPage,
  confirmEmailPage,
  emailConfirmedPage,
  forgotPasswordPage,
  linkSentPage,
  passwordSetPage,
  resetPasswordPage,
} from "./account-pages.ts";
import { confirmEmail, readConfirmation } from "./email-address.ts";
import { ForgotForm, LinkQuery, ResetForm, checkForm, orShow } from "./page-forms.ts";
import { forgotPassword, readReset, resetPassword } from "./recovery.ts";
import { ForgotPassword, ResetPassword } from "./schema.ts";

const page = { tag: "Pages", auth: "optional", produces: "text/html" } as const;
const askAgain = { href: "/forgot-password", label: "Ask for another link" };

function show(
  actor: Actor,
  content: Pick<PageContent, "title" | "body">,
  options?: Parameters<typeof pageReply>[1],
): Reply {
  const signedInAs = actor.kind === "user" ? actor.username : undefined;
  return pageReply({ ...content, signedInAs }, options);
}

const ipOf = (actor: Actor) => actor.origin.ipHash ?? "unknown";

export function accountPageRoutes(app: App): Route[] {
  return [...confirmRoutes(app), ...forgotRoutes(app), ...resetRoutes(app)];
}

function confirmRoutes(app: App): Route[] {
  const failed = (actor: Actor, error: string, options: Parameters<typeof pageReply>[1]) =>
    show(actor, { title: "The address is not confirmed", body: badLinkPage(error) }, options);
  return [
    route({
      ...page,
      method: "get",
      path: "/confirm-email",
      summary: "Ask whether to confirm an e-mail address, from the link of a mail",
      query: LinkQuery,
      handle: ({ actor, query: { token } }) =>
        orShow(
          async () => {
            const { user, change } = await readConfirmation(app, token);
            const view = { token, email: change?.email ?? user.email, changed: change !== undefined };
            return show(actor, { title: "Confirm your e-mail address", body: confirmEmailPage(view) });
          },
          (error, options) => failed(actor, error, options),
        ),
    }),
    route({
      ...page,
      method: "post",
      path: "/confirm-email",
      summary: "Confirm an e-mail address from the form",
      body: LinkQuery,
      form: true,
      handle: ({ actor, body: { token } }) =>
        orShow(
          async () => {
            await app.rateLimits.consume("sign-in", ipOf(actor));
            const body = emailConfirmedPage(await confirmEmail(app, actor.origin, token));
            return show(actor, { title: "Address confirmed", body });
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
      ...page,
      method: "get",
      path: "/forgot-password",
      summary: "Form for a forgotten password",
      handle: async ({ actor }) => show(actor, { title, body: forgotPasswordPage({ email: "" }) }),
    }),
    route({
      ...page,
      method: "post",
      path: "/forgot-password",
      summary: "Ask for a link from the form",
      body: ForgotForm,
      form: true,
      handle: ({ actor, body }) =>
        orShow(
          async () => {
            await app.rateLimits.consume("recovery", ipOf(actor));
            await forgotPassword(app, checkForm(ForgotPassword, body).email);
            return show(actor, { title: "Look into your mail", body: linkSentPage() });
          },
          (error, options) => show(actor, { title, body: forgotPasswordPage({ error, ...body }) }, options),
        ),
    }),
  ];
}

function resetRoutes(app: App): Route[] {
  const title = "Choose a new password";
  return [
    route({
      ...page,
      method: "get",
      path: "/reset-password",
      summary: "Form for a new password, from the link of a mail",
      query: LinkQuery,
      handle: ({ actor, query: { token } }) =>
        orShow(
          async () => {
            await readReset(app, token);
            return show(actor, { title, body: resetPasswordPage({ token }) });
          },
          (error, options) => show(actor, { title, body: badLinkPage(error, askAgain) }, options),
        ),
    }),
    route({
      ...page,
      method: "post",
      path: "/reset-password",
      summary: "Set a new password from the form",
      body: ResetForm,
      form: true,
      handle: ({ actor, body }) =>
        orShow(
          async () => {
            await app.rateLimits.consume("sign-in", ipOf(actor));
            // A link that is over is told before a password that is too short.
            await readReset(app, body.token);
            return orShow(
              async () => {
                await resetPassword(app, actor.origin, checkForm(ResetPassword, body));
                return show(actor, { title: "Password changed", body: passwordSetPage() });
              },
              (error, options) =>
                show(actor, { title, body: resetPasswordPage({ error, token: body.token }) }, options),
            );
          },
          (error, options) => show(actor, { title, body: badLinkPage(error, askAgain) }, options),
        ),
    }),
  ];
}
