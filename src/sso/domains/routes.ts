import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { SsoDomainPayload } from "../../../contract/payloads/accounts/sso-domains.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { loadTenant } from "../../orgs/service.ts";
import { presentDomain } from "./present.ts";
import { ClaimDomain, DomainParams } from "./schema.ts";
import { claimDomain, listDomains, removeDomain, verifyDomain } from "./service.ts";

const base = "/api/tenants/:tenant/sso/domains";
const route = routesOf({ tag: "Single sign-on", auth: "required" });

export function ssoDomainRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: base,
      id: "listDomains",
      summary: "List the domains of an organization by name, with their TXT records",
      params: TenantParams,
      data: z
        .array(SsoDomainPayload)
        .max(limits.ssoDomains)
        .meta({ description: "all of them, unless `limit` is lower: an organization has at most as many" }),
      handle: async ({ actor, params }) => (await listDomains(app, actor, params.tenant)).map(presentDomain),
    }),
    route({
      method: "post",
      path: base,
      id: "claimDomain",
      failures: ["already_exists", "limit_reached", "refused"],
      summary: "Claim a domain; the response has the TXT record that verifies it",
      params: TenantParams,
      body: ClaimDomain,
      status: 201,
      data: SsoDomainPayload,
      handle: async ({ actor, params, body }) =>
        presentDomain(await claimDomain(app, actor, params.tenant, body.domain)),
      authorizeRepeat: ({ actor, params }) => loadTenant(app, actor, params.tenant, "sso:manage"),
    }),
    route({
      method: "post",
      path: `${base}/:id/verify`,
      id: "verifyDomain",
      failures: ["already_exists", "conflict", "domain_unverified"],
      summary: "Look up the TXT record of a domain, and verify the domain if it is found",
      params: DomainParams,
      data: SsoDomainPayload,
      budget: "domain-check",
      handle: async ({ actor, params }) =>
        presentDomain(await verifyDomain(app, actor, params.tenant, params.id)),
    }),
    route({
      method: "delete",
      path: `${base}/:id`,
      id: "removeDomain",
      summary: "Remove a domain, which another organization can then verify",
      params: DomainParams,
      data: null,
      handle: ({ actor, params }) => removeDomain(app, actor, params.tenant, params.id),
    }),
  ];
}
