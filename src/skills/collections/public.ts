/**
 * Collections as anyone sees them: with public skills only. One that is not public, or has no public skill, looks like
 * one that never existed.
 */
import type { PublicCollectionPayload } from "../../../contract/payloads/skills/collections.ts";
import type { SkillCollectionDoc } from "../../../storage/skills/skill-collections.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { loadPublicTenant } from "../catalog/public-organization.ts";
import { keepAllowed } from "../load.ts";
import { presentCatalogItem } from "../present.ts";
import { inOrder } from "./load.ts";

/** Skills that a list shows of each collection. */
const shownSkills = 6;

/** Collections of an organization in its order, each with its first skills. Throws `not_found`. */
export async function listPublicCollections(
  app: App,
  actor: Actor,
  organization: string,
): Promise<PublicCollectionPayload[]> {
  const tenant = await loadPublicTenant(app, organization);
  const all = await app.storage.skillCollections.list(tenant._id);
  return presentPublic(app, actor, tenant._id, inOrder(tenant, all), shownSkills);
}

/** One of them with all of its skills. Throws `not_found`. */
export async function readPublicCollection(
  app: App,
  actor: Actor,
  organization: string,
  slug: string,
): Promise<PublicCollectionPayload> {
  const tenant = await loadPublicTenant(app, organization);
  const found = await app.storage.skillCollections.findBySlug(tenant._id, slug);
  const [collection] = await presentPublic(app, actor, tenant._id, found ? [found] : [], Infinity);
  if (!collection)
    throw new ServiceError("not_found", "Collection not found, or it has no public skills.", {
      kind: "collection",
    });
  return collection;
}

async function presentPublic(
  app: App,
  { origin }: Actor,
  tenantId: string,
  collections: readonly SkillCollectionDoc[],
  limit: number,
): Promise<PublicCollectionPayload[]> {
  const open = collections.filter(({ isPublic, folderId }) => isPublic && folderId === null);
  const ids = [...new Set(open.flatMap(({ skillIds }) => skillIds))];
  const conditions = { scope: { kind: "catalog", tenantId } } as const;
  const { skillSearch } = app.storage;
  const rows = await skillSearch.listCounted({ ids }, conditions);
  const allowed = await keepAllowed(app, { kind: "anonymous", origin }, "skill:read", rows);
  const readable = new Set(allowed.map(({ _id }) => _id));
  const members = open.map(({ skillIds }) => skillIds.filter((id) => readable.has(id)));
  const shown = new Set(members.flatMap((some) => some.slice(0, limit)));
  const skills = new Map(
    (await skillSearch.listFound([...shown], conditions)).map((skill) => [skill._id, skill]),
  );
  return open.flatMap(({ slug, name, description }, at) => {
    const some = members[at]!;
    if (some.length === 0) return [];
    const listed = some.slice(0, limit).flatMap((id) => skills.get(id) ?? []);
    return { slug, name, description, skillCount: some.length, skills: listed.map(presentCatalogItem) };
  });
}
