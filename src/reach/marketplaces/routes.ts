/** Marketplaces over HTTP. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { MarketplacePayload } from "../../../contract/payloads/discovery/marketplaces.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { listMarketplaces } from "./list.ts";

const route = routesOf({ tag: "Other clients", auth: "required" });

export function marketplaceRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/marketplaces",
      id: "listMarketplaces",
      pageBy: ["gitUrl"],
      summary: "List the marketplaces of an organization from which tools can install its skills as plugins",
      params: TenantParams,
      data: z
        .array(MarketplacePayload)
        .max(limits.collectionsPerOrganization + 2)
        .meta({ description: "the public one, that of the members, and one for each collection" }),
      budget: "search",
      handle: ({ actor, params }) => listMarketplaces(app, actor, params.tenant),
    }),
  ];
}
