/** Counts of all that a search finds, of the skills that the access decision allows. */
import type { SearchFacets } from "../../../contract/payloads/search.ts";
import { skillTypes } from "../../../contract/vocabulary.ts";
import type { CountedSkill } from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { keepAllowed } from "../load.ts";
import type { Ranked } from "./find.ts";
import type { RankedRequest } from "./ranked-page.ts";

const maxValues = 20;
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
      const rows = await app.storage.skillSearch.listCounted(ids, { scope, ...conditions });
      const reader: Actor = scope.kind === "tenants" ? actor : { kind: "anonymous", origin: actor.origin };
      return keepAllowed(app, reader, "skill:read", rows);
    }),
  );
  const rows = [...new Map(read.flat().map((row) => [row._id, row])).values()];
  const tenants = await app.storage.tenants.listByIds([...new Set(rows.map(({ tenantId }) => tenantId))]);
  const slugs = new Map(tenants.map(({ _id, slug, name }) => [_id, { slug, name }]));
  const now = app.now().getTime();
  return {
    total: rows.length,
    types: count(rows, ({ type }) => [type]).filter(({ value }) => skillTypes.some((type) => type === value)),
    tags: count(rows, ({ tags }) => tags),
    visibilities: count(rows, ({ visibility }) => [visibility]),
    organizations: count(rows, ({ tenantId }) => [slugs.get(tenantId)?.slug ?? ""]).map((counted) => ({
      ...counted,
      name: tenants.find(({ slug }) => slug === counted.value)?.name ?? counted.value,
    })),
    updated: ages.map((days) => ({
      days,
      count: rows.filter(({ updatedAt }) => now - updatedAt.getTime() < days * dayMs).length,
    })),
  };
}

/** The most frequent values first; equally frequent ones by name. */
function count(
  rows: readonly CountedSkill[],
  valuesOf: (row: CountedSkill) => readonly string[],
): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([value, times]) => ({ value, count: times }))
    .filter(({ value }) => value !== "")
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, maxValues);
}
