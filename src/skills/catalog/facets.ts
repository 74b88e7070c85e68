/**
 * Counts of what a search of the catalog finds, as a visitor. They are the same for every caller, so they are kept for
 * some seconds.
 */
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import type { CatalogFacetsPayload } from "../../../contract/payloads/discovery/catalog.ts";
import { skillTypes } from "../../../contract/vocabulary.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { countedFound, countValues, listAllowed, maxValues, nameOrganizations } from "../search/facets.ts";
import { tagsOf, type FacetsQuery } from "../search/schema.ts";
import { tenantOfCatalog } from "../search/search.ts";

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

export function readFacets(app: App, actor: Actor, input: FacetsQuery): Promise<CatalogFacetsPayload> {
  const { kept, running } = countsOf(app);
  const { query, tenant, type } = input;
  const key = JSON.stringify([query, tenant, type, tagsOf(input).sort()]);
  const known = kept.get(key);
  if (known) return Promise.resolve(known);
  return running.run(key, async () => {
    const made = await countFacets(app, actor, input);
    kept.set(key, made);
    return made;
  });
}

async function countFacets(app: App, actor: Actor, input: FacetsQuery): Promise<CatalogFacetsPayload> {
  const tenantId = await tenantOfCatalog(app, input.tenant);
  if (tenantId === null) return nothing;
  const scope = { kind: "catalog", tenantId } as const;
  const selected = tagsOf(input);
  const { rows: all, isExact } = input.query
    ? await countedFound(app, actor, { query: input.query, scopes: [scope], tags: selected })
    : await listAllowed(app, actor, { scope, tags: selected });
  const found = input.type === undefined ? all : all.filter(({ type }) => type === input.type);
  const types = countValues(all, ({ type }) => [type]);
  return {
    total: found.length,
    totalIsExact: isExact,
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
