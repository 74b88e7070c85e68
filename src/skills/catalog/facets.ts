/**
 * Counts of what a search of the catalog finds. They are public and the same for every caller, so they are kept for
 * some seconds; the access to single skills is checked by the list.
 */
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import type { CatalogFacetsPayload } from "../../../contract/payloads/catalog.ts";
import { skillTypes } from "../../../contract/vocabulary.ts";
import type { CountedSkill } from "../../../storage/search/skills.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { countValues, maxValues, nameOrganizations } from "../search/facets.ts";
import { rankSkills, withoutWorst } from "../search/find.ts";
import { tagsOf, type FacetsQuery } from "../search/schema.ts";
import { tenantOfCatalog } from "../search/search.ts";

const maxCounted = 5000;
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
  const types = countValues(all, ({ type }) => [type]);
  return {
    total: found.length,
    totalIsExact: rows.length <= maxCounted,
    types: skillTypes.flatMap((value) => {
      const entry = types.find((one) => one.value === value);
      return entry ? [{ value, count: entry.count }] : [];
    }),
    tags: countValues(found, ({ tags }) => tags).slice(0, maxValues),
    organizations: await nameOrganizations(
      app,
      countValues(found, (row) => [row.tenantId]),
    ),
  };
}

/** All skills, or those that a search finds. */
async function listRows(
  app: App,
  tenantId: string | undefined,
  input: FacetsQuery,
): Promise<readonly CountedSkill[]> {
  const scope = { kind: "catalog", tenantId } as const;
  const query = { scope, tags: tagsOf(input) };
  if (!input.query) return app.storage.skillSearch.listCounted({ limit: maxCounted + 1 }, query);
  const { found } = await rankSkills(app, { query: input.query, scopes: [scope], tags: query.tags });
  const ids = found.map(({ skillId }) => skillId);
  const rows = new Map(
    (await app.storage.skillSearch.listCounted({ ids }, query)).map((row) => [row._id, row]),
  );
  const first = found.find(({ skillId }) => rows.has(skillId));
  return withoutWorst(found, first).flatMap(({ skillId }) => rows.get(skillId) ?? []);
}
