/** The public catalog. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { type Schemas } from "./client.ts";
import { pages, query } from "./query.ts";

export type CatalogItem = Schemas["CatalogItem"];
export const catalogSorts = ["downloads", "updated", "newest"] as const;
export interface CatalogSearch {
  query?: string;
  tag?: string;
  /** Slug of an organization. */
  tenant?: string;
  type?: CatalogItem["type"];
  sort?: (typeof catalogSorts)[number];
}

const pageSize = 50;

export const catalogQuery = ({ sort = "downloads", ...search }: CatalogSearch) =>
  infiniteQueryOptions({
    ...pages("/api/explore", { limit: pageSize, sort, ...search }),
    placeholderData: keepPreviousData,
  });

/** Public facts of an organization that has public skills. */
export const publicOrganizationQuery = (organization: string) =>
  query("/api/explore/organizations/{organization}", { organization });
