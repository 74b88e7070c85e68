/** The marketplaces of an organization that a member may use. */
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import type { MarketplacePayload } from "../../../contract/payloads/discovery/marketplaces.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { listCollections } from "../../skills/collections/collections.ts";
import { catalogAddress } from "./addresses.ts";
import { isTextRule, readOffer, type Audience } from "./audience.ts";
import { factsOf, newNameOf } from "./marketplace.ts";

const readConcurrency = 4;

/**
 * The public one if the organization has public skills, that of the members, and one for each collection that the actor
 * may read, in the organization's order. Throws `not_found`.
 */
export async function listMarketplaces(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<MarketplacePayload[]> {
  const { tenant, seen } = await listCollections(app, actor, tenantRef);
  const names = new Map(
    (await app.storage.marketplaces.list(tenant._id)).map(({ audience, name }) => [audience, name]),
  );
  const audiences: Audience[] = [
    ...((await hasPublicSkill(app, tenant)) ? [{ tenant, key: "public", isPublic: true }] : []),
    ...(isAllowedIn(actor, "skill:read", tenant._id, null)
      ? [{ tenant, key: "members", isPublic: false }]
      : []),
    ...seen.map(({ collection }) => ({
      tenant,
      key: collection._id,
      collection,
      isPublic: collection.isPublic,
    })),
  ];
  return mapLimit(audiences, readConcurrency, async (audience) => {
    const { key, collection, isPublic } = audience;
    const name = names.get(key) ?? newNameOf(audience);
    const { title, address, isRequired } = factsOf(app, audience, name);
    const required = isRequired ? (await readOffer(app, audience)).skills : [];
    return {
      audience: key === "public" || key === "members" ? key : "collection",
      collection: collection?.slug ?? null,
      isPublic,
      name,
      title,
      requiredPlugins: required.filter((skill) => !isTextRule(skill)).map(({ slug }) => slug),
      gitUrl: address,
      catalogUrl: catalogAddress(address),
    };
  });
}

const hasPublicSkill = async (app: App, { _id }: TenantDoc): Promise<boolean> =>
  (await app.storage.catalog.totalsOfTenant(_id, 1)).skills > 0;
