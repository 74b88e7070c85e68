/** The public catalog. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { SearchSort } from "../../../contract/vocabulary.ts";
import { type Schemas } from "./client.ts";
import { pages } from "./query.ts";
import { sortOf } from "./search.ts";

export type CatalogItem = Schemas["CatalogItem"];
interface CatalogSearch {
  query?: string;
  tag?: string;
  /** Slug of an organization. */
  tenant?: string;
  type?: CatalogItem["type"];
  sort?: SearchSort;
}

const pageSize = 50;

export const catalogQuery = (search: CatalogSearch) =>
  infiniteQueryOptions({
    ...pages("/api/explore", { ...search, limit: pageSize, sort: sortOf(search) }),
    placeholderData: keepPreviousData,
  });
