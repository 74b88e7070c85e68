/** The public catalog over HTTP. */
import { z } from "zod";
import {
  CatalogFacetsPayload,
  PublicOrganizationPayload,
} from "../../../contract/payloads/discovery/catalog.ts";
import { CatalogItem } from "../../../contract/payloads/skills/skills.ts";
import type { App } from "../../app.ts";
import { Page, Reply, routesOf, type Route } from "../../http/route.ts";
import { cacheHeaders, notModified } from "../../http/service/conditional.ts";
import { presentCatalogItem } from "../present.ts";
import { ExploreQuery, FacetsQuery } from "../search/schema.ts";
import { exploreSkills } from "../search/search.ts";
import { readFacets } from "./facets.ts";
import { readPublicAvatar, readPublicOrganization } from "./public-organization.ts";
import { readTrends } from "./trends.ts";

const route = routesOf({ method: "get", tag: "Catalog", auth: "optional", crossOrigin: "anonymous" });
const OrganizationParams = z.object({
  organization: z.string().min(1).max(64).meta({ description: "slug, or a previous one" }),
});
const AvatarQuery = z.object({ v: z.string().max(64).optional() });

export function catalogRoutes(app: App): Route[] {
  return [
    route({
      path: "/api/explore",
      id: "exploreSkills",
      summary: "Search the public catalog",
      query: ExploreQuery,
      data: CatalogItem,
      page: true,
      budget: "search",
      async handle({ actor, query }) {
        const { items, nextCursor } = await exploreSkills(app, actor, query);
        const trends = query.trend ? await readTrends(app, items) : undefined;
        return new Page(
          items.map((skill) => ({ ...presentCatalogItem(skill), ...trends?.get(skill._id) })),
          nextCursor,
        );
      },
    }),
    route({
      path: "/api/explore/facets",
      id: "getExploreFacets",
      summary: "Count what a search of the public catalog finds, by type, tag and organization",
      query: FacetsQuery,
      data: CatalogFacetsPayload,
      budget: "search",
      handle: ({ actor, query }) => readFacets(app, actor, query),
    }),
    route({
      path: "/api/explore/organizations/:organization",
      id: "explorePublisher",
      summary: "Read an organization that has public skills",
      params: OrganizationParams,
      data: PublicOrganizationPayload,
      budget: "search",
      handle: ({ params }) => readPublicOrganization(app, params.organization),
    }),
    route({
      path: "/api/explore/organizations/:organization/avatar",
      id: "getPublisherAvatar",
      conditional: true,
      summary: "The avatar of an organization that has public skills",
      params: OrganizationParams,
      query: AvatarQuery,
      produces: "image/webp",
      async handle({ params, query, request }) {
        const { id, etag, bytes } = await readPublicAvatar(app, params.organization);
        const headers = cacheHeaders(etag, { fixed: query.v === id, shared: false });
        return notModified(request, headers) ?? new Reply(bytes, { type: "image/webp", headers });
      },
    }),
  ];
}
