/** An organization as anyone sees it: its public skills and collections. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Schemas } from "./client.ts";
import { pages, query } from "./query.ts";
import { readSearch, sortOf, type SkillSearch } from "./search.ts";

export type PublicOrganization = Schemas["PublicOrganization"];
export type PublicCollection = Schemas["PublicCollection"];

/** The search within an organization, as the address of its page has it. */
export interface OrganizationSearch extends Pick<SkillSearch, "query" | "type" | "tags" | "sort"> {
  /** Slug of a collection that is shown in place of the search. */
  collection?: string;
  /** A member sees the page as visitors do, in place of the library. */
  preview?: true;
}

const pageSize = 50;

export const publicOrganizationQuery = (organization: string) =>
  query("/api/explore/organizations/{organization}", { organization });

/** Skills of the organization for other clients, and those that they do not find. */
export const skillIndexQuery = (organization: string) =>
  query("/api/explore/organizations/{organization}/skill-index", { organization });

export const publicCollectionsQuery = (organization: string) =>
  query("/api/explore/organizations/{organization}/collections", { organization });

export const publicCollectionQuery = (organization: string, collection: string) =>
  query("/api/explore/organizations/{organization}/collections/{collection}", { organization, collection });

/** Public skills of an organization. Without words, all of them. */
export const organizationSearchQuery = (org: string, search: OrganizationSearch) =>
  infiniteQueryOptions({
    ...pages("/api/search", {
      scope: "public",
      tenant: org,
      query: search.query,
      type: search.type,
      tags: search.tags,
      sort: sortOf(search),
      limit: pageSize,
      facets: true,
    }),
    placeholderData: keepPreviousData,
  });

/** The search of an address, without what is not one. */
export function readOrganizationSearch(raw: Record<string, unknown>): OrganizationSearch {
  const { query: words, type, tags, sort } = readSearch(raw);
  const { collection, preview } = raw;
  return {
    query: words,
    type,
    tags,
    sort,
    collection: typeof collection === "string" && collection !== "" ? collection : undefined,
    preview: preview === true || undefined,
  };
}

/** Whether the list is narrowed, so that it comes first on the page. */
export const isNarrowed = ({ query: words, type, tags }: OrganizationSearch): boolean =>
  [words, type, tags].some((value) => value !== undefined);
