/** Calls about the marketplaces of an organization. */
import type { MarketplacePayload } from "../../../contract/payloads/discovery/marketplaces.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";
import type { Shape } from "../shapes.ts";

const marketplaces = [
  {
    audience: "text",
    collection: "text?",
    isPublic: "flag",
    name: "text",
    title: "text",
    requiredPlugins: ["text"],
    gitUrl: "text",
    catalogUrl: "text",
  },
] as const satisfies Shape;

export function openMarketplaceCalls(options: HttpOptions) {
  const { get } = openCaller(options);
  return {
    list: (organization: string) =>
      get<MarketplacePayload[]>(
        `/api/tenants/${encodeURIComponent(organization)}/marketplaces`,
        marketplaces,
      ),
  };
}
