/** The addresses that browsers and identity providers call. */
import { limits } from "../../../contract/limits.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { safeReturnTo } from "../../auth/pages/return-to.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { renderErrors } from "../../http/pages/forms.ts";
import { redirectReply } from "../../http/pages/pages.ts";
import { Reply, routesOf, type RequestInfo, type Route } from "../../http/route.ts";
import { samlMetadata } from "../saml/saml.ts";
import {
  AcsForm,
  CallbackQuery,
  LinkForm,
  PageParams,
  SlugParams,
  StartQuery,
  StateQuery,
} from "../schema.ts";
import { completeAttempt } from "./complete.ts";
import { confirmLink, findOffer } from "./link.ts";
import { choicePage, failedPage, linkPage, testPage } from "./pages.ts";
import { findAttempt, receiveResponse } from "./receive.ts";
import { findProvider, startSignIn, startTest, type Redirect } from "./start.ts";
import { presentTest } from "./test-sign-in.ts";

const route = routesOf({ tag: "Single sign-on", auth: "optional", produces: "text/html", budget: "sso" });

export function ssoPageRoutes(app: App): Route[] {
  return [...startRoutes(app), ...samlRoutes(app), ...completionRoutes(app), ...linkRoutes(app)];
}

/** Errors are pages. */
const shown = (actor: Actor, act: () => Promise<Reply>): Promise<Reply> =>
  renderErrors(act, (error, options) => failedPage(actor, error, options));

const toProvider = ({ url, cookies }: Redirect) => redirectReply(url, { cookies });

function startRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/sso/:org",
      summary: "Sign in through the identity provider of an organization, by its slug",
      params: SlugParams,
      query: StartQuery,
      leavesOrigin: true,
      handle: ({ actor, params, query, request }) =>
        shown(actor, () => startOfOrganization(app, actor, request, { slug: params.org, ...query })),
    }),
    route({
      method: "get",
      path: "/sso/:provider/start",
      summary: "Sign in through an identity provider, or open a prepared test",
      params: PageParams,
      query: StartQuery,
      leavesOrigin: true,
      handle: ({ actor, params, query, request }) =>
        shown(actor, async () => {
          const providerId = params.provider;
          if (query.test !== "")
            return toProvider(await startTest(app, actor, request, { providerId, attemptId: query.test }));
          return toProvider(await startSignIn(app, request, { providerId, returnTo: query.return_to }));
        }),
    }),
  ];
}

/** An organization without an enabled provider gets the response of an unknown one. */
async function startOfOrganization(
  app: App,
  actor: Actor,
  request: RequestInfo,
  { slug, return_to }: { slug: string; return_to: string },
): Promise<Reply> {
  const tenant = await app.storage.tenants.findBySlug(slug);
  const providers =
    tenant && !tenant.deletionAt ? await app.storage.ssoProviders.listEnabled(tenant._id) : [];
  const enforced = providers.filter(({ _id }) => tenant?.ssoProviderIds?.includes(_id));
  const offered = enforced.length > 0 ? enforced : providers;
  const [only] = offered;
  const returnTo = safeReturnTo(return_to);
  if (!tenant || !only) throw notFound("team", slug);
  if (offered.length === 1)
    return toProvider(await startSignIn(app, request, { providerId: only._id, returnTo }));
  const named = offered.map(({ _id, name }) => ({ id: _id, name }));
  return choicePage(actor, { organization: tenant.name, providers: named, returnTo });
}

function samlRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/sso/:provider/metadata",
      summary: "SAML metadata of this service for an identity provider",
      params: PageParams,
      produces: "application/samlmetadata+xml",
      async handle({ params }) {
        const provider = await findProvider(app, params.provider);
        if (provider.type !== "saml") throw new ServiceError("not_found", "This provider does not use SAML.");
        return new Reply(samlMetadata(app, provider), { type: "application/samlmetadata+xml" });
      },
    }),
    route({
      method: "post",
      path: "/sso/:provider/acs",
      summary: "SAML assertion consumer service: a POST by the identity provider's page",
      params: PageParams,
      body: AcsForm,
      form: true,
      formBytes: limits.ssoResponseBytes,
      // The only cross-site POST: its proof is the signed response, and the browser is checked by the redirect.
      cookieless: true,
      handle: ({ actor, params, body }) =>
        shown(actor, async () => {
          const found = await findAttempt(app, params.provider, body.RelayState);
          await receiveResponse(app, found, { kind: "saml", samlResponse: body.SAMLResponse });
          return redirectReply(`/sso/${found.provider._id}/complete?state=${body.RelayState}`);
        }),
    }),
  ];
}

function completionRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/sso/:provider/complete",
      summary: "Complete a sign-in with SAML in its browser",
      params: PageParams,
      query: StateQuery,
      handle: ({ actor, params, query, request }) =>
        shown(actor, () =>
          completed(app, actor, request, { providerId: params.provider, state: query.state }),
        ),
    }),
    route({
      method: "get",
      path: "/sso/:provider/callback",
      summary: "Redirect URI of OpenID Connect",
      params: PageParams,
      query: CallbackQuery,
      handle: ({ actor, params, query, request }) =>
        shown(actor, async () => {
          const given = new URLSearchParams(query);
          const state = given.get("state") ?? "";
          const found = await findAttempt(app, params.provider, state);
          await receiveResponse(app, found, { kind: "oidc", query: given });
          return completed(app, actor, request, { providerId: params.provider, state });
        }),
    }),
  ];
}

async function completed(
  app: App,
  actor: Actor,
  request: RequestInfo,
  input: { providerId: string; state: string },
): Promise<Reply> {
  const done = await completeAttempt(app, actor, request, input);
  if (done.kind === "link") return redirectReply(`/sso/${input.providerId}/link?state=${input.state}`);
  if (done.kind === "signed-in") return redirectReply(done.returnTo, { cookies: done.signedIn.cookies });
  const tenant = await app.storage.tenants.find(done.provider.tenantId);
  return testPage(actor, presentTest(done.attempt), `/${tenant?.slug ?? ""}/-/sso`);
}

function linkRoutes(app: App): Route[] {
  const path = "/sso/:provider/link";
  return [
    route({
      method: "get",
      path,
      summary: "Ask the owner of an existing account to confirm it",
      params: PageParams,
      query: StateQuery,
      handle: ({ actor, params, query, request }) =>
        shown(actor, async () => {
          const input = { providerId: params.provider, state: query.state };
          return linkPage(actor, await findOffer(app, actor, request, input), query.state);
        }),
    }),
    route({
      method: "post",
      path,
      summary: "Link an existing account, and complete the sign-in",
      params: PageParams,
      body: LinkForm,
      form: true,
      handle: ({ actor, params, body, request }) =>
        shown(actor, async () => {
          const input = { providerId: params.provider, state: body.state };
          const { signedIn, returnTo } = await confirmLink(app, actor, request, input);
          return redirectReply(returnTo, { cookies: signedIn.cookies });
        }),
    }),
  ];
}
