/** Ranked search over HTTP. */
import { SearchHit, searchPageFields } from "../../../contract/payloads/search.ts";
import { searchFields } from "../../../contract/vocabulary.ts";
import { administers } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import { Page, routesOf, type Route } from "../../http/route.ts";
import { presentSkill } from "../present.ts";
import { matchedSentence } from "./matched-sentence.ts";
import type { Hit } from "./ranked-page.ts";
import { SearchQuery, tagsOf } from "./schema.ts";
import { searchSkills, type SearchResult } from "./search-skills.ts";

const route = routesOf({ method: "get", tag: "Skills", auth: "optional" });

export function searchRoutes(app: App): Route[] {
  return [
    route({
      path: "/api/search",
      summary: "Search the skills that you can read by the words of a task, the best first",
      query: SearchQuery,
      data: SearchHit,
      page: true,
      pageFields: searchPageFields,
      budget: "search",
      async handle({ actor, query }) {
        if (query.explain && !administers(actor))
          throw forbidden("Only administrators of the service can have a ranking explained.");
        const result = await searchSkills(app, actor, { ...query, tags: tagsOf(query) });
        const { confidence, corrections: searchedFor, facets, nextCursor } = result;
        return new Page(
          result.hits.map((hit) => presentHit(hit, result, query.explain)),
          nextCursor,
          { confidence, searchedFor, facets },
        );
      },
    }),
  ];
}

/** A hit, with the reasons for its rank. */
export function presentHit(
  { skill, found, isOwn }: Hit,
  result: SearchResult,
  isExplained = false,
): SearchHit {
  return {
    skill: { ...presentSkill(skill, { isMember: isOwn }), downloads: skill.downloads },
    own: isOwn,
    score: Math.round((1000 * found.value) / result.first!.value) / 1000,
    fields: searchFields.filter((_, bit) => found.score.fields & (1 << bit)),
    sentence: matchedSentence(skill, result.groups, result.counts),
    explanation: isExplained ? { value: found.value, coverage: found.score.coverage } : undefined,
  };
}
