/** Input of lists and searches of skills. */
import { z } from "zod";
import { toOneLine } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import { searchScopes } from "../../../contract/payloads/discovery/search.ts";
import { searchSorts, skillTypes, visibilities } from "../../../contract/vocabulary.ts";
import { listQuery } from "../../http/request/cursor.ts";
import { flag } from "../../http/request/flag.ts";

const words = z.string().max(limits.searchQuery).transform(toOneLine);
const query = words
  .optional()
  .meta({ description: "words of the task or of a name, in any order; none of them is required" });
const tag = z.string().trim().toLowerCase().max(limits.tagLength).optional();

const tagList = z
  .string()
  .max(limits.tagsPerSkill * (limits.tagLength + 1))
  .transform((text) => [...new Set(text.split(",").map((one) => one.trim().toLowerCase()))].filter(Boolean))
  .refine((list) => list.length <= limits.tagsPerSkill, `at most ${limits.tagsPerSkill} tags`)
  .optional()
  .meta({ description: "several tags with commas between them, all of which a skill must have" });

/** The tags of a query. */
export function tagsOf(input: { tag?: string; tags?: string[] }): string[] {
  return [...(input.tag === undefined ? [] : [input.tag]), ...(input.tags ?? [])];
}

/** Order of a list with a query: by relevance unless another is given. */
const searchSort = z
  .enum(searchSorts)
  .optional()
  .meta({ description: "default: relevance with a query, else updated" });

const inCatalog = {
  query,
  tag,
  tags: tagList,
  tenant: z.string().min(1).max(64).optional().meta({ description: "slug of an organization" }),
  type: z.enum(skillTypes).optional(),
};
export const FacetsQuery = z.object(inCatalog);
export type FacetsQuery = z.output<typeof FacetsQuery>;

export const ExploreQuery = z.object({
  ...inCatalog,
  trend: flag.optional().meta({ description: "add downloads of the last 30 days to each skill" }),
  sort: searchSort,
  ...listQuery,
});
export type ExploreQuery = z.output<typeof ExploreQuery>;

export const SearchQuery = z.object({
  ...inCatalog,
  query: words
    .refine((text) => text !== "", "must not be empty")
    .optional()
    .meta({
      description: "words of the task or of a name, in any order; without it, all skills are listed",
    }),
  scope: z.enum(searchScopes).default("all"),
  visibility: z.enum(visibilities).optional(),
  updated: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .optional()
    .meta({ description: "only skills that changed within so many days" }),
  sort: searchSort,
  facets: flag
    .optional()
    .meta({ description: "count all hits by type, tag and more; with the first page only" }),
  trend: flag.optional().meta({ description: "add downloads of the last 30 days to each skill" }),
  explain: flag
    .optional()
    .meta({ description: "say what each score is made of; for administrators of the service" }),
  ...listQuery,
});

export const PositionQuery = SearchQuery.pick({ query: true }).required();

export const ListQuery = z.object({
  tenant_id: z.string().max(64).optional(),
  folder_id: z.string().max(64).optional(),
  visibility: z.enum(visibilities).optional(),
  type: z.enum(skillTypes).optional(),
  query,
  tag,
  tags: tagList,
  personal: flag.optional(),
  mcp_server: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "only skills that require this MCP server: organization/slug, publicId or id" }),
  owner_team: z
    .string()
    .trim()
    .min(1)
    .max(limits.teamName)
    .optional()
    .meta({ description: "only skills that this team owns: its id or name" }),
  sort: z.enum(["relevance", "updated"]).optional().meta({ description: "default: relevance with a query" }),
  ...listQuery,
});
export type ListQuery = z.output<typeof ListQuery>;
