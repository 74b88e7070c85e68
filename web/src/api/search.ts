/** One search over the skills that the user can read: own ones and public ones. Without words, all of them. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { limits } from "../../../contract/limits.ts";
import { searchSorts, type SearchSort } from "../../../contract/vocabulary.ts";
import type { paths } from "../../generated/api-types.ts";
import type { Schemas } from "./client.ts";
import { pages } from "./query.ts";

export type SearchHit = Schemas["SearchHit"];
export type SearchFacets = Schemas["SearchFacets"];
export type SearchPage = paths["/api/search"]["get"]["responses"][200]["content"]["application/json"];

/** A search as the address of Explore has it. */
export interface SkillSearch {
  query?: string;
  /** Own skills only; without it, public ones too. */
  scope?: "mine";
  type?: SearchHit["skill"]["type"];
  /** Tags that a skill must all have, with commas between them. */
  tags?: string;
  /** Slug of an organization. */
  tenant?: string;
  /** Days within which a skill has changed. */
  updated?: number;
  sort?: SearchSort;
}

const pageSize = 50;

/** The order that a search has unless another is chosen; only words make a skill relevant. */
export const sortOf = ({ query: words, sort }: SkillSearch): SearchSort =>
  words ? (sort ?? "relevance") : sort === undefined || sort === "relevance" ? "downloads" : sort;

export const searchQuery = (search: SkillSearch) =>
  infiniteQueryOptions({
    ...pages("/api/search", {
      ...search,
      limit: pageSize,
      sort: sortOf(search),
      facets: true,
      trend: true,
    }),
    placeholderData: keepPreviousData,
  });

/** The first hits only, for a list that shows no more. */
export const firstHitsQuery = (words: string, limit: number) =>
  infiniteQueryOptions({
    ...pages("/api/search", { query: words, limit }),
    placeholderData: keepPreviousData,
  });

export const tagsOf = ({ tags }: SkillSearch): string[] => tags?.split(",") ?? [];

/** Adds or removes a tag; undefined without any. */
export function withTag(search: SkillSearch, tag: string): string | undefined {
  const tags = tagsOf(search);
  const changed = tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag];
  return changed.slice(-limits.tagsPerSkill).join(",") || undefined;
}

/** The search of an address, without what is not one. `tag` is what links to a single tag have. */
export function readSearch(raw: Record<string, unknown>): SkillSearch {
  const { query: words, scope, type, tags, tag, tenant, updated, sort } = raw;
  const text = (value: unknown) =>
    typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;
  return {
    query: text(words),
    scope: scope === "mine" ? scope : undefined,
    type: type === "skill" || type === "rule" ? type : undefined,
    tags: text(tags) ?? text(tag),
    tenant: text(tenant),
    updated: typeof updated === "number" && updated > 0 ? updated : undefined,
    sort: searchSorts.find((one) => one === sort),
  };
}
