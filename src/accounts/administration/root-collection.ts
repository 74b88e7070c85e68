/** The collection whose skills clients find at the root of the service, which administrators choose. */
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SkillCollectionDoc } from "../../../storage/skills/skill-collections.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";

export interface RootCollection {
  tenant: TenantDoc;
  collection: SkillCollectionDoc;
}

/** Undefined while none is chosen, or the chosen one is not public any more. */
export async function readRootCollection(app: App): Promise<RootCollection | undefined> {
  const { serviceSettings, tenants, skillCollections } = app.storage;
  const chosen = (await serviceSettings.find())?.rootCollection;
  if (!chosen) return undefined;
  const [tenant, collection] = await Promise.all([
    tenants.find(chosen.tenantId),
    skillCollections.find(chosen.tenantId, chosen.collectionId),
  ]);
  return tenant && collection?.isPublic ? { tenant, collection } : undefined;
}

/** By `org/collection`. A collection that is not public looks like one that does not exist. Throws `not_found`. */
export async function findRootCollection(app: App, ref: string): Promise<RootCollection> {
  const [org = "", slug = ""] = ref.split("/");
  const tenant = await app.storage.tenants.findBySlug(org);
  const collection = tenant && (await app.storage.skillCollections.findBySlug(tenant._id, slug));
  if (!tenant || !collection?.isPublic)
    throw new ServiceError("not_found", `"${ref}" is not a public collection of an organization.`, {
      kind: "collection",
      ref,
    });
  return { tenant, collection };
}

export const refOfCollection = ({ tenant, collection }: RootCollection): string =>
  `${tenant.slug}/${collection.slug}`;
