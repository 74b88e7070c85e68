/**
 * The public skills of an organization, for the lists that other clients read. They are what a visitor may read at the
 * time of the request: nothing that decides access is kept between requests.
 */
import { LRUCache } from "lru-cache";
import type { PublicSkillRow } from "../../storage/lookups/catalog.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { perApp } from "../per-app.ts";
import { keepAllowed } from "../skills/load.ts";

export interface PublicSkills {
  tenant: TenantDoc;
  /** In the order of the collection, or the most downloaded ones first. */
  skills: PublicSkillRow[];
  /** The organization or collection has further public skills. */
  hasMore: boolean;
}

/** Which skills, and how many of them. */
export interface PublicSelection {
  /** Those of this collection while it is public; default: the collection that the organization has chosen, or all. */
  publicCollectionId?: string;
  limit: number;
}

const missingId = "0".repeat(24);
/** Ids of organizations by slug: a slug never leads to another organization. */
const idsOf = perApp(() => new LRUCache<string, string>({ max: 10_000 }));

/**
 * By a slug of the organization, or a previous one. Undefined without a public skill: such an organization looks like
 * one that does not exist, after the same queries.
 */
export async function listPublicSkills(
  app: App,
  origin: Origin,
  org: string,
  { publicCollectionId, limit }: PublicSelection,
): Promise<PublicSkills | undefined> {
  const ids = idsOf(app);
  const { tenants, skillCollections, catalog } = app.storage;
  const knownId = ids.get(org);
  const all = (tenantId: string) => catalog.listPublicOf(tenantId, { limit: limit + 1 });
  // Most organizations have not chosen a collection: both are read at the same time.
  const [tenant, readAhead] = knownId
    ? await Promise.all([tenants.find(knownId), publicCollectionId === undefined ? all(knownId) : undefined])
    : [await tenants.findBySlug(org), undefined];
  const tenantId = tenant?._id ?? missingId;
  if (tenant) ids.set(org, tenantId);
  const chosenId = publicCollectionId ?? tenant?.indexCollectionId;
  const chosen = chosenId === undefined ? null : await skillCollections.find(tenantId, chosenId);
  if (publicCollectionId !== undefined && !chosen?.isPublic) return undefined;
  const skills = chosen
    ? await catalog.listPublicOf(tenantId, { ids: chosen.skillIds })
    : (readAhead ?? (await all(tenantId)));
  const visitor = { kind: "anonymous", origin } as const;
  const allowed = await keepAllowed(app, visitor, "skill:read", skills);
  // The mark of the catalog may lag behind the visibility.
  const open = allowed.filter(({ visibility }) => visibility === "public");
  if (!tenant || tenant.deletionAt || tenant.erasing || open.length === 0) return undefined;
  const inOrder = chosen ? ordered(open, chosen.skillIds) : open;
  return { tenant, skills: inOrder.slice(0, limit), hasMore: inOrder.length > limit };
}

function ordered(skills: readonly PublicSkillRow[], ids: readonly string[]): PublicSkillRow[] {
  const byId = new Map(skills.map((skill) => [skill._id, skill]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
