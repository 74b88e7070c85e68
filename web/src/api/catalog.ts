/** The public catalog. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { SearchSort } from "../../../contract/vocabulary.ts";
import { type Schemas } from "./client.ts";
import { pages, query } from "./query.ts";

export type CatalogItem = Schemas["CatalogItem"];
export interface CatalogSearch {
  query?: string;
  tag?: string;
  /** Slug of an organization. */
  tenant?: string;
  type?: CatalogItem["type"];
  sort?: SearchSort;
}

const pageSize = 50;

/** The order that a search has unless another is chosen; only words make a skill relevant. */
export const catalogSort = ({ query: words, sort }: CatalogSearch) =>
  words ? (sort ?? "relevance") : sort === undefined || sort === "relevance" ? "downloads" : sort;

export const catalogQuery = (search: CatalogSearch) =>
  infiniteQueryOptions({
    ...pages("/api/explore", { ...search, limit: pageSize, sort: catalogSort(search) }),
    placeholderData: keepPreviousData,
  });

/** Public facts of an organization that has public skills. */
export const publicOrganizationQuery = (organization: string) =>
  query("/api/explore/organizations/{organization}", { organization });
