/** Slugs of an organization that no new skill gets. */
import { api, ok, type Schemas } from "../client.ts";
import { pages } from "../query.ts";

export type ReservedSlug = Schemas["ReservedSlug"];

export const reservedSlugsQuery = (tenant: string) =>
  pages("/api/tenants/{tenant}/reserved-slugs", { tenant, limit: 50 });

export const freeSlug = (tenant: string, slug: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/reserved-slugs/{slug}", { params: { path: { tenant, slug } } }));
