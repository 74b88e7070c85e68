/** Related words of an organization: those of its own language, beside the ones that every search knows. */
import { z } from "zod";
import { oneLineText } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import { SearchSynonymsPayload } from "../../../contract/payloads/discovery/search.ts";
import type { SkillScope } from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { loadTenant } from "../../orgs/service.ts";
import { groupsOf, relate, relateTerms, termsOfGroup, type RelatedTerms } from "./ranking/query.ts";
import { relatedGroups } from "./terms/related-words.ts";
import { wordsOf } from "./terms/words.ts";

/** Organizations of the caller whose lists a search reads. */
const maxLists = 20;
/** Groups of a list that a search reads: more could not all count. */
const maxGroups = 50;
/** A phrase of more words would match nothing: no more are joined in the index. */
const maxWords = 3;

const known = relate(relatedGroups);

const Phrase = z
  .string()
  .trim()
  .min(1)
  .max(limits.synonymLength)
  .regex(oneLineText, "must be one line without control characters")
  .refine((phrase) => {
    const words = wordsOf(phrase, maxWords + 1).length;
    return words > 0 && words <= maxWords;
  }, `must be one to ${maxWords} words`);

const Synonyms = z.strictObject({
  groups: z
    .array(
      z
        .array(Phrase)
        .min(2, "needs two words or phrases that mean the same")
        .max(limits.synonymsPerGroup)
        .transform((phrases) => [...new Set(phrases)]),
    )
    .max(limits.synonymGroups)
    .meta({ description: "each group has words and phrases that mean much the same" }),
});
type Synonyms = z.output<typeof Synonyms>;

const route = routesOf({ tag: "Organizations", auth: "required" });

export function synonymRoutes(app: App): Route[] {
  const common = {
    path: "/api/tenants/:tenant/search-synonyms",
    params: TenantParams,
    data: SearchSynonymsPayload,
  } as const;
  return [
    route({
      ...common,
      method: "get",
      id: "getSynonyms",
      summary: "Read the organization's related words, which its members' searches also look for",
      handle: ({ actor, params }) => readSynonyms(app, actor, params.tenant),
    }),
    route({
      ...common,
      method: "put",
      id: "setSynonyms",
      summary: "Replace the organization's related words",
      body: Synonyms,
      handle: ({ actor, params, body }) => replaceSynonyms(app, actor, params.tenant, body),
    }),
  ];
}

async function readSynonyms(app: App, actor: Actor, ref: string): Promise<SearchSynonymsPayload> {
  const tenant = await loadTenant(app, actor, ref, "member");
  const list = await app.storage.searchSynonyms.find(tenant._id);
  return { groups: list?.groups ?? [] };
}

async function replaceSynonyms(
  app: App,
  actor: Actor,
  ref: string,
  { groups }: Synonyms,
): Promise<SearchSynonymsPayload> {
  const tenant = await loadTenant(app, actor, ref, "organization:update");
  const { searchSynonyms } = app.storage;
  const before = await searchSynonyms.find(tenant._id);
  if (JSON.stringify(before?.groups ?? []) === JSON.stringify(groups)) return { groups };
  const event = makeEvent(app, actor, "organization.search_synonyms_updated", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { groups: groups.length },
  });
  const related = groups.map(termsOfGroup);
  const terms = [...new Set(related.flat())];
  await searchSynonyms.replace(tenant._id, { groups, related, terms }, app.now(), [event]);
  flushEvents(app, searchSynonyms, tenant._id, [event]);
  return { groups };
}

/** Related terms for a query: those of the caller's organizations, then those that every search knows. */
export async function relatedFor(
  app: App,
  scopes: readonly SkillScope[],
  query: string,
): Promise<RelatedTerms> {
  const tenantIds = scopes.flatMap((scope) =>
    scope.kind === "tenants" ? scope.tenants.map(({ tenantId }) => tenantId) : [],
  );
  if (tenantIds.length === 0) return known;
  const terms = groupsOf(query, new Map()).flatMap(({ variants }) => variants.map(({ term }) => term));
  const groups = await app.storage.searchSynonyms.listWith(tenantIds.slice(0, maxLists), terms, maxGroups);
  if (groups.length === 0) return known;
  const own = relateTerms(groups);
  return { get: (term) => [...new Set([...(own.get(term) ?? []), ...(known.get(term) ?? [])])] };
}
