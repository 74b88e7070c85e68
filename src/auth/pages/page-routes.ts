/** The pages of sign-in and of device approval. */
import { z } from "zod";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { checkForm, formText, renderErrors } from "../../http/pages/forms.ts";
import type { Html } from "../../http/pages/html.ts";
import { actorPage, redirectReply, type PageOptions } from "../../http/pages/pages.ts";
import { routesOf, type Reply, type Route } from "../../http/route.ts";
import { requireUser } from "../../users/load.ts";
import { remedyOf } from "../../users/remedy.ts";
import { isConfined } from "../../users/requirements.ts";
import { decideDevice, findPendingDevice } from "../device/device-approval.ts";
import { discoverProvider } from "../discover-provider.ts";
import { SignIn } from "../schema.ts";
import { endSession } from "../sessions.ts";
import { signIn } from "../sign-in.ts";
import { deviceApprovalPage, deviceCodePage, deviceDonePage } from "./pages.ts";
import { safeReturnTo } from "./return-to.ts";
import { showFactor, showSignIn } from "./sign-in-pages.ts";

const route = routesOf({ tag: "Pages", auth: "optional", produces: "text/html" });
const SignInForm = z.object({ email: formText, password: formText, return_to: formText });
const SignOutForm = z.object({ confirm: formText });
const ReturnQuery = z.object({ return_to: formText, password: formText });
const DeviceForm = z.object({ user_code: formText, decision: formText });
const DeviceQuery = z.object({ user_code: formText });

const isSignedIn = (actor: Actor) => actor.kind === "user";
/** A provider has signed the visitor in, who is asked for credentials of their own. */
const isUnconfirmed = (actor: Actor) =>
  actor.kind === "user" && actor.account !== undefined && isConfined(actor.account, actor.via);

export function signInPageRoutes(app: App): Route[] {
  return [...signInRoutes(app), ...deviceRoutes(app)];
}

function signInRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/sign-in",
      summary: "Sign-in form",
      query: ReturnQuery,
      async handle({ actor, query }) {
        const returnTo = safeReturnTo(query.return_to);
        const asksPassword = query.password !== "";
        if (isSignedIn(actor) && !(asksPassword && isUnconfirmed(actor))) return redirectReply(returnTo);
        return showSignIn(app, actor, { returnTo, asksPassword });
      },
    }),
    route({
      method: "post",
      path: "/sign-in",
      summary: "Sign in from the form",
      body: SignInForm,
      form: true,
      handle: ({ actor, body: { email, password, return_to }, request }) =>
        renderErrors(
          async () => {
            await app.rateLimits.consume("sign-in", actor.origin);
            if (password === "") return nextStep(app, actor, email, safeReturnTo(return_to));
            const result = await signIn(app, actor, checkForm(SignIn, { email, password }), request);
            const returnTo = safeReturnTo(return_to);
            if ("ticket" in result) return showFactor(app, actor, { ...result, returnTo });
            return redirectReply(returnTo, { cookies: result.cookies });
          },
          (error, options) =>
            showSignIn(
              app,
              actor,
              { error, email, returnTo: safeReturnTo(return_to), asksPassword: true },
              options,
            ),
        ),
    }),
    route({
      method: "post",
      path: "/sign-out",
      summary: "Sign out from the button of a page",
      body: SignOutForm,
      form: true,
      // The dashboard's own sign-out removes the drafts of its editor; this page has no script that could.
      handle: async ({ actor }) =>
        redirectReply("/", {
          cookies: [await endSession(app, actor)],
          headers: { "clear-site-data": '"storage"' },
        }),
    }),
  ];
}

/** After the address: the provider of its domain, or the password. */
async function nextStep(app: App, actor: Actor, email: string, returnTo: string): Promise<Reply> {
  const path = await discoverProvider(app, email, returnTo);
  return path === undefined
    ? showSignIn(app, actor, { email, returnTo, asksPassword: true })
    : redirectReply(path);
}

const devicePath = (userCode: string) =>
  userCode === "" ? "/device" : `/device?user_code=${encodeURIComponent(userCode)}`;

/** Redirects to the sign-in, which returns to the device's code. */
const signInFirst = (userCode: string) =>
  redirectReply(`/sign-in?return_to=${encodeURIComponent(devicePath(userCode))}`);

function askCode(actor: Actor, view: { error?: string; remedy?: Html }, options?: PageOptions): Reply {
  return actorPage(actor, { title: "Sign in a device", body: deviceCodePage(view) }, options);
}

function deviceRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/device",
      summary: "Enter a device's code, or decide about it",
      query: DeviceQuery,
      async handle({ actor, query: { user_code: userCode } }) {
        if (!isSignedIn(actor)) return signInFirst(userCode);
        if (userCode === "") return askCode(actor, {});
        return renderErrors(
          async () => {
            const device = await findPendingDevice(app, actor, userCode);
            const { username } = requireUser(actor);
            const body = deviceApprovalPage({ device, username, now: app.now() });
            return actorPage(actor, { title: "Let a device sign in as you?", body });
          },
          (error, options) => askCode(actor, { error }, options),
        );
      },
    }),
    route({
      method: "post",
      path: "/device",
      summary: "Approve or deny a device from the form",
      body: DeviceForm,
      form: true,
      async handle({ actor, body: { user_code: userCode, decision } }) {
        if (!isSignedIn(actor)) return signInFirst(userCode);
        if (decision !== "approve" && decision !== "deny")
          return askCode(actor, { error: "Choose approve or deny." }, { status: 400 });
        const approved = decision === "approve";
        return renderErrors(
          async () => {
            await decideDevice(app, actor, userCode, approved);
            const title = approved ? "Sign-in approved" : "Sign-in denied";
            return actorPage(actor, { title, body: deviceDonePage(approved) });
          },
          (error, options, cause) =>
            askCode(actor, { error, remedy: remedyOf(cause, devicePath(userCode)) }, options),
        );
      },
    }),
  ];
}
