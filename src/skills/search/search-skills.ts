/** One search over the caller's own skills and the public ones, in one list. */
import type { SearchFacets, searchScopes } from "../../../contract/payloads/search.ts";
import type { SearchSort, SkillType, Visibility } from "../../../contract/vocabulary.ts";
import { isWhole, type SkillScope } from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { readableTenants } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { notFound, unauthenticated } from "../../errors.ts";
import { refuseUnproved } from "../../users/requirements.ts";
import { countFacets } from "./facets.ts";
import { rankedPage, type RankedPage } from "./ranked-page.ts";
import { findOwn, ownScope, tenantOfCatalog } from "./search.ts";

export interface SearchRequest {
  query: string;
  scope: (typeof searchScopes)[number];
  /** Slug of one organization; of an own one, also its id. */
  tenant?: string;
  type?: SkillType;
  visibility?: Visibility;
  tags?: readonly string[];
  sort?: SearchSort;
  limit: number;
  cursor?: string;
  facets?: boolean;
}

export type SearchResult = RankedPage & { facets?: SearchFacets };

/**
 * Throws `unauthenticated` for an anonymous caller who wants own skills, `not_found` for an organization that is not
 * the caller's with scope `mine`, and `invalid_request` for a cursor.
 */
export async function searchSkills(app: App, actor: Actor, request: SearchRequest): Promise<SearchResult> {
  const { query, scope, tenant, type, visibility, tags, sort = "relevance", limit, cursor } = request;
  if (scope === "mine" && actor.kind === "anonymous")
    throw unauthenticated(
      "Your own skills need a sign-in: send Authorization: Bearer, or leave the scope out.",
    );
  const inside = tenant === undefined ? undefined : await findOwn(app, actor, tenant);
  if (scope === "mine" && tenant !== undefined && !inside) {
    refuseUnproved(actor, tenant);
    throw notFound("organization", tenant);
  }
  const tenantId = inside?.tenantId ?? (await tenantOfCatalog(app, tenant));
  const readable = readableTenants(actor).filter((id) => tenantId === undefined || id === tenantId);
  const own = scope === "public" || readable.length === 0 ? undefined : await ownScope(app, actor, readable);
  const scopes: SkillScope[] = own && own.tenants.length > 0 ? [own] : [];
  // Skills that the caller's own scope already has are not read twice.
  const except = own?.tenants.filter(isWhole).map((whole) => whole.tenantId) ?? [];
  if (scope !== "mine" && tenantId !== null && !(tenantId !== undefined && except.includes(tenantId)))
    scopes.push({ kind: "catalog", tenantId, except });
  const ranked = { query, scopes, type, visibility, tags };
  const page = await rankedPage(app, actor, ranked, { limit, cursor, sort });
  return { ...page, facets: request.facets ? await countFacets(app, actor, ranked, page) : undefined };
}
