/** The pages that create an account: sign-up, and the set-up of an empty service. */
import { z } from "zod";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { safeReturnTo } from "../../auth/pages/return-to.ts";
import { isSignUpOpen } from "../../auth/sign-in.ts";
import { problem } from "../../http/pages/fields.ts";
import { formScript } from "../../http/pages/form-script.ts";
import { checkForm, formText, renderErrors } from "../../http/pages/forms.ts";
import { actorPage, redirectReply } from "../../http/pages/pages.ts";
import { routesOf, type Reply, type RequestInfo, type Route } from "../../http/route.ts";
import { CreateTenant } from "../../orgs/schema.ts";
import { createTenant } from "../../orgs/service.ts";
import { userActor } from "../../users/load.ts";
import { SignUp } from "../schema.ts";
import { invitationIn, invitedBy } from "./require-invitation.ts";
import { mayCreateFirst } from "./setup.ts";
import { emptyServicePage, organizationFailedPage, signUpPage, type SignUpValues } from "./sign-up-pages.ts";
import { signUp } from "./sign-up.ts";

const route = routesOf({ tag: "Pages", auth: "optional", produces: "text/html" });
const noValues: SignUpValues = { email: "", name: "", username: "", organization: "" };

const SignUpForm = z.object({
  email: formText,
  password: formText,
  name: formText,
  username: formText,
  organization: formText,
  setup_token: formText,
  return_to: formText,
});
const ReturnQuery = z.object({ return_to: formText });
const SetupQuery = z.object({ token: formText });

export function signUpPageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/sign-up",
      summary: "Sign-up form",
      query: ReturnQuery,
      async handle({ actor, query, request }) {
        const title = "Create an account";
        const isFirst = !(await app.storage.users.hasAny());
        if (isFirst && !mayCreateFirst(app, request))
          return actorPage(actor, { title: "This service has no account yet", body: emptyServicePage() });
        const returnTo = safeReturnTo(query.return_to);
        if (!(await isSignUpOpen(app)) && !(await isInvited(app, returnTo))) {
          const body = problem("Accounts of this service are made by invitation only.");
          return actorPage(actor, { title, body }, { status: 403 });
        }
        const view = { action: "/sign-up", values: noValues, isFirst, returnTo } as const;
        return actorPage(actor, { title, body: signUpPage(view), script: formScript });
      },
    }),
    route({
      method: "post",
      path: "/sign-up",
      summary: "Create an account from the form",
      body: SignUpForm,
      form: true,
      handle: ({ actor, body, request }) => signUpFrom(app, "/sign-up", actor, body, request),
    }),
    route({
      method: "get",
      path: "/setup",
      summary: "Form for the first account, from the set-up link",
      query: SetupQuery,
      async handle({ actor, query }) {
        if (await app.storage.users.hasAny()) return redirectReply("/sign-in");
        const view = { action: "/setup", values: noValues, setupToken: query.token, returnTo: "/" } as const;
        return actorPage(actor, { title: "Set up this service", body: signUpPage(view), script: formScript });
      },
    }),
    route({
      method: "post",
      path: "/setup",
      summary: "Create the first account from the form",
      body: SignUpForm,
      form: true,
      handle: ({ actor, body, request }) => signUpFrom(app, "/setup", actor, body, request),
    }),
  ];
}

/** Whether a sign-up goes on to an invitation that lets its address make an account. */
async function isInvited(app: App, returnTo: string): Promise<boolean> {
  const token = invitationIn(returnTo);
  if (token === undefined) return false;
  return renderErrors(
    async () => (await invitedBy(app, token)) !== undefined,
    () => false,
  );
}

function signUpFrom(
  app: App,
  action: "/sign-up" | "/setup",
  actor: Actor,
  body: Record<keyof (typeof SignUpForm)["shape"], string>,
  request: RequestInfo,
): Promise<Reply> {
  const { organization, setup_token: setupToken, return_to, ...account } = body;
  const returnTo = safeReturnTo(return_to);
  return renderErrors(
    async () => {
      await app.rateLimits.consume("sign-up", actor.origin);
      const invitationToken = invitationIn(returnTo);
      const input = checkForm(SignUp, {
        ...account,
        setupToken: setupToken || undefined,
        invitationToken,
      });
      const tenant = organization.trim() === "" ? undefined : checkForm(CreateTenant, { name: organization });
      const { user, cookies, sessionId } = await signUp(app, actor, input, request);
      if (!tenant) return redirectReply(returnTo, { cookies });

      const origin = { ...actor.origin, source: "web", client: "web" } as const;
      const owner = userActor(app, user, [], { kind: "session", sessionId }, origin);
      return renderErrors(
        async () => {
          await createTenant(app, owner, tenant);
          return redirectReply(returnTo, { cookies });
        },
        (error) =>
          actorPage(owner, { title: "One thing is left", body: organizationFailedPage(error) }, { cookies }),
      );
    },
    (error, options) => {
      const values = { ...account, organization };
      const title = action === "/setup" ? "Set up this service" : "Create an account";
      const view = { action, error, values, setupToken: setupToken || undefined, returnTo };
      return actorPage(actor, { title, body: signUpPage(view), script: formScript }, options);
    },
  );
}
