/** Ranked search over HTTP. */
import { SearchHit, searchPageFields } from "../../../contract/payloads/discovery/search.ts";
import { searchFields } from "../../../contract/vocabulary.ts";
import type { Actor } from "../../access/actor.ts";
import { administers } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import { Page, routesOf, type Route } from "../../http/route.ts";
import { readTrends } from "../catalog/trends.ts";
import { keepAllowed } from "../load.ts";
import { presentSkill } from "../present.ts";
import type { ListedSkill } from "./browse.ts";
import { matchedSentence } from "./matched-sentence.ts";
import type { Hit, RankedPage } from "./ranked-page.ts";
import { SearchQuery, tagsOf } from "./schema.ts";
import { listAllSkills, searchSkills, type ListRequest, type SearchRequest } from "./search-skills.ts";

const route = routesOf({ method: "get", tag: "Skills", auth: "optional" });

export function searchRoutes(app: App): Route[] {
  return [
    route({
      path: "/api/search",
      id: "searchSkills",
      failures: ["forbidden", "reauthentication_required", "refused"],
      summary: "Search the skills that you can read by the words of a task, the best first, or list them all",
      query: SearchQuery,
      data: SearchHit,
      page: true,
      pageFields: searchPageFields,
      budget: "search",
      handle: ({ actor, query: { query: text, tag, tags, ...rest } }) => {
        const request = { ...rest, tags: tagsOf({ tag, tags }) };
        return text === undefined
          ? list(app, actor, request)
          : search(app, actor, { ...request, query: text });
      },
    }),
  ];
}

interface Additions {
  trend?: boolean;
  explain?: boolean;
}

async function search(app: App, actor: Actor, request: SearchRequest & Additions): Promise<Page<SearchHit>> {
  if (request.explain && !administers(actor))
    throw forbidden("Only administrators of the service can have a ranking explained.");
  const result = await searchSkills(app, actor, request);
  const trends = request.trend ? await trendsFor(app, actor, result.hits) : undefined;
  const { confidence, corrections: searchedFor, isCompeting: competing, facets, nextCursor } = result;
  return new Page(
    result.hits.map((hit) => ({
      ...presentHit(hit, result, request.explain),
      ...trends?.get(hit.skill._id),
    })),
    nextCursor,
    { confidence, searchedFor, competing, facets },
  );
}

async function list(app: App, actor: Actor, request: ListRequest & Additions): Promise<Page<SearchHit>> {
  const { hits, nextCursor, facets } = await listAllSkills(app, actor, request);
  const trends = request.trend ? await trendsFor(app, actor, hits) : undefined;
  return new Page(
    hits.map((hit) => ({ ...presentListed(hit), ...trends?.get(hit.skill._id) })),
    nextCursor,
    { facets },
  );
}

/** Downloads of the last 30 days: of public skills, and of those whose analytics the caller may read. */
async function trendsFor(app: App, actor: Actor, hits: readonly ListedSkill[]) {
  const skills = hits.map(({ skill }) => skill);
  const others = skills.filter(({ listed }) => !listed);
  const allowed = new Set(await keepAllowed(app, actor, "analytics:read", others));
  return readTrends(
    app,
    skills.filter((skill) => skill.listed || allowed.has(skill)),
  );
}

const presentListed = ({ skill, isOwn }: ListedSkill): SearchHit => ({
  skill: { ...presentSkill(skill, { isMember: isOwn }), downloads: skill.downloads },
  own: isOwn,
});

/** A hit, with the reasons for its rank. */
export function presentHit(
  hit: Hit,
  { first, groups, counts }: Pick<RankedPage, "first" | "groups" | "counts">,
  isExplained = false,
): SearchHit {
  const { skill, found } = hit;
  return {
    ...presentListed(hit),
    score: Math.round((1000 * found.value) / first!.value) / 1000,
    fields: searchFields.filter((_, bit) => found.score.fields & (1 << bit)),
    sentence: matchedSentence(skill, groups, counts),
    explanation: isExplained ? { value: found.value, coverage: found.score.coverage } : undefined,
  };
}
