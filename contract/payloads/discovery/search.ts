/** Ranked search over what a caller can read. */
import { z } from "zod";
import { searchFields } from "../../vocabulary.ts";
import { SkillPayload } from "../skills/skills.ts";

const count = z.number().int();

export const searchScopes = ["all", "mine", "public"] as const;
export const confidences = ["high", "low", "none"] as const;

const MatchedSentence = z
  .object({
    text: z.string(),
    marks: z.array(z.tuple([count, count])).meta({ description: "begin and end of each matching word" }),
  })
  .meta({ description: "the sentence of the description or the text that answers the query best" });

export const SearchHit = z
  .object({
    skill: SkillPayload.extend({ downloads: count }),
    own: z.boolean().meta({ description: "of one of the caller's organizations" }),
    downloads30Days: count.optional().meta({ description: "with `trend`" }),
    trend: z
      .array(count)
      .optional()
      .meta({
        description:
          "with `trend`: downloads of each of the last 30 days in UTC, today last; of public skills, and of those " +
          "whose analytics you may read",
      }),
    score: z
      .number()
      .optional()
      .meta({ description: "with a query: in relation to the first hit, which has 1" }),
    fields: z
      .array(z.enum(searchFields))
      .optional()
      .meta({ description: "with a query: where its words were found" }),
    sentence: MatchedSentence.optional(),
    explanation: z
      .object({ value: z.number(), coverage: z.number() })
      .optional()
      .meta({ description: "with `explain`, for administrators: what the score is made of" }),
  })
  .meta({ id: "SearchHit" });
export type SearchHit = z.infer<typeof SearchHit>;

/** Counts of all hits. Each filter is counted over the hits without it, so that its other values can be chosen. */
export const SearchFacets = z
  .object({
    total: count.meta({ description: "hits that the caller may read" }),
    totalIsExact: z
      .boolean()
      .meta({ description: "false if there are more: the counts are those of the hits that were read" }),
    scopes: z.array(z.object({ value: z.enum(searchScopes), count })),
    types: z.array(z.object({ value: z.string(), count })),
    tags: z.array(z.object({ value: z.string(), count })).meta({ description: "the 20 most frequent ones" }),
    visibilities: z.array(z.object({ value: z.string(), count })),
    organizations: z.array(
      z.object({ value: z.string().meta({ description: "slug" }), name: z.string(), count }),
    ),
    updated: z.array(z.object({ days: count, count })).meta({ description: "changed within so many days" }),
  })
  .meta({ id: "SearchFacets" });
export type SearchFacets = z.infer<typeof SearchFacets>;

export const SearchSynonymsPayload = z
  .object({ groups: z.array(z.array(z.string())) })
  .meta({ id: "SearchSynonyms" });
export type SearchSynonymsPayload = z.infer<typeof SearchSynonymsPayload>;

/** Fields of the envelope of a search. */
export const searchPageFields = {
  confidence: z.enum(confidences).optional().meta({
    description: "with a query. `low`: the hits are the best of bad ones; `none`: nothing was found",
  }),
  searchedFor: z
    .array(z.object({ typed: z.string(), used: z.string() }))
    .optional()
    .meta({
      description: "with a query: words that no skill has, and the spellings that were searched for instead",
    }),
  competing: z
    .boolean()
    .optional()
    .meta({
      description:
        "with a query, on the first page in the order of relevance: the first two hits answer it almost equally well, so " +
        "an agent may choose either",
    }),
  facets: SearchFacets.optional().meta({ description: "with `facets`, on the first page" }),
};
