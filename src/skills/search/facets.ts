/** Counts of all that a search finds, of the skills that the access decision allows. */
import type { SearchFacets } from "../../../contract/payloads/search.ts";
import type { CountedSkill } from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { keepAllowed } from "../load.ts";
import type { Ranked } from "./find.ts";
import type { RankedRequest } from "./ranked-page.ts";

export const maxValues = 20;
const dayMs = 24 * 3_600_000;
/** Ages of the last change, in days, each with all that changed within them. */
const ages = [7, 30, 365] as const;

export async function countFacets(
  app: App,
  actor: Actor,
  { scopes, query: _query, ...conditions }: RankedRequest,
  { found }: Ranked,
): Promise<SearchFacets> {
  const ids = found.map(({ skillId }) => skillId);
  const read = await Promise.all(
    scopes.map(async (scope) => {
      const rows = await app.storage.skillSearch.listCounted({ ids }, { scope, ...conditions });
      const reader: Actor = scope.kind === "tenants" ? actor : { kind: "anonymous", origin: actor.origin };
      return keepAllowed(app, reader, "skill:read", rows);
    }),
  );
  const rows = [...new Map(read.flat().map((row) => [row._id, row])).values()];
  const now = app.now().getTime();
  return {
    total: rows.length,
    types: countValues(rows, ({ type }) => [type]),
    tags: countValues(rows, ({ tags }) => tags).slice(0, maxValues),
    visibilities: countValues(rows, ({ visibility }) => [visibility]),
    organizations: await countOrganizations(app, rows),
    updated: ages.map((days) => ({
      days,
      count: rows.filter(({ updatedAt }) => now - updatedAt.getTime() < days * dayMs).length,
    })),
  };
}

export interface ValueCount {
  value: string;
  count: number;
}

/** The most frequent values first; equally frequent ones by name. */
export function countValues(
  rows: readonly CountedSkill[],
  valuesOf: (row: CountedSkill) => readonly string[],
): ValueCount[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([value, times]) => ({ value, count: times })).sort(
    (a, b) => b.count - a.count || (a.value < b.value ? -1 : 1),
  );
}

/** The organizations with the most skills, by slug. */
export async function countOrganizations(
  app: App,
  rows: readonly CountedSkill[],
): Promise<(ValueCount & { name: string })[]> {
  const counted = countValues(rows, ({ tenantId }) => [tenantId]).slice(0, maxValues);
  if (counted.length === 0) return [];
  const tenants = await app.storage.tenants.listByIds(counted.map(({ value }) => value));
  const byId = new Map(tenants.map((tenant) => [tenant._id, tenant]));
  return counted.flatMap(({ value, count }) => {
    const tenant = byId.get(value);
    return tenant && !tenant.deletionAt ? [{ value: tenant.slug, name: tenant.name, count }] : [];
  });
}
