/** The pages: start, sign-in, sign-up, set-up, first organization, device approval and those of mails. */
import { CreateTenant } from "../orgs/schema.ts";
import { createTenant } from "../orgs/service.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import {
  iconPath,
  iconReply,
  pageReply,
  problem,
  redirectReply,
  stylePath,
  styleReply,
  type PageContent,
} from "../http/pages.ts";
import { route, type Reply, type RequestInfo, type Route } from "../http/route.ts";
import { requireUser, userActor } from "../users/load.ts";
import { accountPageRoutes } from "./account-page-routes.ts";
import { decideDevice, findPendingDevice } from "./device.ts";
import {
  DeviceForm,
  DeviceQuery,
  OrganizationForm,
  ReturnQuery,
  SetupQuery,
  SignInForm,
  SignOutForm,
  SignUpForm,
  checkForm,
  orShow,
} from "./page-forms.ts";
import {
  deviceApprovalPage,
  deviceCodePage,
  deviceDonePage,
  newOrganizationPage,
  organizationFailedPage,
  signInPage,
  signUpPage,
  startPage,
  type SignUpValues,
} from "./pages.ts";
import { invitationIn, invitedBy } from "./invited.ts";
import { safeReturnTo } from "./return-to.ts";
import { SignIn, SignUp } from "./schema.ts";
import { endSession } from "./sessions.ts";
import { signIn, signUp } from "./sign-in.ts";

const page = { tag: "Pages", auth: "optional", produces: "text/html" } as const;
const noValues: SignUpValues = { email: "", name: "", username: "", organization: "" };

export function pageRoutes(app: App): Route[] {
  return [
    ...startRoutes(app),
    ...signInRoutes(app),
    ...signUpRoutes(app),
    ...deviceRoutes(app),
    ...accountPageRoutes(app),
  ];
}

type PageOptions = Parameters<typeof pageReply>[1];

const nameOf = (actor: Actor) => (actor.kind === "user" ? actor.username : undefined);
const isSignedIn = (actor: Actor) => actor.kind === "user";

function show(actor: Actor, content: Pick<PageContent, "title" | "body">, options?: PageOptions) {
  return pageReply({ ...content, signedInAs: nameOf(actor) }, options);
}

async function isSignUpOpen(app: App): Promise<boolean> {
  return app.config.signUp === "open" || !(await app.storage.users.hasAny());
}

/** Whether a sign-up goes on to an invitation that lets its address make an account. */
async function isInvited(app: App, returnTo: string): Promise<boolean> {
  const token = invitationIn(returnTo);
  if (token === undefined) return false;
  return orShow(
    async () => (await invitedBy(app, token)) !== undefined,
    () => false,
  );
}

function startRoutes(app: App): Route[] {
  return [
    route({
      ...page,
      method: "get",
      path: "/",
      summary: "Start page",
      async handle({ actor }) {
        const body = startPage({
          baseUrl: app.config.baseUrl,
          signedIn: isSignedIn(actor),
          hasOrganization: actor.kind === "user" && actor.memberships.length > 0,
          signUpOpen: await isSignUpOpen(app),
        });
        return show(actor, { title: "Skill registry", body });
      },
    }),
    route({
      ...page,
      method: "get",
      path: stylePath,
      summary: "Style sheet of the pages",
      produces: "text/css",
      handle: async () => styleReply(),
    }),
    route({
      ...page,
      method: "get",
      path: iconPath,
      summary: "Mark of the pages, and their icon",
      produces: "image/svg+xml",
      handle: async () => iconReply(),
    }),
    route({
      ...page,
      method: "get",
      path: "/orgs/new",
      summary: "Form for a new organization",
      async handle({ actor }) {
        if (!isSignedIn(actor)) return redirectReply("/sign-in?return_to=%2Forgs%2Fnew");
        return show(actor, {
          title: "New organization",
          body: newOrganizationPage({ organization: "", slug: "" }),
        });
      },
    }),
    route({
      ...page,
      method: "post",
      path: "/orgs/new",
      summary: "Create an organization from the form",
      body: OrganizationForm,
      form: true,
      handle: ({ actor, body }) =>
        orShow(
          async () => {
            const { organization, slug } = body;
            const input = checkForm(CreateTenant, { name: organization, ...(slug === "" ? {} : { slug }) });
            await createTenant(app, actor, input);
            return redirectReply("/");
          },
          (error, options) =>
            show(
              actor,
              { title: "New organization", body: newOrganizationPage({ error, ...body }) },
              options,
            ),
        ),
    }),
  ];
}

function signInRoutes(app: App): Route[] {
  return [
    route({
      ...page,
      method: "get",
      path: "/sign-in",
      summary: "Sign-in form",
      query: ReturnQuery,
      async handle({ actor, query }) {
        const returnTo = safeReturnTo(query.return_to);
        if (isSignedIn(actor)) return redirectReply(returnTo);
        const body = signInPage({ returnTo, signUpOpen: await isSignUpOpen(app) });
        return show(actor, { title: "Sign in", body });
      },
    }),
    route({
      ...page,
      method: "post",
      path: "/sign-in",
      summary: "Sign in from the form",
      body: SignInForm,
      form: true,
      handle: ({ actor, body: { email, password, return_to }, request }) =>
        orShow(
          async () => {
            await app.rateLimits.consume("sign-in", actor.origin.ipHash ?? "unknown");
            const { cookie } = await signIn(app, actor, checkForm(SignIn, { email, password }), request);
            return redirectReply(safeReturnTo(return_to), [cookie]);
          },
          async (error, options) => {
            const view = {
              error,
              email,
              returnTo: safeReturnTo(return_to),
              signUpOpen: await isSignUpOpen(app),
            };
            return show(actor, { title: "Sign in", body: signInPage(view) }, options);
          },
        ),
    }),
    route({
      ...page,
      method: "post",
      path: "/sign-out",
      summary: "Sign out from the button of a page",
      body: SignOutForm,
      form: true,
      handle: async ({ actor }) => redirectReply("/", [await endSession(app, actor)]),
    }),
  ];
}

function signUpRoutes(app: App): Route[] {
  return [
    route({
      ...page,
      method: "get",
      path: "/sign-up",
      summary: "Sign-up form",
      query: ReturnQuery,
      async handle({ actor, query }) {
        const title = "Create an account";
        const returnTo = safeReturnTo(query.return_to);
        if (!(await isSignUpOpen(app)) && !(await isInvited(app, returnTo))) {
          const body = problem("Accounts of this service are made by invitation only.");
          return show(actor, { title, body }, { status: 403 });
        }
        const view = { action: "/sign-up", values: noValues, returnTo } as const;
        return show(actor, { title, body: signUpPage(view) });
      },
    }),
    route({
      ...page,
      method: "post",
      path: "/sign-up",
      summary: "Create an account from the form",
      body: SignUpForm,
      form: true,
      handle: ({ actor, body, request }) => signUpFrom(app, "/sign-up", actor, body, request),
    }),
    route({
      ...page,
      method: "get",
      path: "/setup",
      summary: "Form for the first account, from the set-up link",
      query: SetupQuery,
      async handle({ actor, query }) {
        if (await app.storage.users.hasAny()) return redirectReply("/sign-in");
        const view = { action: "/setup", values: noValues, setupToken: query.token, returnTo: "/" } as const;
        return show(actor, { title: "Set up this service", body: signUpPage(view) });
      },
    }),
    route({
      ...page,
      method: "post",
      path: "/setup",
      summary: "Create the first account from the form",
      body: SignUpForm,
      form: true,
      handle: ({ actor, body, request }) => signUpFrom(app, "/setup", actor, body, request),
    }),
  ];
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
  return orShow(
    async () => {
      await app.rateLimits.consume("sign-up", actor.origin.ipHash ?? "unknown");
      const invitationToken = invitationIn(returnTo);
      const input = checkForm(SignUp, {
        ...account,
        ...(setupToken === "" ? {} : { setupToken }),
        ...(invitationToken === undefined ? {} : { invitationToken }),
      });
      const tenant = organization.trim() === "" ? undefined : checkForm(CreateTenant, { name: organization });
      const { user, cookie, sessionId } = await signUp(app, actor, input, request);
      if (!tenant) return redirectReply(returnTo, [cookie]);

      const origin = { ...actor.origin, source: "web", client: "web" } as const;
      const owner = userActor(user, [], { kind: "session", sessionId }, origin);
      return orShow(
        async () => {
          await createTenant(app, owner, tenant);
          return redirectReply(returnTo, [cookie]);
        },
        (error) =>
          show(
            owner,
            { title: "One thing is left", body: organizationFailedPage(error) },
            { cookies: [cookie] },
          ),
      );
    },
    (error, options) => {
      const values = { ...account, organization };
      const title = action === "/setup" ? "Set up this service" : "Create an account";
      const view = { action, error, values, setupToken: setupToken || undefined, returnTo };
      return show(actor, { title, body: signUpPage(view) }, options);
    },
  );
}

/** Sends on to the sign-in, which comes back to the device's code. */
function signInFirst(userCode: string): Reply {
  const here = userCode === "" ? "/device" : `/device?user_code=${encodeURIComponent(userCode)}`;
  return redirectReply(`/sign-in?return_to=${encodeURIComponent(here)}`);
}

function askCode(actor: Actor, error?: string, options?: PageOptions): Reply {
  return show(actor, { title: "Sign in a device", body: deviceCodePage({ error }) }, options);
}

function deviceRoutes(app: App): Route[] {
  return [
    route({
      ...page,
      method: "get",
      path: "/device",
      summary: "Enter a device's code, or decide about it",
      query: DeviceQuery,
      async handle({ actor, query: { user_code: userCode } }) {
        if (!isSignedIn(actor)) return signInFirst(userCode);
        if (userCode === "") return askCode(actor);
        return orShow(
          async () => {
            const device = await findPendingDevice(app, actor, userCode);
            const body = deviceApprovalPage({ device, username: requireUser(actor).username });
            return show(actor, { title: "Approve this sign-in?", body });
          },
          (error, options) => askCode(actor, error, options),
        );
      },
    }),
    route({
      ...page,
      method: "post",
      path: "/device",
      summary: "Approve or deny a device from the form",
      body: DeviceForm,
      form: true,
      async handle({ actor, body: { user_code: userCode, decision } }) {
        if (!isSignedIn(actor)) return signInFirst(userCode);
        if (decision !== "approve" && decision !== "deny")
          return askCode(actor, "Choose approve or deny.", { status: 400 });
        const approved = decision === "approve";
        return orShow(
          async () => {
            await decideDevice(app, actor, userCode, approved);
            const title = approved ? "Sign-in approved" : "Sign-in denied";
            return show(actor, { title, body: deviceDonePage(approved) });
          },
          (error, options) => askCode(actor, error, options),
        );
      },
    }),
  ];
}
