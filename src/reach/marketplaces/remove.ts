/** Ends of marketplaces: their repositories are erased. */
import type { ServedMarketplace } from "../../../storage/reach/marketplaces.ts";
import type { App } from "../../app.ts";

/** Removes the marketplace of a collection that was deleted. */
export async function removeMarketplace(app: App, tenantId: string, audience: string): Promise<void> {
  const repoId = await app.storage.marketplaces.remove(tenantId, audience);
  if (repoId !== undefined) await app.repos.erase({ tenantId, skillId: repoId });
}

/** Removes those of collections that do not exist any more. Returns the others. */
export async function removeEndedMarketplaces(
  app: App,
  marketplaces: readonly ServedMarketplace[],
): Promise<ServedMarketplace[]> {
  const kept: ServedMarketplace[] = [];
  for (const marketplace of marketplaces) {
    const { tenantId, audience } = marketplace;
    const isKept =
      audience === "public" ||
      audience === "members" ||
      (await app.storage.skillCollections.find(tenantId, audience)) !== null;
    if (isKept) kept.push(marketplace);
    else await removeMarketplace(app, tenantId, audience);
  }
  return kept;
}
