/** Input of the addresses of marketplaces. */
import { z } from "zod";

const org = z.string().max(64).meta({ description: "slug of the organization, or a previous one" });
export const OrganizationParams = z.object({ org });
export const CollectionParams = z.object({
  org,
  collection: z.string().max(64).meta({ description: "slug of the collection" }),
});
