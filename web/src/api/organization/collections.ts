/** Collections of an organization's skills. */
import { keepPreviousData, queryOptions, type QueryClient } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { query } from "../query.ts";

export type Collection = Schemas["Collection"];
export type CollectionDetail = Schemas["CollectionDetail"];
export type CollectionSkill = Schemas["CollectionSkill"];

export const collectionsQuery = (org: string) => query("/api/tenants/{tenant}/collections", { tenant: org });

export const collectionQuery = (org: string, collection: string) =>
  query("/api/tenants/{tenant}/collections/{collection}", { tenant: org, collection });

/** Skills of the organization that match, to add one of them. */
export const addableSkillsQuery = (org: string, text: string) =>
  queryOptions({
    ...query("/api/skills", { tenant_id: org, limit: 20, query: text }),
    placeholderData: keepPreviousData,
  });

interface NewCollection {
  name: string;
  description: string;
  folderId: string | null;
  public: boolean;
}

export const createCollection = (tenant: string, body: NewCollection) =>
  dataOf(api.POST("/api/tenants/{tenant}/collections", { params: { path: { tenant } }, body }));

interface CollectionChange {
  name?: string;
  description?: string;
  public?: boolean;
  /** Ids of teams, or `everyone`. */
  requiredFor?: string[];
  /** Ids of skills in their order. */
  skills?: string[];
  revision?: number;
}

export const changeCollection = (tenant: string, collection: string, body: CollectionChange) =>
  dataOf(
    api.PATCH("/api/tenants/{tenant}/collections/{collection}", {
      params: { path: { tenant, collection } },
      body,
    }),
  );

export const deleteCollection = (tenant: string, collection: string) =>
  ok(
    api.DELETE("/api/tenants/{tenant}/collections/{collection}", {
      params: { path: { tenant, collection } },
    }),
  );

export const orderCollections = (tenant: string, collections: string[]) =>
  ok(
    api.PUT("/api/tenants/{tenant}/collection-order", {
      params: { path: { tenant } },
      body: { collections },
    }),
  );

/** Shows a saved collection, and reads again the lists that have it. */
export async function noteCollection(
  client: QueryClient,
  org: string,
  saved: CollectionDetail,
): Promise<void> {
  client.setQueryData(collectionQuery(org, saved.slug).queryKey, saved);
  await client.invalidateQueries({ queryKey: collectionsQuery(org).queryKey });
}
