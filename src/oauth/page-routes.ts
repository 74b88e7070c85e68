/** The pages of the authorization endpoint: the address that clients open, and the consent. */
import { z } from "zod";
import { oauthAccess, type OauthAccess } from "../../contract/vocabulary.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { formText, renderErrors } from "../http/pages/forms.ts";
import { actorPage, openingPage, redirectReply, type PageOptions } from "../http/pages/pages.ts";
import { routesOf, type Reply, type Route } from "../http/route.ts";
import { RequestFault, readRequest, storeRequest, type CheckedRequest } from "./authorization.ts";
import { allow, deny, requireBrowser, selectableIn } from "./consent.ts";
import { chosenOrganizations, consentPage, consentPath, faultPage, returnPage } from "./pages.ts";

const route = routesOf({ tag: "Pages", auth: "optional", produces: "text/html", budget: "oauth" });
const ConsentQuery = z.object({ request: formText });
const ConsentForm = z.looseObject({ request: formText, decision: formText, access: formText });
type ConsentForm = z.output<typeof ConsentForm>;

export function consentPageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/oauth/authorize",
      summary: "Authorization endpoint of OAuth clients; leads to the consent",
      query: z.record(z.string(), z.unknown()),
      handle: ({ actor, query }) =>
        orShowFault(actor, async () => {
          const consent = consentAddress(await storeRequest(app, query));
          return redirectReply(actor.kind === "user" ? consent : signInFirst(consent));
        }),
    }),
    route({
      method: "get",
      path: consentPath,
      summary: "Ask a person whether a client gets access",
      query: ConsentQuery,
      async handle({ actor, query: { request: id } }) {
        if (actor.kind !== "user") return redirectReply(signInFirst(consentAddress(id)));
        return orShowFault(actor, async () => showConsent(requireBrowser(actor), await readRequest(app, id)));
      },
    }),
    route({
      method: "post",
      path: consentPath,
      summary: "Give or deny a client access, from the form",
      body: ConsentForm,
      form: true,
      async handle({ actor, body }) {
        if (actor.kind !== "user") return redirectReply(signInFirst(consentAddress(body.request)));
        return orShowFault(actor, () => decide(app, requireBrowser(actor), body));
      },
    }),
  ];
}

const consentAddress = (id: string) => `${consentPath}?request=${encodeURIComponent(id)}`;
const signInFirst = (address: string) => `/sign-in?return_to=${encodeURIComponent(address)}`;

async function decide(app: App, user: UserActor, form: ConsentForm): Promise<Reply> {
  const request = await readRequest(app, form.request);
  if (form.decision === "deny") return sendBack(user, await deny(app, user, request), false);
  const tenantIds = chosenOrganizations(form);
  const access = oauthAccess.find((one) => one === form.access);
  try {
    if (form.decision !== "allow" || !access) throw invalidRequest("Choose what the program may do.");
    return sendBack(user, await allow(app, user, request, { access, tenantIds }), true);
  } catch (error) {
    // A request that is over has its own page; anything else can be corrected in the form.
    if (!(error instanceof ServiceError) || error.code === "not_found") throw error;
    const chosen = { access: access ?? request.suggested, tenantIds: new Set(tenantIds) };
    return showConsent(user, request, { chosen, error: error.message }, { status: error.status });
  }
}

function showConsent(
  user: UserActor,
  request: CheckedRequest,
  form?: { chosen: { access: OauthAccess; tenantIds: ReadonlySet<string> }; error: string },
  options?: PageOptions,
): Reply {
  const organizations = selectableIn(user);
  const { username, withheld = [] } = user;
  // With several, the person decides; the only one is the obvious choice.
  const first = organizations.length === 1 ? organizations.map(({ tenantId }) => tenantId) : [];
  const chosen = form?.chosen ?? { access: request.suggested, tenantIds: new Set(first) };
  const body = consentPage({ request, username, organizations, withheld, chosen, error: form?.error });
  return actorPage(user, { title: "Give a program access?", body }, options);
}

/**
 * Leads to the client by a page rather than by a redirect: the policy of the page with the form restricts where it may
 * lead, redirects included, and can't express the schemes and addresses of native programs.
 */
function sendBack(user: UserActor, address: string, isAllowed: boolean): Reply {
  const title = isAllowed ? "Access given" : "Access denied";
  return openingPage({ title, signedInAs: user.username, body: returnPage(address, isAllowed) }, address);
}

function orShowFault(actor: Actor, act: () => Promise<Reply>): Promise<Reply> {
  const title = "This program can't connect";
  return renderErrors(
    async () => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof RequestFault)) throw error;
        return actorPage(actor, { title, body: faultPage(error.message, error.returnTo) }, { status: 400 });
      }
    },
    (error, options) => actorPage(actor, { title, body: faultPage(error, undefined) }, options),
  );
}
