/** One search over the caller's own skills and the public ones, in one list. */
import type { SearchFacets, searchScopes } from "../../../contract/payloads/discovery/search.ts";
import type { SearchSort, SkillType, Visibility } from "../../../contract/vocabulary.ts";
import { isWhole, type SkillScope } from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { readableTenants } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { notFound, unauthenticated } from "../../errors.ts";
import { refuseUnproved } from "../../users/requirements.ts";
import { browsePage, type ListedSkill } from "./browse.ts";
import { countFacets, countedAll, countedFound, type CountedRows } from "./facets.ts";
import { rankedPage, type RankedPage } from "./ranked-page.ts";
import { findOwn, ownScope, tenantOfCatalog } from "./search.ts";

const dayMs = 24 * 3_600_000;

export interface ListRequest {
  scope: (typeof searchScopes)[number];
  /** Slug of one organization; of an own one, also its id. */
  tenant?: string;
  type?: SkillType;
  visibility?: Visibility;
  tags?: readonly string[];
  /** Only skills that changed within so many days. */
  updated?: number;
  sort?: SearchSort;
  limit: number;
  cursor?: string;
  /** With the first page only. */
  facets?: boolean;
}
export type SearchRequest = ListRequest & { query: string };

export type SearchResult = RankedPage & { facets?: SearchFacets };
export interface ListResult {
  hits: ListedSkill[];
  nextCursor: string | null;
  facets?: SearchFacets;
}

/**
 * Throws `unauthenticated` for an anonymous caller who wants own skills, `not_found` for an organization that is not
 * the caller's with scope `mine`, and `invalid_request` for a cursor.
 */
export async function searchSkills(app: App, actor: Actor, request: SearchRequest): Promise<SearchResult> {
  const { query, sort = "relevance", limit, cursor } = request;
  const { conditions, tenantId } = await readConditions(app, actor, request);
  const ranked = { query, ...conditions };
  const page = await rankedPage(app, actor, ranked, { limit, cursor, sort });
  const facets = await facetsOf(
    app,
    actor,
    { ...request, tenantId },
    (open) => (open ? countedFound(app, actor, { query, ...open }) : countedFound(app, actor, ranked, page)),
    { areRanked: true },
  );
  return { ...page, facets };
}

/** All skills that the caller can read, in an order other than relevance. Throws as `searchSkills` does. */
export async function listAllSkills(app: App, actor: Actor, request: ListRequest): Promise<ListResult> {
  const { sort = "updated", limit, cursor } = request;
  const { conditions, tenantId } = await readConditions(app, actor, request);
  const [page, facets] = await Promise.all([
    browsePage(app, actor, conditions, { limit, cursor, sort: sort === "relevance" ? "updated" : sort }),
    facetsOf(app, actor, { ...request, tenantId }, (open) => countedAll(app, actor, open ?? conditions), {
      areRanked: false,
    }),
  ]);
  return { ...page, facets };
}

/** The conditions of a request, and the id of its organization; null if that does not exist. */
async function readConditions(app: App, actor: Actor, request: ListRequest) {
  const { scope, tenant, type, visibility, tags, updated } = request;
  if (scope === "mine" && actor.kind === "anonymous")
    throw unauthenticated(
      "Your own skills need a sign-in: send Authorization: Bearer, or search all skills.",
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
  const updatedSince = updated === undefined ? undefined : new Date(app.now().getTime() - updated * dayMs);
  return { conditions: { scopes, type, visibility, tags, updatedSince }, tenantId };
}

type Conditions = Awaited<ReturnType<typeof readConditions>>["conditions"];

/** `read`: the hits, or those that the given conditions have instead. */
async function facetsOf(
  app: App,
  actor: Actor,
  request: ListRequest & { tenantId: string | null | undefined },
  read: (open?: Conditions) => Promise<CountedRows>,
  { areRanked }: { areRanked: boolean },
): Promise<SearchFacets | undefined> {
  if (!request.facets || request.cursor !== undefined) return undefined;
  const { scope, tenant, type, updated, ...rest } = request;
  const isOpen = scope === "all" && tenant === undefined && type === undefined && updated === undefined;
  if (isOpen) return countFacets(app, request, await read());
  const open = await read((await readConditions(app, actor, { ...rest, scope: "all" })).conditions);
  // Other filters change which hits of a ranked search are too far below the best one.
  return countFacets(app, request, open, areRanked || !open.isExact ? await read() : undefined);
}
