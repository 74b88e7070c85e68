import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import {
  OidcExchangePayload,
  OidcIssuerPayload,
  OidcPolicyPayload,
  OidcTestPayload,
} from "../../contract/payloads/accounts/ci.ts";
import { ciProviders } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";
import { Enveloped, routesOf, type Route } from "../http/route.ts";
import { TenantParams } from "../orgs/schema.ts";
import { loadTenant } from "../orgs/service.ts";
import { exchangeToken } from "./exchange.ts";
import { audienceOf } from "./issuers.ts";
import { createPolicy, deletePolicy, findPolicy, listPolicies, updatePolicy } from "./policies.ts";
import { presentPolicies } from "./present.ts";
import { CreateOidcPolicy, ExchangeToken, PolicyParams, TestToken, UpdateOidcPolicy } from "./schema.ts";
import { testToken } from "./test-token.ts";

const route = routesOf({ tag: "CI tokens", auth: "required" });
const base = "/api/tenants/:tenant/oidc-policies";

export function ciRoutes(app: App): Route[] {
  return [exchangeRoute(app), testRoute(app), ...readRoutes(app), ...changeRoutes(app)];
}

function testRoute(app: App): Route {
  return route({
    method: "post",
    path: `${base}/test`,
    id: "testCiToken",
    summary: "Explain claim by claim why an identity token is accepted or not; this does not use it up",
    params: TenantParams,
    body: TestToken,
    data: OidcTestPayload,
    budget: "exchange",
    handle: ({ actor, params, body }) => testToken(app, actor, params.tenant, body.token),
  });
}

function exchangeRoute(app: App): Route {
  return route({
    method: "post",
    path: "/api/auth/oidc/exchange",
    id: "exchangeCiToken",
    failures: ["invalid_credentials", "oidc_rejected"],
    summary: "Exchange the identity token of a CI pipeline for an API token of one hour",
    auth: "optional",
    body: ExchangeToken,
    data: OidcExchangePayload,
    budget: "exchange",
    // In an envelope of its own, so that the secret is not kept for repeated calls.
    async handle({ actor, body }) {
      const { record, secret } = await exchangeToken(app, actor.origin, body);
      return new Enveloped({ token: secret, expiresAt: record.expiresAt!.toISOString() });
    },
  });
}

function readRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/oidc-issuers",
      id: "listCiIssuers",
      pageBy: ["provider", "issuer"],
      summary: "List the issuers that trust policies can name, each provider's default first",
      params: TenantParams,
      data: z
        .array(OidcIssuerPayload)
        .max(ciProviders.length * limits.oidcIssuers)
        .meta({
          description:
            "all of them, unless `limit` is lower: the configuration names at most 20 of one provider",
        }),
      async handle({ actor, params }) {
        await loadTenant(app, actor, params.tenant, "oidc:manage");
        const audience = audienceOf(app);
        return app.config.oidc.issuers.map((issuer) => ({ ...issuer, audience }));
      },
    }),
    route({
      method: "get",
      path: base,
      id: "listCiPolicies",
      summary: "List the trust policies of an organization, oldest first",
      params: TenantParams,
      data: z
        .array(OidcPolicyPayload)
        .max(limits.oidcPolicies)
        .meta({ description: "all of them, unless `limit` is lower: an organization has at most as many" }),
      async handle({ actor, params }) {
        const policies = await listPolicies(app, actor, params.tenant);
        return presentPolicies(app, actor, policies);
      },
    }),
    route({
      method: "get",
      path: `${base}/:id`,
      id: "getCiPolicy",
      summary: "Read a trust policy",
      params: PolicyParams,
      data: OidcPolicyPayload,
      async handle({ actor, params }) {
        const policy = await findPolicy(app, actor, params.tenant, params.id);
        return (await presentPolicies(app, actor, [policy]))[0];
      },
    }),
  ];
}

function changeRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: base,
      id: "createCiPolicy",
      failures: ["already_exists", "limit_reached", "refused"],
      summary: "Trust the pipelines of a repository",
      params: TenantParams,
      body: CreateOidcPolicy,
      status: 201,
      data: OidcPolicyPayload,
      async handle({ actor, params, body }) {
        const policy = await createPolicy(app, actor, params.tenant, body);
        return (await presentPolicies(app, actor, [policy]))[0];
      },
      authorizeRepeat: ({ actor, params }, { id }: OidcPolicyPayload) =>
        findPolicy(app, actor, params.tenant, id),
    }),
    route({
      method: "patch",
      path: `${base}/:id`,
      id: "updateCiPolicy",
      failures: ["already_exists", "conflict"],
      summary: "Change a trust policy; a change of more than its name invalidates the tokens made by it",
      params: PolicyParams,
      body: UpdateOidcPolicy,
      data: OidcPolicyPayload,
      async handle({ actor, params, body }) {
        const policy = await updatePolicy(app, actor, params.tenant, params.id, body);
        return (await presentPolicies(app, actor, [policy]))[0];
      },
    }),
    route({
      method: "delete",
      path: `${base}/:id`,
      id: "deleteCiPolicy",
      summary: "Delete a trust policy; the tokens made by it end at their next request",
      params: PolicyParams,
      data: null,
      handle: ({ actor, params }) => deletePolicy(app, actor, params.tenant, params.id),
    }),
  ];
}
