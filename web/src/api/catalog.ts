/** The public catalog. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "./client.ts";

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

export const catalogQuery = (search: CatalogSearch) =>
  infiniteQueryOptions({
    queryKey: ["catalog", search],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === "" ? {} : { cursor: pageParam };
      const query = { limit: pageSize, sort: "downloads" as const, ...search, ...cursor };
      return ok(api.GET("/api/explore", { signal, params: { query } }));
    },
    getNextPageParam: (last) => last.nextCursor,
    placeholderData: keepPreviousData,
  });

/** Public facts of an organization that has public skills. */
export const publicOrganizationQuery = (org: string) =>
  queryOptions({
    queryKey: ["public organization", org],
    queryFn: ({ signal }) => {
      const params = { path: { organization: org } };
      return dataOf(api.GET("/api/explore/organizations/{organization}", { signal, params }));
    },
  });
