/** Counts of all that a search finds, of the skills that the access decision allows. */
import { LRUCache } from "lru-cache";
import { searchScopes, type SearchFacets } from "../../../contract/payloads/discovery/search.ts";
import type { CountedSkill, SkillConditions, SkillScope } from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { keepAllowed } from "../load.ts";
import { readerIn, type BrowseConditions } from "./browse.ts";
import { rankSkills, withoutWorst, type Found } from "./find.ts";
import type { RankedRequest } from "./ranked-page.ts";

export const maxValues = 20;
const dayMs = 24 * 3_600_000;
/** Ages of the last change, in days, each with all that changed within them. */
const ages = [7, 30, 365] as const;
/** Skills of a scope that are counted without words. */
const maxCounted = 5000;

type CatalogScope = Extract<SkillScope, { kind: "catalog" }>;
type ScopeName = (typeof searchScopes)[number];

interface CountedRow extends CountedSkill {
  /** Whether it is of one of the caller's organizations. */
  isOwn: boolean;
}

export interface CountedRows {
  rows: readonly CountedRow[];
  isExact: boolean;
}

/** The hits of a ranked search: those of a page that was read, or of another search. */
export async function countedFound(
  app: App,
  actor: Actor,
  { query, scopes, ...conditions }: RankedRequest,
  known?: { found: readonly Found[] },
): Promise<CountedRows> {
  const found = known?.found ?? (await rankSkills(app, { query, scopes, ...conditions })).found;
  const ids = found.map(({ skillId }) => skillId);
  const rows = merge(
    scopes,
    await Promise.all(
      scopes.map(async (scope) => {
        const read = await app.storage.skillSearch.listCounted({ ids }, { scope, ...conditions });
        return keepAllowed(app, readerIn(scope, actor), "skill:read", read);
      }),
    ),
  );
  if (known) return { rows: [...rows.values()], isExact: true };
  const first = found.find(({ skillId }) => rows.has(skillId));
  return {
    rows: withoutWorst(found, first).flatMap(({ skillId }) => rows.get(skillId) ?? []),
    isExact: true,
  };
}

/** All skills of the scopes, up to a limit of each. */
export async function countedAll(
  app: App,
  actor: Actor,
  { scopes, ...conditions }: BrowseConditions,
): Promise<CountedRows> {
  const lists = await Promise.all(
    scopes.map((scope) =>
      scope.kind === "tenants"
        ? listAllowed(app, actor, { scope, ...conditions })
        : listCatalog(app, actor, { scope, ...conditions }),
    ),
  );
  const rows = merge(
    scopes,
    lists.map((list) => list.rows),
  );
  return { rows: [...rows.values()], isExact: lists.every(({ isExact }) => isExact) };
}

interface Listed {
  rows: readonly CountedSkill[];
  isExact: boolean;
}

/** Skills of a scope that its reader may read, up to a limit. */
export async function listAllowed(app: App, actor: Actor, conditions: SkillConditions): Promise<Listed> {
  const read = await app.storage.skillSearch.listCounted({ limit: maxCounted + 1 }, conditions);
  const reader = readerIn(conditions.scope, actor);
  const rows = await keepAllowed(app, reader, "skill:read", read.slice(0, maxCounted));
  return { rows, isExact: read.length <= maxCounted };
}

const keptMs = 15_000;
const keptOf = perApp(() => new LRUCache<string, Promise<Listed>>({ max: 8, ttl: keptMs }));

/** Skills of the catalog, which are the same for every caller, and therefore kept for some seconds. */
async function listCatalog(
  app: App,
  actor: Actor,
  conditions: SkillConditions & { scope: CatalogScope },
): Promise<Listed> {
  const { updatedSince } = conditions;
  const { tenantId } = conditions.scope;
  const whole = { ...conditions, scope: { kind: "catalog", tenantId }, updatedSince: undefined } as const;
  const kept = keptOf(app);
  const key = JSON.stringify(whole);
  const reading = kept.get(key) ?? listAllowed(app, actor, whole);
  if (!kept.has(key)) {
    kept.set(key, reading);
    reading.catch(() => kept.delete(key));
  }
  const { rows, isExact } = await reading;
  if (!updatedSince) return { rows, isExact };
  if (!isExact) return listAllowed(app, actor, { ...whole, updatedSince });
  return { rows: rows.filter(({ updatedAt }) => updatedAt >= updatedSince), isExact };
}

/** Rows of all scopes by id. Own scopes come first. */
function merge(
  scopes: readonly SkillScope[],
  lists: readonly (readonly CountedSkill[])[],
): Map<string, CountedRow> {
  const rows = new Map<string, CountedRow>();
  for (const [at, list] of lists.entries())
    for (const row of list)
      if (!rows.has(row._id)) rows.set(row._id, { ...row, isOwn: scopes[at]!.kind === "tenants" });
  return rows;
}

/** Filters whose other values can be chosen. */
interface Selection {
  scope: ScopeName;
  /** Null: of an organization that does not exist. */
  tenantId?: string | null;
  type?: string;
  updated?: number;
}

/** `open`: the hits without the filters of the selection. `hits`: by default, those of `open` that pass the filters. */
export async function countFacets(
  app: App,
  { scope, tenantId, type, updated }: Selection,
  open: CountedRows,
  hits?: CountedRows,
): Promise<SearchFacets> {
  const now = app.now().getTime();
  const isWithin = (days: number) => (row: CountedRow) => now - row.updatedAt.getTime() < days * dayMs;
  const filters: Record<"scope" | "tenant" | "type" | "updated", (row: CountedRow) => boolean> = {
    scope: isIn(scope),
    tenant: (row) => tenantId === undefined || row.tenantId === tenantId,
    type: (row) => type === undefined || row.type === type,
    updated: updated === undefined ? () => true : isWithin(updated),
  };
  /** Hits with all filters, or all but one. */
  const without = (excluded?: keyof typeof filters) => {
    const others = Object.entries(filters).flatMap(([name, passes]) => (name === excluded ? [] : [passes]));
    return open.rows.filter((row) => others.every((passes) => passes(row)));
  };
  const selected = hits ?? { rows: without(), isExact: open.isExact };
  const total = selected.rows.length;
  const ofScopes = without("scope");
  const ofUpdated = without("updated");
  const types = countValues(without("type"), (row) => [row.type]);
  const organizations = countValues(without("tenant"), (row) => [row.tenantId]);
  return {
    total,
    totalIsExact: selected.isExact && open.isExact,
    scopes: searchScopes.map((value) => ({
      value,
      count: value === scope ? total : ofScopes.filter(isIn(value)).length,
    })),
    types: withTotal(types, type, total),
    tags: countValues(selected.rows, ({ tags }) => tags).slice(0, maxValues),
    visibilities: countValues(selected.rows, ({ visibility }) => [visibility]),
    organizations: await nameOrganizations(app, withTotal(organizations, tenantId, total)),
    updated: ages.map((days) => ({
      days,
      count: days === updated ? total : ofUpdated.filter(isWithin(days)).length,
    })),
  };
}

const isIn = (scope: ScopeName) => (row: CountedRow) =>
  scope === "all" || (scope === "mine" ? row.isOwn : row.listed);

/** A selected value has the number of the hits: the search without it may have left some of them out. */
const withTotal = (
  counts: readonly ValueCount[],
  selected: string | null | undefined,
  total: number,
): ValueCount[] => counts.map((one) => (one.value === selected ? { ...one, count: total } : one));

export interface ValueCount {
  value: string;
  count: number;
}

/** The most frequent values first; equally frequent ones by name. */
export function countValues<T extends CountedSkill>(
  rows: readonly T[],
  valuesOf: (row: T) => readonly string[],
): ValueCount[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([value, times]) => ({ value, count: times })).sort(
    (a, b) => b.count - a.count || (a.value < b.value ? -1 : 1),
  );
}

/** The organizations with the most skills, by slug. `counts`: by id, the most frequent first. */
export async function nameOrganizations(
  app: App,
  counts: readonly ValueCount[],
): Promise<(ValueCount & { name: string })[]> {
  const counted = counts.slice(0, maxValues);
  if (counted.length === 0) return [];
  const tenants = await app.storage.tenants.listByIds(counted.map(({ value }) => value));
  const byId = new Map(tenants.map((tenant) => [tenant._id, tenant]));
  return counted.flatMap(({ value, count }) => {
    const tenant = byId.get(value);
    return tenant && !tenant.deletionAt ? [{ value: tenant.slug, name: tenant.name, count }] : [];
  });
}
