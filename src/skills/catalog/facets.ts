/**
 * Counts of what a search of the catalog finds. They are public and the same for every caller, so they are kept for
 * some seconds; the access to single skills is checked by the list.
 */
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import type { CatalogFacetsPayload } from "../../../contract/payloads/catalog.ts";
import { skillTypes } from "../../../contract/vocabulary.ts";
import type { CountedSkill } from "../../../storage/lookups/catalog.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { tagsOf, type FacetsQuery } from "../schema.ts";
import { rankSkills } from "../search/find.ts";
import { tenantOfCatalog } from "../search/search.ts";

const maxCounted = 5000;
const maxValues = 20;
const keptMs = 15_000;
const nothing: CatalogFacetsPayload = {
  total: 0,
  totalIsExact: true,
  types: [],
  tags: [],
  organizations: [],
};

interface Counts {
  kept: LRUCache<string, CatalogFacetsPayload>;
  running: SingleFlight<CatalogFacetsPayload>;
}

const countsOf = perApp<Counts>(() => ({
  kept: new LRUCache({ max: 500, ttl: keptMs }),
  running: new SingleFlight(2),
}));

export function readFacets(app: App, input: FacetsQuery): Promise<CatalogFacetsPayload> {
  const { kept, running } = countsOf(app);
  const { query, tenant, type } = input;
  const key = JSON.stringify([query, tenant, type, tagsOf(input).sort()]);
  const known = kept.get(key);
  if (known) return Promise.resolve(known);
  return running.run(key, async () => {
    const made = await countFacets(app, input);
    kept.set(key, made);
    return made;
  });
}

async function countFacets(app: App, input: FacetsQuery): Promise<CatalogFacetsPayload> {
  const tenantId = await tenantOfCatalog(app, input.tenant);
  if (tenantId === null) return nothing;
  const rows = await listRows(app, tenantId, input);
  const all = rows.slice(0, maxCounted);
  const found = input.type === undefined ? all : all.filter(({ type }) => type === input.type);
  const types = count(all, ({ type }) => [type]);
  return {
    total: found.length,
    totalIsExact: rows.length <= maxCounted,
    types: skillTypes.flatMap((value) => {
      const entry = types.find((one) => one.value === value);
      return entry ? [{ value, count: entry.count }] : [];
    }),
    tags: count(found, ({ tags }) => tags).slice(0, maxValues),
    organizations: await nameOrganizations(app, count(found, ({ tenantId: id }) => [id]).slice(0, maxValues)),
  };
}

/** All skills, or those that a search finds. */
async function listRows(
  app: App,
  tenantId: string | undefined,
  input: FacetsQuery,
): Promise<readonly CountedSkill[]> {
  const tags = tagsOf(input);
  if (!input.query) return app.storage.catalog.listCounted({ tenantId, tags }, maxCounted + 1);
  const scope = { kind: "catalog", tenantId } as const;
  const { found } = await rankSkills(app, { query: input.query, scopes: [scope], tags });
  return app.storage.skillSearch.listCounted(
    found.map(({ skillId }) => skillId),
    { scope, tags },
  );
}

interface Counted {
  value: string;
  count: number;
}

/** The most frequent values first; equally frequent ones by name. */
function count(rows: readonly CountedSkill[], valuesOf: (row: CountedSkill) => readonly string[]): Counted[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([value, times]) => ({ value, count: times })).sort(
    (a, b) => b.count - a.count || (a.value < b.value ? -1 : 1),
  );
}

async function nameOrganizations(
  app: App,
  counted: readonly Counted[],
): Promise<CatalogFacetsPayload["organizations"]> {
  if (counted.length === 0) return [];
  const tenants = await app.storage.tenants.listByIds(counted.map(({ value }) => value));
  const byId = new Map(tenants.map((tenant) => [tenant._id, tenant]));
  return counted.flatMap(({ value, count: skills }) => {
    const tenant = byId.get(value);
    return tenant && !tenant.deletionAt ? [{ value: tenant.slug, name: tenant.name, count: skills }] : [];
  });
}
